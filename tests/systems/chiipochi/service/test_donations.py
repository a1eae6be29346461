"""New donations."""

from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.design import replace
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi.design.models import Outcome, is_forgotten
from sekkei_systems.chiipochi.ports.payments import PaymentEvent
from sekkei_systems.chiipochi.refusals import UnknownOrder
from sekkei_systems.chiipochi.service.donations import order_id_of, pseudonym
from sekkei_systems.chiipochi.system import SYSTEM
from tests.systems.chiipochi.conftest import AOI, REN, TODAY, Bot


async def test_two_donations_in_one_millisecond_are_two(bot: Bot) -> None:
    for user in (AOI, REN):
        await bot.say("ピーナッツ", user=user)
    moment = bot.clock.now()
    for _ in range(2):
        await bot.deliver(bot.text("はい"))
        bot.clock.set(moment)
        await bot.deliver(bot.text("ピーナッツ"))
    await bot.deliver(bot.text("はい"))
    found = await bot.donations()
    assert len({donation.created_at for donation in found}) == len(found) == 3


async def test_a_day_spread_over_shards_adds_up_too(clock: ManualClock) -> None:
    settings = test_settings(values={"chiipochi_day_shards": "4"})
    async with opened(SYSTEM, clock=clock, settings=settings) as client:
        bot = Bot(client, clock)
        people = [f"U{number:032x}" for number in range(8)]
        for person in people:
            await bot.donate(user=person)
        partitions = {(await bot.donations(person))[0].gsi1_pk for person in people}
        assert len(partitions) > 1
        assert partitions <= {f"DATE#2025-08-20#{shard}" for shard in range(4)}
        check = await bot.service.reports.check(TODAY)
        assert check.agrees
        assert check.counted.count == 8
        assert {one.user_id async for one in bot.service.reports.paid_on(TODAY)} == set(people)


# Donations as a provider speaks of them.


async def test_an_unknown_order_changes_nothing(bot: Bot) -> None:
    try:
        await bot.service.settling.apply(PaymentEvent("evt", "tx", f"{AOI}|2025-08-20T00:00:00.000Z", 1, Outcome.PAID))
        raise AssertionError("it was taken")
    except UnknownOrder:
        pass
    assert await bot.donations() == []
    assert [one async for one in bot.service.reports.paid_on(TODAY)] == []


# The name of somebody who was forgotten leads to their donations, and nobody to them.


async def test_whoever_knows_the_order_finds_the_donation(quick_bot: Bot) -> None:
    donation = await quick_bot.donate()
    context = quick_bot.client.shell.deployment.systems["chiipochi"].context
    name = pseudonym(context.settings, AOI)
    assert is_forgotten(name)
    assert AOI not in name
    assert pseudonym(context.settings, REN) != name == pseudonym(context.settings, AOI)
    await quick_bot.forget()
    orders = quick_bot.service.orders
    moved = replace(donation, user_id=name, idempotency_key=None)
    assert await orders.ordered(order_id_of(AOI, donation.created_at), None) == moved
    assert await orders.ordered(order_id_of(name, donation.created_at), None) == moved
    assert await orders.ordered(order_id_of(REN, donation.created_at), None) is None
