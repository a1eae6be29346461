"""In Chromium: a full lesson, the waitlist, a place that becomes free, one tap in the notice, booked."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, Page, expect

from sekkei.web.testing import test_settings
from sekkei_systems.lessons.system import SYSTEM
from tests.browser import DESKTOP, PHONE, Serve, Shots, Site, Windows, another_page, found_at
from tests.systems.lessons.steps import tomorrow_at


async def _add_lesson(page: Page, site: Site) -> None:
    """A lesson for one, tomorrow; by the studio."""
    await page.goto(site.url + "/lessons/desk/gnz")
    await page.get_by_label("日付").fill(tomorrow_at(site).isoformat())
    await page.get_by_label("開始").fill("19:30")
    await page.get_by_label("レッスン名").fill("BSL House 1")
    await page.get_by_label("インストラクター").fill("YUKI")
    await page.get_by_label("定員").fill("1")
    await page.get_by_role("button", name="保存").click()
    await expect(page.get_by_text("レッスンを保存しました。")).to_be_visible()


async def _open_lesson(page: Page, site: Site) -> None:
    await page.goto(site.url + "/lessons/")
    await page.get_by_role("link", name="銀座", exact=True).click()
    await page.locator(".daybar a").nth(1).click()
    await page.locator("a.slot", has_text="BSL House 1").click()
    await expect(page.get_by_role("heading", name="BSL House 1")).to_be_visible()


async def _notice(page: Page, site: Site, title: str) -> Locator:
    return await found_at(page, site.url + "/console/outbox", page.get_by_role("link", name=title).first)


async def _link_of_the_notice(page: Page, site: Site) -> str:
    notice = await _notice(page, site, "空きが出ました")
    async with another_page(page):  # the list has the beginning of the text, too
        await notice.click()
    await expect(page.locator("body")).to_contain_text("/lessons/offers/")
    text = await page.locator("body").inner_text()
    return next(word for word in text.split() if word.startswith(f"{site.url}/lessons/offers/"))


@pytest.mark.parametrize("device", ["phone", "desktop"])
async def test_a_place_becomes_free_and_one_tap_takes_it(
    browser: Windows, serve: Serve, shots: Shots, device: str
) -> None:
    size = PHONE if device == "phone" else DESKTOP
    site = await serve(SYSTEM)
    aoi = await browser.person(site, "demo-aoi", DESKTOP)
    await _add_lesson(aoi, site)
    await _open_lesson(aoi, site)
    await aoi.get_by_role("button", name="予約する").click()
    await expect(aoi.get_by_text("予約しました。")).to_be_visible()

    mei = await browser.person(site, "demo-mei", size)
    await _open_lesson(mei, site)
    await mei.get_by_role("button", name="気になるに追加").click()
    await mei.get_by_label("メモ").fill("タオルを持っていく")
    await mei.get_by_role("button", name="メモを保存").click()
    await expect(mei.get_by_text("メモを保存しました。")).to_be_visible()
    await expect(mei.get_by_text("満席", exact=True)).to_be_visible()
    await mei.get_by_role("button", name="キャンセル待ちに登録").click()
    await expect(mei.get_by_text("待ち順 1 番目")).to_be_visible()
    await shots(mei, f"lessons-waiting-{device}")

    # The other one gives the place back; the open page shows it without being touched.
    await mei.wait_for_selector('[data-live-state="open"]')
    aoi.on("dialog", lambda dialog: dialog.accept())
    await aoi.get_by_role("button", name="予約を取り消す").click()
    await expect(aoi.get_by_text("予約を取り消しました。")).to_be_visible()
    await expect(mei.get_by_text("残り 1 席")).to_be_visible()

    link = await _link_of_the_notice(aoi, site)
    tapped = await browser.window(size)
    await tapped.goto(link)
    await expect(tapped.get_by_role("heading", name="空きが出ました")).to_be_visible()
    await shots(tapped, f"lessons-offer-{device}")
    await tapped.get_by_role("button", name="予約する").click()
    await expect(tapped.get_by_role("heading", name="予約が確定しました。")).to_be_visible()
    await expect(tapped.get_by_role("button", name="予約を取り消す")).to_be_visible()
    await mei.goto(site.url + "/lessons/mine")
    await expect(mei.locator("a.slot", has_text="予約済み")).to_have_count(1)
    await expect(mei.locator("a.slot", has_text="タオルを持っていく")).to_have_count(1)
    await shots(mei, f"lessons-mine-{device}")
    assert browser.problems == []


async def test_the_studio_changes_a_lesson_and_calls_it_off(browser: Windows, serve: Serve, shots: Shots) -> None:
    site = await serve(SYSTEM)
    ren = await browser.person(site, "demo-ren", PHONE)
    aoi = await browser.person(site, "demo-aoi", DESKTOP)
    await _add_lesson(aoi, site)
    await _open_lesson(ren, site)
    await ren.get_by_role("button", name="予約する").click()
    await expect(ren.get_by_text("予約しました。")).to_be_visible()
    await ren.wait_for_selector('[data-live-state="open"]')
    await aoi.reload()
    await expect(aoi.locator(".people-list li", has_text="鈴木 蓮")).to_be_visible()
    await aoi.get_by_label("インストラクター", exact=True).fill("Mako")
    await aoi.get_by_role("button", name="保存").click()
    await expect(aoi.get_by_text("レッスンを保存しました。")).to_be_visible()
    await shots(aoi, "lessons-desk")
    await expect(ren.locator(".lesson-who", has_text="Mako")).to_be_visible()
    aoi.on("dialog", lambda dialog: dialog.accept())
    await aoi.locator("summary", has_text="休講にする").click()
    await aoi.get_by_label("休講の理由").fill("台風のため")
    await aoi.get_by_role("button", name="休講にする").click()
    await expect(aoi.get_by_text("休講にしました。")).to_be_visible()
    await expect(ren.get_by_text("このレッスンは休講になりました。")).to_be_visible()
    for title in ("レッスンの内容が変わりました", "休講のお知らせ"):
        await _notice(aoi, site, title)
    assert browser.problems == []


@pytest.mark.parametrize("language", ["ja", "en"])
async def test_the_first_in_line_is_offered_the_place(
    browser: Windows, serve: Serve, shots: Shots, language: str
) -> None:
    """Held for one: their pages say until when and have a button, the others' say that it is held."""
    values = {"lessons_fairness": "first-in-line"}
    site = await serve(SYSTEM, settings=test_settings(values=values))
    aoi = await browser.person(site, "demo-aoi", DESKTOP)
    await _add_lesson(aoi, site)
    await _open_lesson(aoi, site)
    await aoi.get_by_role("button", name="予約する").click()
    await expect(aoi.get_by_text("予約しました。")).to_be_visible()
    mei = await browser.person(site, "demo-mei", PHONE)
    ren = await browser.person(site, "demo-ren", PHONE)
    for person in (mei, ren):
        await _open_lesson(person, site)
        await person.get_by_role("button", name="キャンセル待ちに登録").click()
        await expect(person.get_by_text("番目")).to_be_visible()
    await mei.wait_for_selector('[data-live-state="open"]')
    aoi.on("dialog", lambda dialog: dialog.accept())
    await aoi.get_by_role("button", name="予約を取り消す").click()
    await expect(aoi.get_by_text("予約を取り消しました。")).to_be_visible()
    await _notice(aoi, site, "空きが出ました")
    for person in (mei, ren):
        await person.goto(f"{person.url.partition('?')[0]}?lang={language}")
    offer, held = {
        "ja": ("まで席を取り置いています。", "ご案内した方のために"),
        "en": ("A place is held for you until", "being held for the people it was offered to"),
    }[language]
    await expect(mei.get_by_text(offer)).to_be_visible()
    await expect(ren.get_by_text(held)).to_be_visible()
    for person in (mei, ren):
        assert "<time" not in await person.locator("main").inner_text()
    await shots(mei, f"lessons-held-for-me-{language}")
    await shots(ren, f"lessons-held-for-another-{language}")
    await aoi.goto(site.url + "/lessons/desk/gnz/people/" + mei.url.partition("/lessons/lessons/")[2].partition("?")[0])
    await expect(aoi.locator(".people-list .badge.warning")).to_have_count(1)
    assert "<time" not in await aoi.locator("main").inner_text()
    await shots(aoi, f"lessons-desk-held-{language}")
    await mei.get_by_role("button", name={"ja": "予約する", "en": "Book"}[language], exact=True).click()
    await expect(mei.get_by_text({"ja": "予約しました。", "en": "Booked."}[language])).to_be_visible()
    assert browser.problems == []
