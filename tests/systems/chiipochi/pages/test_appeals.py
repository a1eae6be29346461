"""The operator makes an appeal, and everybody sees how far it has come."""

from __future__ import annotations

import pytest

from sekkei.clock import ManualClock
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi.pages.appeals import sums
from sekkei_systems.chiipochi.refusals import BadWording
from sekkei_systems.chiipochi.rules.messages import opened as opened_body
from sekkei_systems.chiipochi.system import SYSTEM
from tests.systems.chiipochi.conftest import TODAY, Bot

FORM = {
    "code": "noto",
    "ja": "能登半島地震の支援",
    "words": "能登半島地震、能登, 能登",
    "goal": "1000",
    "first": f"{TODAY}",
    "last": f"{TODAY}",
}


async def test_an_appeal_is_made_changed_and_seen(clock: ManualClock) -> None:
    settings = test_settings(demo=False, values={"operators": "aoi@demo.example"})
    async with opened(SYSTEM, clock=clock, settings=settings) as client:
        bot = Bot(client, clock)
        await client.sign_in("demo-aoi")
        assert (await client.post("/chiipochi/operator/appeals", {**FORM, "goal": "0"})).status == 422
        assert (await client.post("/chiipochi/operator/appeals", FORM)).status == 303
        assert (await client.post("/chiipochi/operator/appeals", FORM)).status == 409, "it is there already"
        page = (await client.get("/chiipochi/operator/appeals")).text
        assert 'value="能登半島地震, 能登"' in page
        assert "goal:  → 1000" in page
        clock.advance(1)
        await client.post("/chiipochi/operator/appeals", {**FORM, "goal": "2000", "version": "1"})
        assert "goal: 1000 → 2000" in (await client.get("/chiipochi/operator/appeals")).text
        await bot.donate("能登 500")
        board = (await client.get("/chiipochi/")).text
        assert "¥500 / 目標 ¥2,000（1件）" in board
        assert "「能登半島地震」" in board


async def test_marks_in_an_appeal_are_words_and_nothing_else(clock: ManualClock) -> None:
    """On pages, on cards and in sentences that are filled in."""
    name = '"><script>x</script>\\{place}{{7}}'
    settings = test_settings(demo=False, values={"operators": "aoi@demo.example"})
    async with opened(SYSTEM, clock=clock, settings=settings) as client:
        bot = Bot(client, clock)
        await client.sign_in("demo-aoi")
        made = {**FORM, "ja": name, "en": name, "says_ja": name}
        assert (await client.post("/chiipochi/operator/appeals", made)).status == 303
        await bot.say("能登 500")
        said, card = opened_body((await bot.sent())[-1].body)
        assert said["text"] == name
        assert any(name in part["text"] for part in card["contents"]["body"]["contents"])
        await bot.say("はい")
        for path in ("/chiipochi/", "/chiipochi/operator", "/chiipochi/operator/appeals", "/chiipochi/screen"):
            page = (await client.get(path)).text
            assert "<script>x" not in page, path


# The operator's page of words and sums.


TEXTS = "/chiipochi/operator/texts"


async def test_words_and_sums_are_changed_on_a_page(quick_bot: Bot) -> None:
    client = quick_bot.client
    await client.sign_in("demo-aoi")
    assert (await client.post(TEXTS, {"name": "welcome", "ja": "ようこそ！\r\n<b>"})).status == 303
    assert (await client.post(TEXTS, {"name": "welcome", "ja": "別の文"})).status == 409, "somebody was quicker"
    quick_bot.clock.advance(1)
    assert (await client.post(TEXTS, {"name": "amounts", "amounts": "２００円、1000"})).status == 303
    assert (await client.post(TEXTS, {"name": "amounts", "amounts": "たくさん", "version": "1"})).status == 422
    assert (await client.post(TEXTS, {"name": "failed", "ja": "x"})).status == 404
    page = (await client.get(TEXTS)).text
    assert "ようこそ！\n&lt;b&gt;</textarea>" in page
    assert 'value="200, 1000"' in page
    assert "amounts:  → 200, 1000" in page
    assert "はじめまして、ちいポチ" in page, "the original stands behind an empty box"


def test_sums_as_people_type_them() -> None:
    assert sums("500円、１００ 300") == [100, 300, 500]
    assert sums(" ") == []
    with pytest.raises(BadWording):
        sums("100, x")
