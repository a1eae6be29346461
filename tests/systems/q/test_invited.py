"""From a link that somebody sent to following each other: a stranger signs up, joins, and finds who invited them."""

from __future__ import annotations

import re

from playwright.async_api import expect

from sekkei.runtime.design import newest_messages
from sekkei_systems.q.system import SYSTEM
from tests.browser import PHONE, Serve, Shots, Site, Windows, another_page
from tests.systems.q.test_browser import phone, tab

HOST = "demo-aoi"
ADDRESS = "hikari@example.com"


async def test_a_stranger_takes_an_invitation(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    aoi = await phone(browser, site, HOST)
    await tab(aoi, "ともだち")
    await aoi.get_by_role("button", name="招待リンク", exact=True).click()
    link = await aoi.get_by_role("dialog").get_by_role("textbox").input_value()

    page = await browser.window(PHONE)
    await page.goto(link)
    await expect(page.get_by_role("heading", name="佐藤 葵さんがQ.に招待しています")).to_be_visible()
    await shots(page, "q-invited")
    async with another_page(page):
        await page.get_by_role("link", name="はじめる").click()
    async with another_page(page):
        await page.get_by_role("link", name="アカウントを作る").click()
    await page.get_by_label("名前").fill("野中 光")
    await page.get_by_label("メールアドレス").fill(ADDRESS)
    async with another_page(page):
        await page.get_by_role("button", name="アカウントを作る").click()
    await page.get_by_label("確認コード").fill(await _mailed_code(site))
    async with another_page(page):
        await page.locator("form.card button[type=submit]").click()
    await page.get_by_label("生年月日").fill("2000-04-01")
    await page.get_by_role("button", name="つぎへ").click()
    await page.get_by_label("ID", exact=True).fill("hikari_n")
    await page.get_by_role("button", name="この ID にする").click()
    await expect(page.get_by_role("heading", name="佐藤 葵さんからの招待")).to_be_visible()
    await shots(page, "q-invitation")
    await page.get_by_role("button", name="お互いにフォロー").click()
    await expect(page.get_by_role("heading", name="佐藤 葵", exact=True)).to_be_visible()
    await expect(page.get_by_role("button", name="相互: 佐藤 葵")).to_be_visible()
    await shots(page, "q-invitation-taken")
    assert [one for one in browser.problems if "403" not in one] == []  # before they have joined


async def _mailed_code(site: Site) -> str:
    messages = await site.client.shell.deployment.runtime.all(newest_messages())
    (mail,) = [one for one in messages if one.to == ADDRESS]
    found = re.search(r"\d{6}", mail.body["text"])
    assert found is not None
    return found[0]
