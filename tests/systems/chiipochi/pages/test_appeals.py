"""The operator makes an appeal, and everybody sees how far it has come."""

from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.web.testing import opened, test_settings
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
