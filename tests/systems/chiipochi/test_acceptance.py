"""The acceptance checks of the specification, on every store and in bad weather."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from sekkei_systems.chiipochi.design import stamp_card
from sekkei_systems.chiipochi.design.models import Outcome, Status
from sekkei_systems.chiipochi.ports.payments import Order
from sekkei_systems.chiipochi.rules.conversation import SESSION
from sekkei_systems.chiipochi.service.access import Donor
from sekkei_systems.chiipochi.service.donations import order_id_of
from tests.systems.chiipochi.conftest import AOI, REN, TODAY, Bot, utc


async def test_from_a_speciality_to_a_stamp(bot: Bot) -> None:
    await bot.say("ピーナッツ")
    assert "千葉県" in await bot.last_words()
    donation = await bot.donate()
    assert (donation.prefecture, donation.amount, donation.status) == ("CHIBA", 100, Status.SUCCEEDED)
    assert donation.gsi1_pk == "DATE#2025-08-20"
    assert donation.gsi1_sk.startswith(f"USER#{AOI}#2025-08-20T05:1")
    assert {stamp.prefecture: stamp.count for stamp in await bot.db.all(stamp_card(AOI).consistent())} == {"CHIBA": 1}
    day = await bot.service.reports.day(TODAY, consistent=True)
    assert (day.amount, day.count) == (100, 1)
    assert len(await bot.sent("thanks/")) == 1


async def test_the_same_webhook_five_times_at_once_is_one_donation_and_one_reply(bot: Bot) -> None:
    await bot.say("ピーナッツ")
    yes = bot.text("はい")
    replies = await asyncio.gather(*(bot.deliver(yes) for _ in range(5)))
    assert [reply.status for reply in replies] == [200] * 5
    assert len(await bot.donations()) == 1
    assert len(await bot.sent(f"reply/{yes['webhookEventId']}")) == 1


async def test_yes_twice_fast_is_one_donation(bot: Bot) -> None:
    await bot.say("ピーナッツ")
    await asyncio.gather(bot.deliver(bot.text("はい")), bot.deliver(bot.text("はい")))
    assert len(await bot.donations()) == 1


async def test_yes_after_the_time_is_over_is_no_donation(bot: Bot) -> None:
    await bot.say("ピーナッツ")
    bot.clock.advance(SESSION.total_seconds())
    await bot.say("はい")
    assert await bot.donations() == []
    assert "時間（10分）が過ぎた" in await bot.last_words()


async def test_midnight_in_japan_divides_the_days(bot: Bot) -> None:
    moments = {AOI: "2025-08-20T23:59:59.999+09:00", REN: "2025-08-21T00:00:00.000+09:00"}
    for user, moment in moments.items():
        bot.clock.set(utc(moment).timestamp() - 5)
        await bot.say("ピーナッツ", user=user)
        bot.clock.set(utc(moment).timestamp())
        await bot.deliver(bot.text("はい", user))
        await bot.pay((await bot.donations(user))[-1])
        await bot.work()
    (before,), (after,) = await bot.donations(AOI), await bot.donations(REN)
    assert (before.gsi1_pk, after.gsi1_pk) == ("DATE#2025-08-20", "DATE#2025-08-21")
    for day in (TODAY, TODAY + timedelta(days=1)):
        found = await bot.service.reports.check(day)
        assert found.agrees
        assert found.stored.count == 1
    assert (await bot.service.mine.today(Donor(AOI))).count == 0
    assert (await bot.service.mine.today(Donor(REN))).count == 1


async def test_a_callback_before_the_donation_is_there_is_tried_again_and_applied(bot: Bot) -> None:
    created_at = utc("2025-08-20T14:10:01.000+09:00")
    order_id = order_id_of(AOI, created_at)
    provider = bot.service.settling.provider
    page = "https://example.org/done"
    checkout = await provider.create(Order(order_id, 100, "x", page, page, created_at + timedelta(hours=23)))
    await bot.decide(checkout.tx_id, Outcome.PAID)
    await bot.client.work()
    assert await bot.donations() == []
    await bot.say("ピーナッツ", "はい")
    assert [donation.created_at for donation in await bot.donations()] == [created_at]
    bot.clock.advance(60)
    await bot.work()
    assert [donation.status for donation in await bot.donations()] == [Status.SUCCEEDED]
    assert len(await bot.sent("thanks/")) == 1
