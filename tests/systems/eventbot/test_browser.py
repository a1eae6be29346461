"""The bot as people use it: in the simulator and on the organisers' pages, in Chromium."""

from __future__ import annotations

import asyncio

from playwright.async_api import Locator, Page, expect

from sekkei.clock import ManualClock
from sekkei_systems.eventbot.system import SYSTEM
from tests.browser import PATIENCE, PHONE, Serve, Shots, Windows, browser, serve, shots  # noqa: F401
from tests.systems.eventbot.conftest import START


async def as_person(page: Page, name: str) -> None:
    await page.locator(".sim-person", has_text=name).click()
    await expect(page.locator(".sim-person", has_text=name)).to_have_attribute("aria-pressed", "true")


async def in_channel(page: Page, name: str) -> None:
    await page.locator(".sim-channel", has_text=name).click()


async def _in_time(clock: ManualClock, wanted: Locator) -> None:
    """The worker looks when it looks, and posts what it finds a second later: time goes on until it is there."""
    async with asyncio.timeout(PATIENCE / 1000):
        while not await wanted.count():
            clock.advance(0.1)


async def by_day_and_by_night(page: Page, shots: Shots, name: str) -> None:  # noqa: F811
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme=scheme)
        await shots(page, f"{name}-{scheme}", whole=False)


async def test_the_whole_life_of_an_event(browser: Windows, serve: Serve, shots: Shots) -> None:  # noqa: F811
    """Create by modal, three join (one waits), notice, confirm, reminder when the clock moves, close."""
    clock = ManualClock(START)
    site = await serve(SYSTEM, clock=clock)
    page = await browser.window()
    await page.goto(site.url + "/eventbot/simulator")
    await page.get_by_text("まだメッセージがありません").wait_for()
    await shots(page, "sim-empty")

    await page.get_by_role("button", name="コマンド", exact=True).click()
    await shots(page, "sim-commands")
    await page.get_by_role("button", name="/イベント 作成").click()
    await page.get_by_role("dialog").get_by_role("button", name="実行").click()
    await page.get_by_label("タイトル").fill("冬のもくもく会")
    await page.get_by_label("日時（JST）").fill("明日 21時〜23時")
    await page.get_by_label("定員（空欄は無制限）").fill("2")
    await page.get_by_label("場所").fill("ボイスチャンネル")
    await page.get_by_label("説明").fill("静かに作業しましょう。")
    await shots(page, "sim-modal")
    await page.get_by_role("dialog").get_by_role("button", name="送信").click()
    await page.get_by_text("まもなく #イベント募集 に投稿します").wait_for()
    clock.advance(2)
    recruit = page.locator(".sim-message", has=page.get_by_role("button", name="参加者一覧"))
    await recruit.get_by_text("冬のもくもく会").wait_for()

    for name, count in (("鈴木 蓮", "参加 1/2"), ("高橋 芽衣", "参加 2/2")):
        await as_person(page, name)
        await recruit.get_by_role("button", name="参加する").click()
        await recruit.get_by_text(count).wait_for()
    await as_person(page, "田中 颯太")
    await recruit.get_by_role("button", name="補欠に並ぶ").click()
    await recruit.get_by_text("補欠 1").wait_for()
    clock.advance(2)
    await page.get_by_text("満員のため補欠に並びました").wait_for()
    await shots(page, "sim-full")

    await as_person(page, "佐藤 葵")
    await recruit.get_by_role("button", name="管理").click()
    await page.get_by_role("button", name="連絡する").click()
    await page.get_by_label("タイトル").fill("持ち物")
    await page.get_by_label("本文").fill("イヤホンを忘れずに。")
    await page.get_by_role("dialog").get_by_role("button", name="送信").click()
    await page.get_by_text("連絡「持ち物」を投稿します").wait_for()
    clock.advance(2)
    await page.get_by_text("0 / 2").wait_for()
    await as_person(page, "鈴木 蓮")
    await page.get_by_role("button", name="確認しました").click()
    await page.get_by_text("1 / 2", exact=True).wait_for()
    await page.get_by_role("button", name="未確認の人").click()
    await page.get_by_text("未確認 1 人 / 参加者 2 人").wait_for()
    await shots(page, "sim-notice")

    clock.advance(28.6 * 3600)
    await _in_time(clock, page.get_by_text("がまもなく始まります"))
    await shots(page, "sim-reminder")

    await as_person(page, "佐藤 葵")
    await recruit.get_by_role("button", name="管理").click()
    await page.get_by_role("button", name="募集を締め切る").last.click()
    await page.get_by_text("募集を締め切りました").wait_for()
    clock.advance(2)
    await recruit.get_by_text("【締切】冬のもくもく会").wait_for()
    await expect(recruit.get_by_role("button", name="補欠に並ぶ")).to_be_disabled()
    assert browser.problems == []


async def test_simulator_and_pages_by_day_and_by_night(browser: Windows, serve: Serve, shots: Shots) -> None:  # noqa: F811
    clock = ManualClock(START)
    site = await serve(SYSTEM, demo=True, clock=clock)
    clock.advance(2)
    for size, name in ((None, "desktop"), (PHONE, "phone")):
        page = await browser.person(site, "demo-aoi", size)
        await page.goto(site.url + "/eventbot/simulator")
        await page.get_by_text("オンラインもくもく会").first.wait_for()
        await by_day_and_by_night(page, shots, f"simulator-{name}")
        await page.goto(site.url + "/eventbot/")
        await page.get_by_role("link", name="オンラインもくもく会").wait_for()
        await by_day_and_by_night(page, shots, f"guild-{name}")
        await page.get_by_role("link", name="オンラインもくもく会").click()
        await page.get_by_role("heading", name="参加者 ").first.wait_for()
        await by_day_and_by_night(page, shots, f"event-{name}")
        wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide, f"the page is wider than the window on {name}"
        await page.get_by_role("link", name="自己紹介の準備").click()
        await page.get_by_role("heading", name="未確認").wait_for()
        await shots(page, f"notice-{name}")
        await page.goto(page.url.partition("/notices")[0] + "/edit")
        await shots(page, f"edit-{name}")
    await page.goto(site.url + "/eventbot/guilds/900000000000000001/settings")
    await shots(page, "settings-phone")
    assert browser.problems == []


async def test_a_page_shows_what_happens_in_discord(browser: Windows, serve: Serve) -> None:  # noqa: F811
    clock = ManualClock(START)
    site = await serve(SYSTEM, demo=True, clock=clock)
    clock.advance(2)
    page = await browser.person(site, "demo-ren")
    await page.goto(site.url + "/eventbot/")
    await page.get_by_role("link", name="ボウリング大会").click()
    await page.locator('[data-live-state="open"]').first.wait_for()
    service = site.client.shell.deployment.systems["eventbot"].parts.service
    from sekkei_systems.eventbot.demo.guild import GUILD_ID, PEOPLE

    listed = await service.events.of_guild(GUILD_ID)
    bowling = next(event for event in listed if event.title == "ボウリング大会")
    yui = list(PEOPLE.values())[4]
    await service.joining.join(yui.actor, bowling.event_id)
    await page.locator("#people").get_by_text("3 / 12").wait_for()
    assert browser.problems == []


async def test_options_and_the_organisers_hands(browser: Windows, serve: Serve, shots: Shots) -> None:  # noqa: F811
    """Somebody changes their option in Discord; the host moves them back on the page and tells everybody."""
    clock = ManualClock(START)
    site = await serve(SYSTEM, demo=True, clock=clock)
    clock.advance(2)
    page = await browser.person(site, "demo-ren", PHONE)
    await page.goto(site.url + "/eventbot/simulator")
    raid = page.locator(".sim-message", has=page.get_by_role("button", name="⚔️ アタッカー 2/4"))
    await raid.get_by_text("土曜レイド").wait_for()
    await raid.scroll_into_view_if_needed()
    await shots(page, "raid-phone", whole=False)
    await as_person(page, "鈴木 蓮")
    await raid.get_by_role("button", name="⚔️ アタッカー 2/4").click()
    changed = page.locator(".sim-message", has=page.get_by_role("button", name="⚔️ アタッカー 3/4"))
    await expect(changed.get_by_role("button", name="🛡️ タンク 0/2")).to_be_visible()
    for size, name in ((None, "desktop"), (PHONE, "phone")):
        page = await browser.person(site, "demo-ren", size)
        await page.goto(site.url + "/eventbot/")
        await page.get_by_role("link", name="土曜レイド").click()
        await expect(page.get_by_role("heading", name="⚔️ アタッカー")).to_be_visible()
        await shots(page, f"raid-event-{name}")
        wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide, f"the page is wider than the window on {name}"
    await page.locator("summary", has_text="⋯").first.click()
    await shots(page, "raid-hands-phone", whole=False)
    await page.locator(".eb-menu select").first.select_option("01")
    await page.locator(".eb-menu").first.get_by_role("button", name="移す").click()
    await expect(page.get_by_text("区分を移しました。")).to_be_visible()  # and whoever waited for the place has it now
    await page.get_by_label("参加者を呼び出して、ひとこと送ります。").fill("20 時に集合です")
    await page.get_by_role("button", name="送る", exact=True).first.click()
    await expect(page.get_by_text("5 人に送ります。")).to_be_visible()
    assert browser.problems == []


async def test_signing_in_with_discord(browser: Windows, serve: Serve, shots: Shots) -> None:  # noqa: F811
    clock = ManualClock(START)
    site = await serve(SYSTEM, demo=True, clock=clock)
    clock.advance(2)
    page = await browser.window()
    await page.goto(site.url + "/eventbot/")
    await shots(page, "sign-in")
    await page.get_by_role("link", name="Discord でログイン").click()
    await shots(page, "authorise")
    await page.get_by_role("link", name="佐藤 葵").click()
    await expect(page.get_by_role("link", name="土曜レイド")).to_be_visible()
    await page.goto(site.url + "/eventbot/guilds/900000000000000001/new?lang=en")
    await expect(page.get_by_label("Sign-up options")).to_be_visible()
    await shots(page, "new-en")
    await page.goto(site.url + "/eventbot/guilds/900000000000000001?lang=en")
    await page.get_by_role("link", name="オンラインもくもく会").click()
    await expect(page.get_by_role("heading", name="Message members")).to_be_visible()
    await shots(page, "event-en")
    await page.goto(page.url.partition("?")[0] + "/edit?lang=en")
    await expect(page.get_by_label("Change only this one")).to_be_visible()
    await shots(page, "edit-en")
    assert browser.problems == []
