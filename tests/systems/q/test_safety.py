"""Moderation seen from both sides, at phone width: the desk, and somebody who is locked out and objects."""

from __future__ import annotations

from playwright.async_api import Page, expect

from sekkei.runtime import days
from sekkei_systems.q.system import SYSTEM
from tests.browser import PHONE, Serve, Shots, Site, Windows
from tests.systems.q.named import ByName
from tests.systems.q.test_browser import phone


async def _ban(site: Site, who: str, reason: str) -> None:
    opened = site.client.shell.deployment.systems["q"]
    sanctions = ByName(opened.parts.service).sanctions
    await sanctions.ban("demo-aoi", who, reason, proved_at=days.now(opened.context.clock))


async def _english(page: Page, site: Site, path: str) -> None:
    await page.goto(f"{site.url}{path}{'&' if '?' in path else '?'}lang=en")


async def test_whoever_is_locked_out_reads_why_and_objects(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    await _ban(site, "demo-ren", "ほかの人になりすましていたため")
    ren = await phone(browser, site, "demo-ren")
    await expect(ren.get_by_role("heading", name="利用を停止されています")).to_be_visible()
    await expect(ren.locator(".q-panel")).to_contain_text("ほかの人になりすましていたため")
    await shots(ren, "q-standing")
    await ren.get_by_role("button", name="異議を申し立てる").click()
    await ren.get_by_label("異議の内容").fill("本人です。確認してください。")
    await ren.get_by_role("dialog").get_by_role("button", name="送る").click()
    await expect(ren.get_by_role("dialog")).to_have_count(0)
    await expect(ren.locator(".q-panel")).to_contain_text("異議を確認しています")
    await _decide(browser, site, shots)
    await ren.goto(f"{site.url}/q/?lang=en#/inbox")
    await expect(ren.locator(".q-notice").first).to_contain_text("Your appeal was accepted")
    await shots(ren, "q-inbox")
    refused = "status of 4"  # to whoever is locked out, and to whoever may not decide
    assert [one for one in browser.problems if refused not in one] == []


async def _decide(browser: Windows, site: Site, shots: Shots) -> None:
    """The one who banned may not; the other administrator lets them in again."""
    aoi = await browser.person(site, "demo-aoi", PHONE)
    await _english(aoi, site, "/q/admin/queue")
    await expect(aoi.locator("article", has_text="Appeal")).to_contain_text("本人です")
    await shots(aoi, "q-queue")
    await _overturn(aoi, site)
    await expect(aoi.locator(".toasts")).to_contain_text("Another administrator decides")
    other = await browser.person(site, "demo-yui", PHONE)
    await _overturn(other, site)
    await expect(other.locator(".toasts")).to_contain_text("Done.")
    await shots(other, "q-dossier")


async def _overturn(page: Page, site: Site) -> None:
    await _english(page, site, "/q/admin/users/demo-ren")
    await page.locator("summary", has_text="Accept the appeal").click()
    await page.get_by_role("button", name="Confirm: Accept the appeal").click()


async def test_answers_are_shown_after_a_reason(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM, demo=True)
    aoi = await browser.person(site, "demo-aoi", PHONE)
    await aoi.goto(f"{site.url}/q/admin/users/demo-ren")
    await expect(aoi.get_by_label("見る理由")).to_be_visible()
    await expect(aoi.get_by_role("button", name="投稿を削除")).to_have_count(0)
    await aoi.get_by_label("見る理由").fill("通報の確認のため")
    await aoi.get_by_role("button", name="回答を見る").click()
    await expect(aoi.locator("table", has_text="最近の回答")).to_be_visible()
    await shots(aoi, "q-looked")
    await aoi.goto(f"{site.url}/q/admin/log")
    await expect(aoi.locator("tbody tr").first).to_contain_text("通報の確認のため")
    assert browser.problems == []
