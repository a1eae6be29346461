"""Everybody's donations."""

from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi.pages.dashboard import tiles
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES
from sekkei_systems.chiipochi.service.reports import Sum
from sekkei_systems.chiipochi.system import SYSTEM
from tests.systems.chiipochi.conftest import AOI, REN, Bot


async def test_the_dashboard_shows_the_ranking_and_takes_no_nonsense(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    await quick_bot.donate("ゴーヤ", REN)
    page = (await quick_bot.client.get("/chiipochi/")).text
    assert page.index("千葉県") < page.index("¥500") < page.rindex("沖縄県")
    assert "¥600" in page
    english = await quick_bot.client.get("/chiipochi/?lang=en")
    assert "Okinawa" in english.text
    for day in ("yesterday", "2025-02-30", "%00"):
        assert (await quick_bot.client.get(f"/chiipochi/?day={day}")).status == 422


# Rankings as pages.


async def test_every_period_and_the_screen(quick_bot: Bot) -> None:
    await quick_bot.donate("ピーナッツ 500")
    await quick_bot.donate("ゴーヤ 300", REN)
    for period in ("day", "week", "month", "year", "all"):
        for page in ("ranking", "screen"):
            text = (await quick_bot.client.get(f"/chiipochi/{page}?period={period}")).text
            assert text.index("千葉県") < text.rindex("沖縄県")
            assert "¥800" in text
    assert (await quick_bot.client.get("/chiipochi/ranking?period=century")).status == 422


# What the law wants shown, the way in, and the organisation on receipts.


VALUES = {
    "line_basic_id": "@123abcde",
    "chiipochi_organisation": "特定非営利活動法人ふるさとの会",
    "chiipochi_representative": "青井 花",
    "chiipochi_address": "千葉県千葉市中央区1-2-3",
    "chiipochi_email": "hello@example.org",
    "chiipochi_number": "1234567890123",
}


async def test_the_organisation_stands_on_its_pages_and_on_receipts(clock: ManualClock) -> None:
    async with opened(SYSTEM, clock=clock, settings=test_settings(values=VALUES)) as client:
        bot = Bot(client, clock)
        await bot.donate()
        about = (await client.get("/chiipochi/about")).text
        for text in ("特定商取引法に基づく表記", *list(VALUES.values())[1:], "100 円〜50,000 円"):
            assert text in about, text
        assert "カード番号" in (await client.get("/chiipochi/privacy")).text
        assert "Card numbers" in (await client.get("/chiipochi/privacy?lang=en")).text
        token = bot.service.links.my_token(AOI)
        for path in (f"u/{token}/receipt/2025-08-20T05:10:01.000Z", f"u/{token}/year/2025"):
            assert "ふるさとの会" in (await client.get(f"/chiipochi/{path}?lang=ja")).text
        front = (await client.get("/chiipochi/")).text
        assert "https://line.me/R/ti/p/%40123abcde" in front
        assert "data:image/svg+xml" in front
        await bot.say("友だちに教える")
        assert "https://line.me/R/ti/p/%40123abcde" in str((await bot.sent("reply/"))[-1].body)


async def test_without_an_organisation_the_pages_say_so(quick_bot: Bot) -> None:
    assert "まだ登録されていません" in (await quick_bot.client.get("/chiipochi/about")).text


# The map of prefectures.


def test_the_more_a_prefecture_was_given_the_warmer_it_is() -> None:
    found = {tile.prefecture.code: tile for tile in tiles({"CHIBA": Sum(400, 2), "OSAKA": Sum(100, 1)})}
    assert len(found) == 47
    assert (found["CHIBA"].heat, found["OSAKA"].heat, found["NARA"].heat) == (1.0, 0.5, 0.0)
    assert found["CHIBA"].words == "¥400 ×2"


def test_no_two_labels_on_the_map_are_the_same() -> None:
    for language in ("ja", "en"):
        labels = [tile.label(language) for tile in tiles({})]
        assert len(set(labels)) == len(PREFECTURES)
