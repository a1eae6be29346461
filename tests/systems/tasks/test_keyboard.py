"""Everything by keyboard in Chromium: the palette, adding in one line, saved views, and what could not be done."""

from __future__ import annotations

import re

from playwright.async_api import Page, Route, expect

from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.service import Service
from sekkei_systems.tasks.system import SYSTEM
from tests.browser import DESKTOP, PHONE, Serve, Shots, Site, Windows


async def _board(browser: Windows, site: Site, *titles: str, **options: object) -> tuple[Page, str]:
    """A window on the board of a new team with these tasks."""
    page = await browser.person(site, "demo-aoi", **options)  # type: ignore[arg-type]
    service: Service = site.client.shell.deployment.systems["tasks"].parts.service
    await site.client.sign_in("demo-aoi")
    await site.client.get("/tasks/")
    team = await service.teams.create("demo-aoi", "Move house")
    admin = await service.access.admin("demo-aoi", team.team_id)
    for title in titles:
        await service.tasks.create(admin, TaskDraft(title))
    board = f"{site.url}/tasks/teams/{team.team_id}"
    await page.goto(board)
    await _ready(page)
    return page, board


async def _ready(page: Page) -> None:
    await page.wait_for_selector('[data-live-state="open"]')
    await page.wait_for_selector('html[data-keys="ready"]')


async def test_a_card_is_changed_from_the_palette_and_changed_back(
    browser: Windows, serve: Serve, shots: Shots
) -> None:
    site = await serve(SYSTEM)
    page, board = await _board(browser, site, "段ボールを買う", "水道の連絡")
    await page.get_by_role("link", name="段ボールを買う").focus()
    await page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="コマンドと検索")
    await expect(palette).to_contain_text("「段ボールを買う」")
    await page.keyboard.type("進行中")
    await expect(palette.get_by_role("option", selected=True)).to_have_text("ステータスを「進行中」に")
    await shots(page, "palette")
    await page.keyboard.press("Enter")
    doing = page.get_by_role("region", name="進行中")
    await expect(doing.get_by_role("link", name="段ボールを買う")).to_be_focused()
    await page.keyboard.press("p")
    await page.keyboard.type("高")
    await page.keyboard.press("Enter")
    await expect(doing.locator(".priority.high")).to_be_visible()
    await page.keyboard.press("a")
    await page.keyboard.type("佐藤")
    await expect(palette.get_by_role("option", selected=True)).to_have_text("佐藤 葵 を担当者に")
    await page.keyboard.press("Enter")
    await expect(doing.get_by_role("img", name="佐藤 葵")).to_be_visible()
    await expect(page.locator(".toast", has_text="変更しました")).to_have_count(2)
    await page.keyboard.press("u")
    await expect(doing.get_by_role("img", name="佐藤 葵")).to_be_hidden()

    await page.keyboard.press("Control+k")
    await page.keyboard.type("MH-2")
    await expect(palette.get_by_role("option", selected=True)).to_have_text("MH-2 水道の連絡")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="水道の連絡")).to_be_visible()
    await expect(page.locator("[data-reference]")).to_have_text("MH-2")
    await _ready(page)
    await page.keyboard.press("g")
    await page.keyboard.press("b")
    await expect(page).to_have_url(board)
    await _ready(page)
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="キーボード操作")).to_be_visible()
    await shots(page, "help")
    await page.keyboard.press("Escape")
    await page.get_by_role("link", name="水道の連絡").focus()
    await page.keyboard.press("Delete")
    await expect(page.get_by_role("link", name="水道の連絡")).to_be_hidden()
    await page.locator(".toast", has_text="ゴミ箱に移動").get_by_role("button", name="元に戻す").click()
    await expect(page.get_by_role("link", name="水道の連絡")).to_be_visible()
    assert browser.problems == []


async def test_a_line_becomes_a_card_and_a_filter_a_view(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM)
    page, board = await _board(browser, site)
    await page.keyboard.press("c")
    field = page.get_by_label("「未着手」に1行で追加")
    await expect(field).to_be_focused()
    await page.keyboard.type("見積もり 2031-03-04まで !高 @me")
    await expect(page.locator("[data-understood]").first).to_have_text(
        re.compile("見積もり — .*3月4日.*優先度 高 · @佐藤 葵")
    )
    await shots(page, "quick-add")
    await page.keyboard.press("Enter")
    todo = page.get_by_role("region", name="未着手")
    await expect(todo.get_by_role("link", name="見積もり", exact=True)).to_be_visible()
    await expect(todo.locator(".priority.high")).to_be_visible()
    await expect(todo.locator(".task-card")).to_have_count(1)
    await expect(field).to_have_value("")

    await page.goto(f"{board}?priority=high")
    await _ready(page)
    await page.get_by_text("ビューを保存").click()
    await page.get_by_label("ビューの名前").fill("急ぎ")
    await page.keyboard.press("Enter")
    await expect(page.locator("[data-views]").get_by_role("link", name="急ぎ")).to_have_attribute(
        "aria-current", "page"
    )
    await page.goto(board + "/tasks")
    await _ready(page)
    await page.keyboard.press("Control+k")
    await page.keyboard.type("急ぎ")
    await expect(page.get_by_role("option", name="ビュー 急ぎ")).to_be_visible()
    await page.get_by_role("option", name="ビュー 急ぎ").click()
    await expect(page).to_have_url(f"{board}?priority=high")
    assert browser.problems == []


async def test_what_could_not_be_done_is_seen(browser: Windows, serve: Serve) -> None:
    """The server refuses: the card goes back, the text too, and words say why. A lost answer makes nothing twice."""
    site = await serve(SYSTEM)
    page, board = await _board(browser, site, "段ボールを買う")

    async def refuse(route: Route) -> None:
        if route.request.method in ("GET", "HEAD"):
            await route.continue_()
        else:
            await route.fulfill(status=409, json={"detail": "今はできません。", "code": "x"})

    await page.route("**/tasks/api/**", refuse)
    await page.get_by_role("link", name="段ボールを買う").focus()
    await page.keyboard.press("Shift+ArrowRight")
    await expect(page.get_by_text("今はできません。")).to_have_count(1)
    await expect(page.get_by_role("region", name="未着手").get_by_role("link", name="段ボールを買う")).to_be_visible()
    await page.keyboard.press("Delete")
    await expect(page.get_by_text("今はできません。")).to_have_count(2)
    await expect(page.get_by_role("link", name="段ボールを買う")).to_be_visible()
    await page.keyboard.press("c")
    await page.keyboard.type("消えない文")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("今はできません。")).to_have_count(3)
    field = page.get_by_label("「未着手」に1行で追加")
    await expect(field).to_have_value("消えない文")
    await expect(page.locator(".task-card")).to_have_count(1)

    async def lose(route: Route) -> None:
        """The server does it, and nobody hears of it."""
        await route.fetch()
        await route.abort()

    await page.unroute("**/tasks/api/**")
    await page.route("**/quick", lose, times=1)
    await field.press("Enter")
    await expect(page.locator(".toast", has_text="接続できません")).to_be_visible()
    await expect(field).to_have_value("消えない文")
    async with page.expect_response("**/quick") as again:
        await field.press("Enter")
    assert (await (await again.value).json())["title"] == "消えない文"
    answer = await site.client.json("GET", board.replace(f"{site.url}/tasks", "/tasks/api") + "/tasks")
    assert sorted(task["title"] for task in answer.json()["items"]) == ["段ボールを買う", "消えない文"], "made once"


async def test_on_a_phone_in_the_dark_and_in_english(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM)
    for name, size, scheme in (("phone", PHONE, "dark"), ("desktop", DESKTOP, "dark")):
        page, board = await _board(
            browser, site, "Buy boxes", "Call the landlord", size=size, color_scheme=scheme, locale="en-GB"
        )
        await page.goto(f"{board}?lang=en")
        await _ready(page)
        await shots(page, f"keyboard-{name}-board")
        await page.get_by_role("button", name="Commands and search").click()
        await page.keyboard.type("late")
        await expect(page.get_by_role("option", name="Go to Late")).to_be_visible()
        await shots(page, f"keyboard-{name}-palette")
        wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide, "nothing sticks out to the right"
    assert browser.problems == []
