"""What somebody does with their account, as they see it: a key for a lost phone, taking everything along, leaving."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from playwright.async_api import expect

from sekkei.runtime import totp
from sekkei.web.identity.design import Account, accounts
from tests.browser import Serve, Shots, Windows, another_page
from tests.web.example import SYSTEM

AOI = "demo-aoi"
LANGUAGES = ("ja", "en")


async def test_recovery_codes_stand_in_for_a_lost_app(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM)
    page = await browser.person(site, AOI)
    await page.goto(site.url + "/account/authenticator")
    key = await site.client.shell.authenticators.offered(AOI)
    await page.get_by_label("認証アプリの6桁のコード").fill(totp.code(key, totp.step_at(site.client.shell.clock.now())))
    async with another_page(page):
        await page.get_by_role("button", name="確認する").click()
    await expect(page.get_by_role("heading", name="リカバリーコード", exact=True)).to_be_visible()
    await shots(page, "recovery-codes")
    codes = (await page.locator("#recovery-codes").inner_text()).split()
    assert len(codes) == 10
    async with another_page(page):
        await page.get_by_role("link", name="保管しました").click()
    await expect(page.get_by_text("残り10個")).to_be_visible()
    await page.goto(site.url + "/prove?next=/account")
    await page.get_by_label("認証アプリの6桁のコード").fill(codes[7])
    await shots(page, "recovery-prove")
    async with another_page(page):
        await page.get_by_role("button", name="確認する").click()
    await expect(page.get_by_text("残り9個", exact=True)).to_be_visible()
    await shots(page, "recovery-account")
    assert browser.problems == []


@pytest.mark.parametrize("language", LANGUAGES)
async def test_take_everything_along_and_leave(language: str, browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    shell = site.client.shell
    say = {
        "ja": ("すべて書き出す", "アカウントを削除", "アカウントの削除", "元に戻せない", "アカウントを削除しました"),
        "en": ("Export everything", "Delete my account", "Delete your account", "I understand", "Your account was del"),
    }[language]
    export, leave, title, sure, done = say
    await shell.db.write(accounts.update(AOI).set(Account.language, language))
    page = await browser.person(site, AOI)
    await page.goto(site.url + f"/account?lang={language}")
    async with page.expect_download() as coming:
        await page.get_by_role("link", name=export).click()
    saved = Path(await (await coming.value).path())
    with zipfile.ZipFile(io.BytesIO(saved.read_bytes())) as archive:
        assert {"account.json", "messages.json"} <= set(archive.namelist())
    async with another_page(page):
        await page.get_by_role("link", name=leave).click()
    await expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    await shots(page, f"leave-{language}")
    await page.get_by_label(sure).check()
    async with another_page(page):
        await page.get_by_role("button", name=leave).click()
    await expect(page.get_by_text(done)).to_be_visible()
    assert await shell.accounts.get(AOI) is None
    await page.goto(site.url + "/account")
    await expect(page).to_have_url(site.url + "/sign-in?next=%2Faccount")
    assert browser.problems == []
