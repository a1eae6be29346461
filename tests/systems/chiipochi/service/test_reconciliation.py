"""Asking about payments that have been silent."""

from __future__ import annotations

from datetime import timedelta

from sekkei.design import replace
from sekkei_systems.chiipochi.design.models import Donation, Outcome, Status
from sekkei_systems.chiipochi.service.links import order_id_of
from sekkei_systems.chiipochi.service.reconciliation import is_due
from tests.systems.chiipochi.conftest import AOI, REN, Bot, StripeBot, utc


async def test_silent_payments_are_asked_for_and_forgotten_ones_given_up(bot: Bot) -> None:
    await bot.say("ピーナッツ", "はい")
    await bot.say("ゴーヤ", "はい", user=REN)
    (paid,), (forgotten,) = await bot.donations(AOI), await bot.donations(REN)
    token = bot.service.links.order_token(order_id_of(AOI, paid.created_at))
    tx_id = (await bot.service.settling.start(token)).rpartition("/")[2]
    await bot.decide(tx_id, Outcome.PAID)  # and nobody has told us of it yet
    bot.clock.advance(31 * 60)
    done = await bot.service.reconciliation.run()
    assert (done.settled, done.open, done.given_up) == (1, 0, 0)
    bot.clock.advance(24 * 3600)
    done = await bot.service.reconciliation.run()
    assert (done.settled, done.open, done.given_up) == (0, 0, 1)
    assert (await bot.donations(AOI))[0].status is Status.SUCCEEDED
    assert (await bot.donations(REN))[0].status is Status.FAILED
    assert forgotten.status is Status.PENDING


async def test_two_thousand_abandoned_checkouts_are_a_few_thousand_questions_a_day(stripe_bot: StripeBot) -> None:
    """A fortieth of them, counted: 50 abandoned, and a job that runs every five minutes for two days."""
    bot = stripe_bot
    for number in range(50):
        await bot.checkout("ピーナッツ", f"U{number:032x}")
    bot.stripe.requests.clear()
    for _ in range(2 * 24 * 12):
        bot.clock.advance(300)
        await bot.service.reconciliation.run()
    assert len(bot.stripe.requests) == 2 * 50, "after half an hour, and when the checkout has run out"
    assert await bot.service.reconciliation.pending() == []


async def test_a_provider_that_is_away_is_asked_once_and_what_was_never_begun_ends(stripe_bot: StripeBot) -> None:
    bot = stripe_bot
    for number in range(5):
        await bot.checkout("ピーナッツ", f"U{number:032x}")
    await bot.say("ゴーヤ", "はい", user=REN)
    bot.clock.advance(25 * 3600)
    bot.stripe.requests.clear()
    bot.stripe.faults.down = True
    done = await bot.service.reconciliation.run()
    assert (done.settled, done.open, done.given_up) == (0, 0, 1)
    assert len(bot.stripe.requests) == 1
    bot.stripe.faults.down = False
    assert (await bot.service.reconciliation.run()).settled == 5


def test_what_is_asked_for_and_when() -> None:
    made = utc("2025-08-20T00:00:00Z")
    hour = timedelta(hours=1)
    begun = Donation(user_id=AOI, created_at=made, amount=100, prefecture="CHIBA", tx_id="cs_1")
    assert not is_due(replace(begun, tx_id=None), made + 23 * hour)
    assert is_due(replace(begun, tx_id=None), made + 24 * hour)
    assert not is_due(begun, made + 0.4 * hour)
    assert is_due(begun, made + 0.5 * hour)
    asked = replace(begun, looked_at=made + 0.5 * hour)
    assert not is_due(asked, made + 23 * hour)
    assert is_due(asked, made + 24 * hour)
    again = replace(begun, looked_at=made + 24 * hour)
    assert not is_due(again, made + 47 * hour)
    assert is_due(again, made + 48 * hour)


async def test_nothing_is_due_before_the_oldest_that_waits_is_stale(bot: Bot) -> None:
    jobs = bot.client.shell.deployment.systems["chiipochi"].parts.scheduled
    now = bot.clock.now()
    said = await jobs["reconcile"]({})
    assert said is not None
    assert said.timestamp() > now + 24 * 3600, "nothing waits"
    await bot.say("ピーナッツ", "はい")
    (waiting,) = await bot.donations(AOI)
    said = waiting.created_at + timedelta(minutes=30)
    assert await jobs["reconcile"]({}) == said
    bot.clock.set(said.timestamp() - 1)
    assert await jobs["reconcile"]({}) == said
    bot.clock.set(said.timestamp() + 1)
    assert await jobs["reconcile"]({}) is None, "it is looked at"
