"""The plan of a task in Chromium: ticks, what comes first, Markdown, and the marks on the board."""

from __future__ import annotations

import asyncio

from playwright.async_api import Page, Route, expect

from sekkei_systems.tasks.system import SYSTEM
from tests.browser import Serve, Shots, Windows, another_page
from tests.systems.tasks.test_keyboard import _board, _ready


async def _an_older_answer_comes_last(page: Page, other: Page) -> None:
    """What was asked for before a tick arrives after it: the tick stays, and so does what is being written."""
    asked, held = asyncio.Event(), asyncio.Event()

    async def late(route: Route) -> None:
        answer = await route.fetch()
        asked.set()
        await held.wait()
        await route.fulfill(response=answer)

    address = await page.locator("[data-plan]").get_attribute("data-plan")
    await page.route(f"**{address}", late, times=1)
    await other.get_by_role("checkbox", name="番号を調べる").click()
    await asked.wait()
    await expect(other.get_by_role("checkbox", name="番号を調べる")).not_to_be_checked()
    await other.get_by_role("checkbox", name="番号を調べる").click()
    for window in (page, other):
        await expect(window.get_by_role("checkbox", name="番号を調べる")).to_be_checked()
    await page.get_by_label("項目を追加").fill("まだ書いている")
    async with page.expect_response(lambda response: response.url.endswith(address or "?")):
        held.set()
    await page.evaluate("new Promise((done) => setTimeout(done))")
    await expect(page.get_by_role("checkbox", name="番号を調べる")).to_be_checked()
    await expect(page.get_by_label("項目を追加")).to_have_value("まだ書いている")
    await page.get_by_label("項目を追加").fill("")


async def test_a_plan_is_worked_on_without_leaving_the_page(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM)
    page, board = await _board(browser, site, "段ボールを買う", "水道の連絡")
    async with another_page(page):
        await page.get_by_role("link", name="水道の連絡").click()
    await _ready(page)
    other = await browser.person(site, "demo-aoi")
    await other.goto(page.url)
    await _ready(other)
    await page.get_by_label("説明").fill("## 手順\n- **電話**する MH-1")
    async with another_page(page):
        await page.get_by_role("button", name="保存").first.click()
    await expect(page.get_by_role("heading", name="手順")).to_be_visible()
    await _ready(page)
    for text in ("番号を調べる", "電話する"):
        await page.get_by_label("項目を追加").fill(text)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("checkbox", name=text)).to_be_visible()
        await expect(other.get_by_role("checkbox", name=text)).to_be_visible()
    await page.get_by_role("checkbox", name="番号を調べる").click()
    for window in (page, other):
        await expect(window.get_by_role("checkbox", name="番号を調べる")).to_be_checked()
    await _an_older_answer_comes_last(page, other)
    first = page.get_by_label("先に終えるタスクの番号")
    await first.fill("MH-1")
    await page.keyboard.press("Enter")
    await expect(page.locator("[data-plan]").get_by_role("link", name="MH-1 段ボールを買う")).to_be_visible()
    await first.fill("MH-2")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("互いに先になる")).to_be_visible()
    await shots(page, "plan")
    await page.goto(board)
    await expect(page.get_by_text("☑ 1/2 · 1件待ち")).to_be_visible()
    assert browser.problems == []
