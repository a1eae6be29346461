"""Monthly pledges."""

from __future__ import annotations

from sekkei_systems.chiipochi.design import (
    pledges,
)
from sekkei_systems.chiipochi.design.models import Status
from tests.systems.chiipochi.conftest import AOI, Bot, utc


async def test_a_pledge_asks_once_a_month_and_can_be_stopped(quick_bot: Bot) -> None:
    await quick_bot.say("毎月 ピーナッツ 300")
    assert "毎月20日" in await quick_bot.last_words()
    job = quick_bot.client.shell.deployment.systems["chiipochi"].parts.scheduled["ask-for-pledges"]
    await job({})
    assert await quick_bot.donations() == [], "not in the month it was made"
    quick_bot.clock.set(utc("2025-09-20T09:00:00+09:00").timestamp())
    for _ in range(2):
        await job({})
    (donation,) = await quick_bot.donations()
    assert (donation.prefecture, donation.amount, donation.status) == ("CHIBA", 300, Status.PENDING)
    assert len(await quick_bot.sent("pledge/")) == 1
    await quick_bot.say("毎月をやめる")
    assert await quick_bot.db.get(pledges(AOI)) is None
    quick_bot.clock.set(utc("2025-10-20T09:00:00+09:00").timestamp())
    await job({})
    assert len(await quick_bot.donations()) == 1
