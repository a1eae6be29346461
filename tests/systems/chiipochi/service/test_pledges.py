"""Monthly pledges."""

from __future__ import annotations

from sekkei_systems.chiipochi.design import (
    pledges,
)
from sekkei_systems.chiipochi.design.models import Status
from tests.systems.chiipochi.conftest import AOI, Bot, utc


async def test_a_pledge_asks_once_a_month_and_can_be_stopped(quick_bot: Bot) -> None:
    await quick_bot.say("毎月 ピーナッツ 300")
    assert "はじめますか" in await quick_bot.last_words()
    assert await quick_bot.db.get(pledges(AOI)) is None, "not without a yes"
    await quick_bot.say("はい")
    assert "毎月20日" in await quick_bot.last_words()
    assert await quick_bot.donations() == []
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


async def test_a_pledge_whose_day_passed_while_nothing_ran_is_asked_for_once(quick_bot: Bot) -> None:
    await quick_bot.say("毎月 ピーナッツ 300", "はい")
    job = quick_bot.client.shell.deployment.systems["chiipochi"].parts.scheduled["ask-for-pledges"]
    quick_bot.clock.set(utc("2025-12-05T09:00:00+09:00").timestamp())  # nothing ran since August
    for _ in range(2):
        await job({})
    assert len(await quick_bot.sent("pledge/")) == 1
    quick_bot.clock.set(utc("2025-12-20T09:00:00+09:00").timestamp())
    for _ in range(2):
        await job({})
    assert len(await quick_bot.sent("pledge/")) == 2
