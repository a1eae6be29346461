"""The plan of a task in Chromium: ticks, what comes first, Markdown, and the marks on the board."""

from __future__ import annotations

from playwright.async_api import expect

from sekkei_systems.tasks import SYSTEM
from tests.browser import Serve, Shots, Windows, another_page
from tests.systems.tasks.test_keyboard import _board, _ready


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
