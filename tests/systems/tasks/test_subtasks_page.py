"""Subtasks in Chromium: added without leaving the page, ticked, and seen on the cards of another window."""

from __future__ import annotations

from playwright.async_api import expect

from sekkei_systems.tasks.system import SYSTEM
from tests.browser import Serve, Shots, Windows, another_page
from tests.systems.tasks.test_keyboard import _board, _ready


async def test_subtasks_on_the_page_and_on_cards(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM)
    page, board = await _board(browser, site, "引っ越し")
    other = await browser.person(site, "demo-aoi")
    await other.goto(board)
    await _ready(other)
    async with another_page(page):
        await page.get_by_role("link", name="引っ越し").click()
    await _ready(page)
    for text in ("箱を買う 明日まで", "電話する"):
        await page.get_by_label("サブタスクを追加").fill(text)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("checkbox", name=text.split()[0])).to_be_visible()
    await expect(other.get_by_text("サブタスク 0/2")).to_be_visible()
    await page.get_by_role("checkbox", name="箱を買う").click()
    await expect(page.get_by_role("checkbox", name="箱を買う")).to_be_checked()
    await expect(other.get_by_text("サブタスク 1/2")).to_be_visible()
    await expect(other.get_by_role("link", name="親タスク MH-1").first).to_be_visible()
    await shots(page, "subtasks")
    await shots(other, "subtasks-board")
    await page.get_by_role("checkbox", name="電話する").click()
    async with another_page(page):
        await page.get_by_role("button", name="このタスクも完了にする").click()
    await expect(page.locator(".status-done").first).to_be_visible()
    assert browser.problems == []
