"""ちいポチ as people see it, in Chromium: from a word in the chat to a stamp and a dashboard that moves."""

from __future__ import annotations

from typing import Literal

import pytest

from sekkei_systems.chiipochi.system import SYSTEM
from tests.browser import DESKTOP, PHONE, Serve, Shots, Windows, found_at, overtaken

ASK = """document.getElementById("chat").dispatchEvent(new Event("live:message"))"""


async def test_from_the_chat_to_the_stamp_while_the_dashboard_moves(
    browser: Windows, serve: Serve, shots: Shots
) -> None:
    site = await serve(SYSTEM)
    board = await browser.window()
    await board.goto(site.url + "/chiipochi/")
    await board.wait_for_selector('[data-live-state="open"]')
    await shots(board, "dashboard-empty")
    page = await browser.person(site, "demo-aoi", PHONE)
    await page.goto(site.url + "/chiipochi/chat")
    await page.wait_for_selector('#chat[data-live-state="open"]')
    await shots(page, "chat-empty", whole=False)
    await page.get_by_role("button", name="友だちになる").click()
    await page.get_by_text("はじめまして").wait_for()
    async with overtaken(page, "**/chiipochi/chat/messages", ASK):
        await page.get_by_placeholder("メッセージを入力").fill("ﾋﾟｰﾅｯﾂ")
        await page.keyboard.press("Enter")
        await page.get_by_text("千葉県に100円を寄付しますか？").wait_for()
    await page.get_by_role("button", name="500円にする").click()
    await page.get_by_text("千葉県に500円を寄付しますか？").wait_for()
    await shots(page, "chat-card", whole=False)
    await page.get_by_role("button", name="はい、寄付する").last.click()
    await page.get_by_role("link", name="支払いへ進む").click()
    await page.get_by_text("テスト決済", exact=False).first.wait_for()
    await shots(page, "pay", whole=False)
    await page.get_by_role("button", name="支払う ¥500").click()
    await page.get_by_role("heading", name="ありがとうございます！").wait_for()
    await shots(page, "done", whole=False)
    await board.get_by_text("¥500").first.wait_for()
    await shots(board, "dashboard-moved")
    await page.get_by_role("link", name="トークに戻る").click()
    await page.get_by_text("千葉県 ×1").wait_for()
    await shots(page, "chat-stamp", whole=False)
    await page.get_by_role("link", name="わたしの寄付").click()
    await page.get_by_role("heading", name="スタンプカード").wait_for()
    await page.get_by_role("link", name="領収書").click()
    await page.get_by_role("heading", name="寄付金受領書").wait_for()
    await shots(page, "receipt")
    assert browser.problems == []


async def test_the_chat_speaks_english_and_its_menu_too(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM)
    page = await browser.person(site, "demo-aoi", PHONE)
    await page.goto(site.url + "/chiipochi/chat?lang=en")
    await page.wait_for_selector('#chat[data-live-state="open"]')
    await page.get_by_placeholder("Write a message").fill("English")
    await page.keyboard.press("Enter")
    await page.get_by_text("I will speak English from now on").wait_for()
    await page.wait_for_selector('.rich-menu img[src$="menu-en.png"]', state="attached")
    await page.locator(".chat-menu summary").click()
    picture = page.locator(".rich-menu img")
    assert await picture.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") == 2_500
    await shots(page, "chat-menu", whole=False)
    await page.locator(".rich-menu").get_by_role("button", name="Donate").click()
    for choice in ("Kanto", "Chiba", "peanut"):
        await page.get_by_role("button", name=choice, exact=True).click()
    await page.get_by_text("Donate ¥100 to Chiba?").wait_for()
    await page.get_by_role("button", name="Yes, donate").click()
    await page.get_by_role("link", name="Go to payment").wait_for()
    await shots(page, "chat-english", whole=False)
    assert browser.problems == []


async def test_the_operator_gives_money_back(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    page = await browser.person(site, "demo-aoi", DESKTOP)
    await page.goto(site.url + "/chiipochi/operator")
    page.on("dialog", lambda dialog: dialog.accept())
    await page.get_by_role("button", name="返金する").first.click()
    await page.get_by_text("返金を決済会社に依頼しました").wait_for()
    # The provider is asked behind the page.
    await found_at(page, site.url + "/chiipochi/operator", page.get_by_text("返金が必要な入金はありません。"))
    await shots(page, "operator-refunded")
    assert browser.problems == []


@pytest.mark.parametrize(
    ("language", "kept", "title"), [("ja", "保存しました。", "文言と金額"), ("en", "Saved.", "Words and amounts")]
)
async def test_an_operator_changes_words_and_sums(
    browser: Windows, serve: Serve, shots: Shots, language: str, kept: str, title: str
) -> None:
    site = await serve(SYSTEM, demo=True)
    page = await browser.person(site, "demo-aoi", PHONE)
    await page.goto(f"{site.url}/chiipochi/operator?lang={language}")
    await page.get_by_role("link", name=title).click()
    await page.locator('input[name="amounts"]').fill("200, 1000")
    await page.locator("main form").first.get_by_role("button").click()
    await page.get_by_text(kept, exact=True).wait_for()
    await page.locator("main summary").first.click()
    await page.locator('textarea[name="ja"]').first.fill("ようこそ！")
    await page.locator("main details[open] form").get_by_role("button").click()
    await page.get_by_text("ja:  → ようこそ！").wait_for()
    await shots(page, f"texts-{language}")
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await page.goto(f"{site.url}/chiipochi/operator/appeals")
    await page.locator("main summary").last.click()
    await shots(page, f"appeals-{language}")
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert browser.problems == []


@pytest.mark.parametrize(("theme", "size"), [("light", DESKTOP), ("dark", DESKTOP), ("light", PHONE), ("dark", PHONE)])
async def test_pages_fit_the_window(
    browser: Windows, serve: Serve, shots: Shots, theme: Literal["light", "dark"], size: dict[str, int]
) -> None:
    site = await serve(SYSTEM, demo=True)
    page = await browser.person(site, "demo-aoi", size, color_scheme=theme)
    for path in ("", "chat", "me", "operator"):
        await page.goto(f"{site.url}/chiipochi/{path}")
        await shots(page, f"{path or 'dashboard'}-{theme}-{size['width']}", whole=path != "chat")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert browser.problems == []
