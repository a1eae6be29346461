"""The shell as people see it, in Chromium."""

from __future__ import annotations

import asyncio
from typing import Literal

import pytest
from playwright.async_api import expect

from tests.browser import DESKTOP, PHONE, Serve, Shots, Windows, another_page, drawn
from tests.web.example import SYSTEM


async def test_sign_in_write_and_see_it_live_in_a_second_window(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    first = await browser.window()
    await first.goto(site.url)
    await shots(first, "home")
    async with another_page(first):
        await first.get_by_role("button", name="佐藤 葵").click()
    await first.goto(site.url + "/example/")
    second = await browser.person(site, "demo-aoi", PHONE)
    await second.goto(site.url + "/example/")
    await second.evaluate(
        """document.querySelector("#notes").addEventListener("live:note", (event) => {
            const item = document.createElement("li");
            item.textContent = event.detail.text;
            event.target.append(item);
        })"""
    )
    await second.wait_for_selector('[data-live-state="open"]')
    await first.get_by_label("内容").fill("卵も")
    await first.get_by_role("button", name="保存").click()
    await first.get_by_text("書きました。").wait_for()
    await second.get_by_text("卵も").wait_for()
    await shots(first, "notes")
    await shots(second, "notes-phone")
    assert browser.problems == []


async def test_language_and_theme_stay_chosen(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM)
    page = await browser.window()
    await page.goto(site.url + "/sign-in")
    await page.get_by_role("link", name="English").click()
    await page.get_by_role("heading", name="Sign in", exact=True).wait_for()
    assert await page.evaluate("document.documentElement.lang") == "en"
    await shots(page, "sign-in-light")
    light = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    await page.get_by_role("button", name="Switch between light and dark").click()
    await page.reload()
    assert await page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    await shots(page, "sign-in-dark")
    assert browser.problems == []


async def test_the_console_shows_what_is_there(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    mail = {"subject": "招待", "text": "こちら: http://127.0.0.1/x", "html": "<h1>招待</h1><script>alert(1)</script>"}
    await site.client.shell.outbox.put("mail", "mei@demo.example", mail, id="t1")
    page = await browser.window()
    await page.goto(site.url + "/console")
    await shots(page, "outbox")
    await page.get_by_role("link", name="招待").click()
    await page.frame_locator("iframe").get_by_role("heading", name="招待").wait_for()
    await shots(page, "message")
    await page.goto(site.url + "/console/tables")
    await shots(page, "tables")
    await page.get_by_role("link", name="example-notes").click()
    await page.get_by_text("OWNER#demo-aoi", exact=True).wait_for()
    await shots(page, "items")
    blocked = [said for said in browser.problems if "Blocked script execution" not in said]
    assert blocked == []


@pytest.mark.parametrize(("theme", "size"), [("light", DESKTOP), ("dark", DESKTOP), ("light", PHONE), ("dark", PHONE)])
async def test_components_fit_the_window(
    browser: Windows, serve: Serve, shots: Shots, theme: Literal["light", "dark"], size: dict[str, int]
) -> None:
    site = await serve(SYSTEM)
    page = await browser.person(site, "demo-aoi", size, color_scheme=theme)
    await page.goto(site.url + "/example/gallery")
    await shots(page, f"gallery-{theme}-{size['width']}")
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await page.get_by_role("button", name="タスクを追加").click()
    await page.get_by_role("dialog").wait_for()
    await shots(page, f"dialog-{theme}-{size['width']}", whole=False)
    await page.keyboard.press("Escape")
    await expect(page.locator("dialog[open]")).to_have_count(0)
    assert browser.problems == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_no_page_of_the_shell_is_wider_than_the_window(
    browser: Windows, serve: Serve, shots: Shots, size: dict[str, int]
) -> None:
    site = await serve(SYSTEM, demo=True)
    await site.client.shell.outbox.put("mail", "mei@demo.example", {"subject": "招待" * 60, "text": "x" * 300}, id="t1")
    page = await browser.person(site, "demo-aoi", size)
    aoi = await site.client.shell.accounts.get("demo-aoi")
    assert aoi is not None
    await site.client.shell.accounts.begin_session(aoi, await page.evaluate("navigator.userAgent"))
    for path in (
        "/",
        "/account",
        "/example/docs",
        "/console/outbox",
        "/console/outbox/message?id=web/t1",
        "/console/tables",
        "/console/tables/sekkei-runtime",
        "/console/schedules",
        "/console/jobs",
        "/console/aside",
    ):
        await page.goto(site.url + path)
        await shots(page, f"{path.strip('/').replace('/', '-').partition('?')[0] or 'home'}-{size['width']}")
        wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{path} is {wide} pixels too wide"
    assert browser.problems == []


async def test_a_page_that_is_given_no_frame_holds_no_test_up(browser: Windows) -> None:
    page = await browser.window()
    await page.add_init_script("self.requestAnimationFrame = () => 0")
    await page.goto("about:blank")
    async with asyncio.timeout(20):
        await drawn(page)
