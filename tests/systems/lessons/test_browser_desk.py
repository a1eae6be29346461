"""In Chromium: the desk's verbs, rules, passes and the weekly schedule, on a phone and on a desk, light and dark."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from sekkei_systems.lessons.system import SYSTEM
from tests.browser import DESKTOP, PHONE, Serve, Shots, Windows, overtaken
from tests.systems.lessons.steps import tomorrow_at

WORDS = {
    "ja": {
        "walk_in": "当日受付のお名前",
        "take": "席を取る",
        "taken": "当日受付で席を取りました。",
        "undo": "元に戻す",
        "undone": "元に戻しました。",
        "wait": "キャンセル待ちに登録",
        "book": "席が空いたら",
        "save": "保存",
        "books": "自動で予約します。",
    },
    "en": {
        "walk_in": "Walk-in's name",
        "take": "Take a place",
        "taken": "The walk-in has a place.",
        "undo": "Undo",
        "undone": "Undone.",
        "wait": "Join the waitlist",
        "book": "When a place opens up",
        "save": "Save",
        "books": "we book it for you.",
    },
}
ASK = """document.querySelector("[data-live]").dispatchEvent(new Event("live:changed"))"""
PLACES = (
    "rules/sby",
    "passes",
    "desk/gnz",
    "desk/gnz/weekly",
    "desk/sby/rules",
    "desk/gnz/staff",
    "desk/gnz/connection",
)


async def fits(page: Page) -> None:
    wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{page.url} is {wide} pixels too wide"


@pytest.mark.parametrize(
    ("size", "language", "scheme"), [(PHONE, "ja", "dark"), (DESKTOP, "en", "light")], ids=["phone", "desk"]
)
async def test_the_desk(
    browser: Windows, serve: Serve, shots: Shots, size: dict[str, int], language: str, scheme: str
) -> None:
    site, words = await serve(SYSTEM, demo=True), WORDS[language]
    name = f"lessons-{language}-{scheme}"
    aoi = await browser.person(site, "demo-aoi", size, color_scheme=scheme)
    await aoi.goto(f"{site.url}/lessons/?lang={language}")
    for place in PLACES:
        await aoi.goto(f"{site.url}/lessons/{place}")
        await expect(aoi.locator("main h1")).to_be_visible()
        await fits(aoi)
        await shots(aoi, f"{name}-{place.replace('/', '-')}")
    tomorrow = tomorrow_at(site)
    await site.client.sign_in("demo-aoi")
    house = {"name": "House", "instructor": "YUKI", "capacity": 1, "isOpen": True}
    assert (await site.client.json("POST", f"/lessons/api/lessons/gnz/{tomorrow}/06:00", house)).status == 201
    lesson = f"gnz/{tomorrow}/06:00"
    await aoi.goto(f"{site.url}/lessons/desk/gnz/people/{lesson}")
    await aoi.get_by_label(words["walk_in"]).fill("飛び込み 花子")
    await aoi.get_by_role("button", name=words["take"], exact=True).click()
    await expect(aoi.get_by_text(words["taken"])).to_be_visible()
    await fits(aoi)
    await shots(aoi, f"{name}-people")
    ren = await browser.person(site, "demo-ren", size, color_scheme=scheme)
    await ren.goto(f"{site.url}/lessons/lessons/{lesson}?lang={language}")
    await ren.get_by_role("button", name=words["wait"], exact=True).click()
    await ren.get_by_label(words["book"]).select_option("1")
    await ren.get_by_role("button", name=words["save"], exact=True).click()
    await expect(ren.get_by_text(words["books"])).to_be_visible()
    await fits(ren)
    await shots(ren, f"{name}-waiting")
    await aoi.get_by_role("button", name=words["undo"], exact=True).click()
    await expect(aoi.get_by_text(words["undone"])).to_be_visible()
    assert browser.problems == []


async def test_what_one_has_begun_to_fill_in_stays_when_others_do_something(browser: Windows, serve: Serve) -> None:
    site, words = await serve(SYSTEM, demo=True), WORDS["ja"]
    lesson = f"gnz/{tomorrow_at(site)}/06:00"
    await site.client.sign_in("demo-aoi")
    house = {"name": "House", "instructor": "YUKI", "capacity": 1, "isOpen": True}
    assert (await site.client.json("POST", f"/lessons/api/lessons/{lesson}", house)).status == 201
    assert (await site.client.post(f"/lessons/act/book/{lesson}", {})).status == 303
    ren = await browser.person(site, "demo-ren")
    await ren.goto(f"{site.url}/lessons/lessons/{lesson}")
    await ren.get_by_role("button", name=words["wait"], exact=True).click()
    await expect(ren.get_by_text("1 人待ち")).to_be_visible()
    await expect(ren.locator('[data-live-state="open"]').first).to_be_attached()
    await ren.get_by_label(words["book"]).select_option("1")
    mei = site.client.another()
    await mei.sign_in("demo-mei")
    async with overtaken(ren, ren.url, ASK):
        assert (await mei.post(f"/lessons/act/wait/{lesson}", {})).status == 303
        await expect(ren.get_by_text("2 人待ち")).to_be_visible()
    await expect(ren.get_by_text("2 人待ち")).to_be_visible()
    await expect(ren.get_by_label(words["book"])).to_have_value("1")
    assert browser.problems == []
