"""From sign-in to burndown in Chromium: two people, two windows, one board."""

from __future__ import annotations

import asyncio
import re

from playwright.async_api import Page, Route, expect

from sekkei_systems.tasks.system import SYSTEM
from tests.browser import PHONE, Serve, Shots, Site, Windows, another_page, back_online, drawn, eventually, found_at


async def _sees(page: Page, column: str, title: str) -> None:
    await expect(page.get_by_role("region", name=column).get_by_role("link", name=title)).to_be_visible()


async def _ready(page: Page) -> None:
    """The scripts are there and listen."""
    await page.wait_for_selector('[data-live-state="open"]')


async def _new_team(page: Page, site: Site) -> None:
    await page.goto(site.url + "/tasks/")
    await page.get_by_role("button", name="新しいチーム").first.click()
    await page.get_by_role("dialog").get_by_label("チーム名").fill("引っ越し")
    await page.get_by_role("button", name="チームを作る").click()
    await expect(page.get_by_role("heading", name="引っ越し")).to_be_visible()


async def _new_task(page: Page, title: str) -> None:
    await _ready(page)
    await page.keyboard.press("n")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("タイトル").fill(title)
    async with another_page(page):  # the old one shows it too, live
        await dialog.get_by_role("button", name="追加する").click()
    await _sees(page, "未着手", title)


async def _accept(page: Page, site: Site) -> None:
    """The link out of the mail in the outbox."""
    mail = page.get_by_role("link", name="引っ越し").first
    await found_at(page, site.url + "/console/outbox", mail)
    async with another_page(page):
        await mail.click()
    text = await page.locator("body").inner_text()
    link = next(word for word in text.split() if word.startswith(f"{site.url}/tasks/invitations/"))
    await page.goto(link)
    await page.get_by_role("button", name="チームに参加する").click()
    await expect(page.get_by_role("heading", name="引っ越し")).to_be_visible()


async def test_two_people_work_on_one_board(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM)
    aoi = await browser.window()
    await aoi.goto(site.url + "/")
    async with another_page(aoi):
        await aoi.get_by_role("button", name="佐藤 葵").click()
    await _new_team(aoi, site)
    board = aoi.url
    await _new_task(aoi, "段ボールを買う")
    await _new_task(aoi, "水道の連絡")

    await aoi.goto(board + "/settings")
    await aoi.get_by_label("メールアドレス").fill("ren@demo.example")
    await aoi.get_by_role("button", name="招待メールを送る").click()
    await expect(aoi.get_by_text("ren@demo.example に招待メールを送ります。")).to_be_visible()

    ren = await browser.person(site, "demo-ren", PHONE)
    await _accept(ren, site)
    await aoi.goto(board)
    for page in (aoi, ren):
        await _ready(page)

    # By drag, and seen at once in the other window.
    card = aoi.locator(".task-card", has_text="段ボールを買う")
    await card.drag_to(aoi.get_by_role("region", name="進行中"))
    await _sees(aoi, "進行中", "段ボールを買う")
    await _sees(ren, "進行中", "段ボールを買う")
    # By keys.
    await aoi.get_by_role("link", name="水道の連絡").focus()
    await aoi.keyboard.press("Shift+ArrowRight")
    await _sees(aoi, "進行中", "水道の連絡")
    await aoi.keyboard.press("Shift+ArrowRight")
    await _sees(aoi, "完了", "水道の連絡")
    await _sees(ren, "完了", "水道の連絡")
    await expect(aoi.get_by_role("link", name="水道の連絡")).to_be_focused()
    # By the menu, with a finger, on the phone.
    menu = ren.locator(".task-card", has_text="段ボールを買う")
    await menu.get_by_label("「段ボールを買う」を移動").click()
    await menu.get_by_role("button", name="「未着手」へ移動").click()
    await _sees(aoi, "未着手", "段ボールを買う")
    for page in (aoi, ren):
        await expect(page.get_by_role("region", name="完了").locator("[data-total]")).to_have_text("1")
    await shots(aoi, "tasks-board")
    await shots(ren, "tasks-board-phone")
    assert browser.problems == []


async def test_filter_late_task_and_burndown(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    page = await browser.person(site, "demo-aoi")
    await page.goto(site.url + "/tasks/")
    async with another_page(page):
        await page.get_by_role("link", name="タスク管理アプリ開発チーム").last.click()
    board = page.url
    await page.get_by_role("search").get_by_label("急ぎ").check()
    await expect(page).to_have_url(re.compile("tag="))
    await expect(page.locator(".task-card")).to_have_count(3)
    async with another_page(page):
        await page.get_by_role("link", name="条件をクリア").click()
    assert page.url == board + "?"
    await _ready(page)
    await page.keyboard.press("/")
    await page.keyboard.type("csv")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("q=csv"))
    await expect(page.locator(".task-card")).to_have_count(1)
    await page.get_by_role("link", name="遅れ", exact=True).click()
    await expect(page.get_by_text("2日超過")).to_be_visible()
    await shots(page, "tasks-late")

    await page.goto(board)
    async with another_page(page):
        await page.get_by_role("link", name="ボードのキーボード操作").click()
    mei = await browser.person(site, "demo-mei")
    await mei.goto(page.url)
    for window in (page, mei):
        await _ready(window)
    await mei.get_by_label("コメントを書く").fill("見ました")
    await mei.get_by_role("button", name="コメントする").click()
    await expect(page.get_by_text("見ました")).to_be_visible()
    await mei.get_by_label("タイトル").fill("ボードのキー操作")
    await mei.get_by_role("button", name="保存").click()
    await expect(page.get_by_text("ほかの人がこのタスクを変更しました。")).to_be_visible()
    await shots(page, "tasks-task")

    await page.goto(board + "/burndown")
    await expect(page.get_by_role("figure").first).to_be_visible()
    await shots(page, "tasks-burndown")
    assert browser.problems == []


async def _order(page: Page) -> list[str]:
    return await page.locator('[data-status="todo"] .task-link').all_inner_texts()


async def test_a_column_is_arranged_by_hand(browser: Windows, serve: Serve, shots: Shots) -> None:
    """With the mouse and with keys; it stays so, and the other window sees it."""
    site = await serve(SYSTEM)
    aoi = await browser.person(site, "demo-aoi")
    await _new_team(aoi, site)
    for title in ("一番", "二番", "三番"):
        await _new_task(aoi, title)
    board = aoi.url
    async with another_page(aoi):
        await aoi.get_by_label("並び順").select_option("hand")
    await expect(aoi).to_have_url(re.compile("order=hand"))
    await _ready(aoi)
    other = await browser.person(site, "demo-aoi")
    await other.goto(aoi.url)
    await _ready(other)
    assert await _order(aoi) == ["一番", "二番", "三番"]

    card = aoi.locator(".task-card", has_text="三番")
    await card.drag_to(aoi.locator(".task-card", has_text="一番"), target_position={"x": 60, "y": 4})
    await expect(aoi.locator('[data-status="todo"] .task-link').first).to_have_text("三番")
    await expect(other.locator('[data-status="todo"] .task-link').first).to_have_text("三番")

    await aoi.get_by_role("link", name="三番").focus()
    await aoi.keyboard.press("Shift+ArrowDown")
    await expect(aoi.locator('[data-status="todo"] .task-link').nth(1)).to_have_text("三番")
    await expect(aoi.get_by_role("link", name="三番")).to_be_focused()
    await expect(other.locator('[data-status="todo"] .task-link').nth(1)).to_have_text("三番")
    await aoi.goto(board + ("&" if "?" in board else "?") + "order=hand")
    assert await _order(aoi) == ["一番", "三番", "二番"]
    await shots(aoi, "by-hand")
    assert browser.problems == []


async def test_whoever_is_called_finds_it_among_their_notes(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    mei = await browser.person(site, "demo-mei", PHONE)
    await mei.goto(site.url + "/tasks/")
    async with another_page(mei):
        await mei.locator(".team-card").first.click()
    async with another_page(mei):
        await mei.get_by_role("link", name="アクセシビリティの点検").click()
    await mei.get_by_role("button", name="@鈴木 蓮").click()
    await mei.keyboard.type("これをお願いします")
    await mei.get_by_role("button", name="コメントする").click()
    await expect(mei.get_by_text("これをお願いします")).to_be_visible()
    await mei.get_by_label("優先度").select_option("high")
    await mei.get_by_role("button", name="保存").click()
    await site.client.work()
    await mei.get_by_text("変更の履歴").click()
    await expect(mei.get_by_text("優先度: 低 → 高")).to_be_visible()
    ren = await browser.person(site, "demo-ren")
    await ren.goto(site.url + "/tasks/notes")
    await expect(ren.get_by_role("link", name="高橋 芽衣 さんが").first).to_be_visible()
    await shots(ren, "notes")
    await ren.get_by_role("button", name="すべて既読にする").click()
    await expect(ren.get_by_text("未読")).to_have_count(0)
    assert browser.problems == []


async def test_what_is_typed_is_never_lost(browser: Windows, serve: Serve) -> None:
    """Neither by one's own comment, nor by a reload, nor offline; and a colleague's edit lands beside it."""
    site = await serve(SYSTEM, demo=True)
    aoi = await browser.person(site, "demo-aoi")
    await aoi.goto(site.url + "/tasks/")
    await aoi.get_by_role("link", name="タスク管理アプリ開発チーム").last.click()
    await aoi.get_by_role("link", name="ダークモード").click()
    await _ready(aoi)
    await aoi.get_by_label("説明").fill("書きかけの説明")
    await aoi.get_by_label("コメントを書く").fill("先に一言")
    await aoi.get_by_role("button", name="コメントする").click()
    await expect(aoi.locator("[data-comments-list]")).to_contain_text("先に一言")
    await expect(aoi.get_by_label("説明")).to_have_value("書きかけの説明")
    await aoi.reload()
    await expect(aoi.get_by_text("保存していない入力を復元しました。")).to_be_visible()
    await expect(aoi.get_by_label("説明")).to_have_value("書きかけの説明")
    await _ready(aoi)

    mei = await browser.person(site, "demo-mei")
    await mei.goto(aoi.url)
    await mei.get_by_label("タイトル").fill("ダークテーマ")
    await mei.get_by_role("button", name="保存").click()
    await expect(aoi.get_by_text("ほかの人がこのタスクを変更しました。")).to_be_visible()
    await aoi.context.set_offline(True)
    await aoi.get_by_role("button", name="保存").click()
    await expect(aoi.get_by_text("オフラインです。入力はこの端末に残っています。").first).to_be_visible()
    await expect(aoi.get_by_label("説明")).to_have_value("書きかけの説明")
    await back_online(aoi)
    await aoi.get_by_role("button", name="保存").click()
    await expect(aoi.get_by_text("保存しました。")).to_be_visible()
    await expect(aoi.get_by_label("説明")).to_have_value("書きかけの説明")
    await expect(aoi.get_by_label("タイトル")).to_have_value("ダークテーマ")
    await expect(aoi.get_by_text("保存していない入力を復元しました。")).to_be_hidden()


async def test_nothing_slips_away_from_under_a_click(browser: Windows, serve: Serve) -> None:
    """What others do arrives while a button is held down: the click counts, and what arrived is shown after it."""
    site = await serve(SYSTEM, demo=True)
    aoi = await browser.person(site, "demo-aoi")
    asked = asyncio.Event()

    async def late(route: Route) -> None:
        await asked.wait()
        await route.continue_()

    await aoi.route("**/views", late)
    await aoi.goto(site.url + "/tasks/")
    await aoi.get_by_role("link", name="タスク管理アプリ開発チーム").last.click()
    await aoi.get_by_role("link", name="ダークモード").hover()
    await aoi.mouse.down()
    async with aoi.expect_response(re.compile("/views$")):
        asked.set()
    await drawn(aoi)
    async with another_page(aoi):
        await aoi.mouse.up()
    await _ready(aoi)
    mei = await browser.person(site, "demo-mei")
    await mei.goto(aoi.url)
    await _ready(mei)

    await aoi.get_by_label("コメントを書く").fill("押しています")
    async with aoi.expect_response(re.compile("/comments$")):
        await aoi.get_by_role("button", name="コメントする").hover()
        await aoi.mouse.down()
        await mei.get_by_label("コメントを書く").fill("同時に\n\n三行\n\n長い")
        await mei.get_by_role("button", name="コメントする").click()
    await drawn(aoi)
    await aoi.mouse.up()
    for page in (aoi, mei):
        await expect(page.locator("[data-comments-list]")).to_contain_text("同時に")
        await expect(page.locator("[data-comments-list]")).to_contain_text("押しています")

    heard = """form => new Promise((heard) => (self.heard = new Promise((told) =>
        (form.addEventListener("live:task", told), heard()))))"""
    await aoi.locator("[data-task-form]").evaluate(heard)
    await aoi.get_by_label("説明").fill("押したまま")
    await aoi.get_by_role("button", name="保存", exact=True).hover()
    await aoi.mouse.down()
    await mei.get_by_label("タイトル").fill("ダークテーマ")
    await mei.get_by_role("button", name="保存", exact=True).click()
    await aoi.evaluate("self.heard.then(() => true)")
    async with another_page(aoi):
        await aoi.mouse.up()
    await expect(aoi.get_by_label("説明")).to_have_value("押したまま")
    await expect(aoi.get_by_label("タイトル")).to_have_value("ダークテーマ")


async def test_keys_undo_and_the_live_list(browser: Windows, serve: Serve) -> None:
    site = await serve(SYSTEM)
    aoi = await browser.person(site, "demo-aoi")
    await _new_team(aoi, site)
    await _ready(aoi)
    await aoi.keyboard.press("n")
    await expect(aoi.get_by_role("dialog").get_by_label("タイトル")).to_be_focused()
    await aoi.keyboard.type("鍵盤だけで")
    async with another_page(aoi):  # the old one shows it too, live
        await aoi.keyboard.press("Enter")
    await _sees(aoi, "未着手", "鍵盤だけで")
    await _ready(aoi)
    other = await browser.person(site, "demo-aoi")
    await other.goto(aoi.url.partition("?")[0] + "/tasks?status=done")
    await _ready(other)

    await aoi.get_by_role("link", name="鍵盤だけで").focus()
    for column in ("進行中", "完了"):
        await aoi.keyboard.press("Shift+ArrowRight")
        await _sees(aoi, column, "鍵盤だけで")
    await expect(other.get_by_role("link", name="鍵盤だけで")).to_be_visible()
    await aoi.locator(".toast", has_text="「完了」").get_by_role("button", name="元に戻す").click()
    await _sees(aoi, "進行中", "鍵盤だけで")
    await expect(other.get_by_role("link", name="鍵盤だけで")).to_be_hidden()
    assert browser.problems == []


async def test_eight_boards_of_one_browser_are_all_live(browser: Windows, serve: Serve) -> None:
    site = await serve(SYSTEM)
    first = await browser.person(site, "demo-aoi")
    await _new_team(first, site)
    boards = [first, *[await first.context.new_page() for _ in range(7)]]
    for board in boards[1:]:
        await board.goto(first.url)
    for board in boards:
        await _ready(board)
    await _new_task(first, "段ボールを買う")
    for board in boards:
        await _sees(board, "未着手", "段ボールを買う")
    await eventually(lambda: site.client.shell.connections.open["demo-aoi"] == 1)
    assert browser.problems == []


async def _on_the_board(browser: Windows, serve: Serve) -> tuple[Site, Page]:
    site = await serve(SYSTEM, demo=True)
    page = await browser.person(site, "demo-aoi")
    await page.goto(site.url + "/tasks/")
    async with another_page(page):
        await page.get_by_role("link", name="タスク管理アプリ開発チーム").last.click()
    await _ready(page)
    return site, page


async def test_an_answer_that_was_overtaken_puts_no_card_back(browser: Windows, serve: Serve) -> None:
    """Two moves by somebody else: what the board asked after the first arrives after what it asked after the second."""
    site, page = await _on_the_board(browser, serve)
    asked, overtaken = asyncio.Event(), asyncio.Event()

    async def late(route: Route) -> None:
        answer, first = await route.fetch(), not asked.is_set()
        asked.set()
        if first:
            await overtaken.wait()
        await route.fulfill(response=answer)
        if not first:
            overtaken.set()

    await page.route("**/cards/**", late)
    ren, team = site.client.another(), page.url.rpartition("/")[2]
    await ren.sign_in("demo-ren")
    card = page.locator('.task-card[data-status="todo"]').first
    task, title = await card.get_attribute("data-task"), await card.locator(".task-link").inner_text()
    for status in ("doing", "done"):
        await ren.json("PATCH", f"/tasks/api/teams/{team}/tasks/{task}", {"status": status})
        await asked.wait()
    await overtaken.wait()
    async with page.expect_response("**/live/nothing"):  # a round trip after it
        await page.evaluate("fetch('/live/nothing')")
    await expect(page.get_by_role("region", name="進行中").get_by_role("link", name=title)).to_have_count(0)
    await _sees(page, "完了", title)


async def test_what_could_not_be_asked_for_is_asked_for_again(browser: Windows, serve: Serve) -> None:
    """The event arrives, and the connection is gone for the moment in which the board asks for the card."""
    site, page = await _on_the_board(browser, serve)
    lost = asyncio.Event()

    async def once(route: Route) -> None:
        first = not lost.is_set()
        lost.set()
        await (route.abort() if first else route.continue_())

    await page.route("**/cards/**", once)
    ren, team = site.client.another(), page.url.rpartition("/")[2]
    await ren.sign_in("demo-ren")
    card = page.locator('.task-card[data-status="todo"]').first
    task, title = await card.get_attribute("data-task"), await card.locator(".task-link").inner_text()
    await ren.json("PATCH", f"/tasks/api/teams/{team}/tasks/{task}", {"status": "done"})
    await lost.wait()
    await _sees(page, "完了", title)


async def test_later_cards_follow_and_are_kept_up_to_date(browser: Windows, serve: Serve) -> None:
    """A board opens with a screenful; the rest comes as somebody nears it, and hears of a tag's new name."""
    site = await serve(SYSTEM)
    aoi = await browser.person(site, "demo-aoi")
    await _new_team(aoi, site)
    client, api = site.client.another(), "/tasks/api/teams/" + aoi.url.partition("?")[0].rpartition("/")[2]
    await client.sign_in("demo-aoi")
    tag = (await client.json("POST", f"{api}/tags", {"name": "前", "color": "#2563eb"})).json()
    for at in range(20):
        task = {"title": f"仕事{at:02}", "start": f"2031-01-{at + 1:02}", "tags": [tag["id"]]}
        assert (await client.json("POST", f"{api}/tasks", task)).status == 201
    await aoi.reload()
    await _ready(aoi)
    column = aoi.get_by_role("region", name="未着手")
    await column.get_by_role("link", name="仕事11").scroll_into_view_if_needed()
    await expect(column.locator(".task-card")).to_have_count(20)
    await client.json("PUT", f"{api}/tags/{tag['id']}", {"name": "後", "color": "#2563eb"})
    await expect(column.locator(".task-card .tag", has_text="後")).to_have_count(20)
    assert browser.problems == []
