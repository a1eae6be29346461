"""What follows from a donation that succeeded: once, however it is told."""

from __future__ import annotations

from datetime import timedelta

import orjson

from sekkei.design import replace
from sekkei.runtime import days
from sekkei_systems.chiipochi.design import (
    awards,
    donations,
)
from sekkei_systems.chiipochi.design.models import Award, Status
from sekkei_systems.chiipochi.service.access import Donor
from tests.systems.chiipochi.conftest import AOI, REN, TODAY, WEBHOOK_SECRET, Bot, StripeBot


async def test_a_stream_told_again_from_the_beginning_changes_nothing(bot: Bot) -> None:
    await bot.donate()
    await bot.donate("ゴーヤ", REN)
    before = await bot.service.reports.check(TODAY)
    sent = len(await bot.sent())
    parts = bot.client.shell.deployment.systems["chiipochi"].parts
    records = await bot.records()
    assert len(records) >= 4
    answer = await parts.reactions[0].handle({"Records": records})
    assert answer == {"batchItemFailures": []}
    assert await bot.service.reports.check(TODAY) == before
    assert before.agrees
    assert len(await bot.sent()) == sent
    assert len(await bot.db.all(awards.where(Award.user_id == AOI).consistent())) == 1


async def test_donations_of_many_days_and_one_that_nobody_understands_in_a_batch(quick_bot: Bot) -> None:
    """As after an import. Lambda gives a batch that raises back whole, so one bad record would keep all others back."""
    now = days.now(quick_bot.clock)
    for age in range(25):
        made = quick_bot.service.donations.new(AOI, "CHIBA", 100, now - timedelta(days=age), f"imported/{age}")
        await quick_bot.db.write(donations.create(replace(made, status=Status.SUCCEEDED)))
    *good, last = await quick_bot.records()
    bad = orjson.loads(orjson.dumps(last))
    bad["dynamodb"]["NewImage"]["amount"] = {"S": "much"}
    reactions = quick_bot.client.shell.deployment.systems["chiipochi"].parts.reactions[0]
    answer = await reactions.handle({"Records": [*good, bad]})
    assert answer == {"batchItemFailures": [{"itemIdentifier": bad["dynamodb"]["SequenceNumber"]}]}
    assert await reactions.handle({"Records": [last]}) == {"batchItemFailures": []}
    assert await quick_bot.service.mine.stamps(Donor(AOI)) == {"CHIBA": 25}


async def test_many_donations_of_one_batch_some_of_them_told_before(quick_bot: Bot) -> None:
    people = [f"U{number:032x}" for number in range(20)]
    for person in people:
        for word in ("ピーナッツ", "ゴーヤ 300"):
            await quick_bot.say(word, "はい", user=person)
    found = [donation for person in people for donation in await quick_bot.donations(person)]
    for donation in found[::3]:
        await quick_bot.pay(donation)
    await quick_bot.work()
    for place, donation in enumerate(found):
        if place % 3:
            await quick_bot.pay(donation)
    await quick_bot.work()
    check = await quick_bot.service.reports.check(TODAY)
    assert check.agrees
    assert (check.stored.count, check.stored.amount) == (40, 8_000)
    assert len(await quick_bot.sent("thanks/")) == 40
    for person in people:
        assert await quick_bot.service.mine.stamps(Donor(person)) == {"CHIBA": 1, "OKINAWA": 1}


async def test_a_refund_in_the_same_batch_as_its_donation_leaves_the_totals(stripe_bot: StripeBot) -> None:
    """Several donations of a batch are rewarded together, from what their records say; a later record still counts."""
    bot = stripe_bot
    for word in ("ピーナッツ 500", "ゴーヤ 300"):
        _, session = await bot.checkout(word)
        charge = bot.ledger.pay_by_card(session)
        for one in bot.ledger.news(WEBHOOK_SECRET):
            await bot.post(*one)
    bot.ledger.refund(charge)
    for donation in await bot.donations():
        await bot.service.later.look(donation.payment_ref or "")
    await bot.work()
    check = await bot.service.reports.check(TODAY)
    assert check.agrees
    assert (check.stored.amount, check.stored.count) == (500, 1)
