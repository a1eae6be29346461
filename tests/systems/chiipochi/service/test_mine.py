"""One donor's own donations."""

from __future__ import annotations

from sekkei_systems.chiipochi.service.access import Donor
from tests.systems.chiipochi.conftest import AOI, REN, Bot, utc


async def test_everybody_has_their_own(quick_bot: Bot) -> None:
    mine = quick_bot.service.mine
    await quick_bot.donate("ピーナッツ 500")
    await quick_bot.say("ゴーヤ 300", "はい")
    today = await mine.today(Donor(AOI))
    assert (today.amount, today.count, today.pending) == (500, 1, 300)
    assert [found.amount for found in await mine.history(Donor(AOI))] == [300, 500]
    assert (await mine.today(Donor(REN))).count == 0
    assert await mine.stamps(Donor(REN)) == {}


async def test_a_receipt_is_for_what_was_paid(quick_bot: Bot) -> None:
    mine = quick_bot.service.mine
    paid = await quick_bot.donate()
    await quick_bot.say("ゴーヤ", "はい")
    waiting = (await quick_bot.donations())[-1]
    assert await mine.receipt(Donor(AOI), paid.created_at) == paid
    assert await mine.receipt(Donor(AOI), waiting.created_at) is None
    assert await mine.receipt(Donor(REN), paid.created_at) is None
    assert await mine.receipt(Donor(AOI), utc("2020-01-01T00:00:00Z")) is None
