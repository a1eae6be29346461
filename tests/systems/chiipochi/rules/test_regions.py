"""From regions to prefectures to specialities, by taps alone."""

from __future__ import annotations

import orjson

from sekkei_systems.chiipochi.design import state
from sekkei_systems.chiipochi.rules.regions import REGIONS
from tests.systems.chiipochi.conftest import AOI, Bot


def test_every_region_fits_under_a_message() -> None:
    assert len(REGIONS) <= 13
    assert all(1 <= len(codes) <= 13 for codes in REGIONS.values())


async def test_a_donation_by_taps_alone(quick_bot: Bot) -> None:
    await quick_bot.say("寄付する")
    for wanted in ("東北", "青森県", "りんご"):
        (message,) = orjson.loads(await quick_bot.last_words())
        actions = [item["action"] for item in message["quickReply"]["items"]]
        (tapped,) = [action for action in actions if action["label"] == wanted]
        quick_bot.clock.advance(1)
        await quick_bot.deliver(quick_bot.tap(tapped["data"]))
    found = await quick_bot.db.need(state(AOI))
    assert found.awaiting_confirmation == "AOMORI_pending", "though others are known for apples too"
