"""A month, small: every way to pay and everything that goes wrong; the books end as the provider's ledger says, and
nobody has been told anything false."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

from sekkei_systems.chiipochi.design.models import Donation, Status
from sekkei_systems.chiipochi.local.stripe.errors import Refused
from sekkei_systems.chiipochi.service.access import Donor
from sekkei_systems.chiipochi.service.links import order_id_of
from tests.systems.chiipochi.conftest import TODAY, WEBHOOK_SECRET, StripeBot

PEOPLE = [f"U{number:032x}" for number in range(8)]
WORDS = ("ピーナッツ 500", "ゴーヤ 300円", "1,000円を沖縄へ", "牛タン", "横浜 千円", "たこ焼き 700円お願いします")
DAYS = 12


async def test_a_month_of_money_ends_as_the_ledger_says(stripe_bot: StripeBot) -> None:
    bot, dice = stripe_bot, random.Random(11)
    made: list[tuple[Donation, dict[str, Any]]] = []
    late: list[tuple[bytes, str]] = []
    for _ in range(DAYS):
        for _ in range(4):
            made.append(await bot.checkout(dice.choice(WORDS), dice.choice(PEOPLE)))
            _pay(bot, made[-1][1], dice)
            bot.clock.advance(dice.randrange(60, 7_200))
        for _, session in made:
            _meddle(bot, session, dice)
        await _tell(bot, dice, late)
        bot.stripe.faults.down = dice.random() < 0.2
        await bot.service.reconciliation.run()
        await bot.work()
        bot.stripe.faults.down = False
    bot.clock.advance(10 * 24 * 3600)
    await _settle_down(bot, late)
    await _compare(bot, made)


def _pay(bot: StripeBot, session: dict[str, Any], dice: random.Random) -> None:
    lot = dice.random()
    if lot < 0.5:
        bot.ledger.pay_by_card(session)
    elif lot < 0.8 and session["amount_total"] >= 120:
        bot.ledger.choose_konbini(session)


def _meddle(bot: StripeBot, session: dict[str, Any], dice: random.Random) -> None:
    """Days later: slips are paid, money goes back, banks complain, refunds fail."""
    intent = bot.ledger.intents.get(str(session["payment_intent"]))
    if intent is None:
        return
    try:
        if intent["status"] == "requires_action" and dice.random() < 0.3:
            bot.ledger.pay_later(session)
        elif intent["latest_charge"] and dice.random() < 0.06:
            charge = bot.ledger.charges[intent["latest_charge"]]
            refund = bot.ledger.refund(charge, dice.choice((None, 50)))
            if dice.random() < 0.3:
                bot.ledger.fail_refund(refund)
        elif intent["latest_charge"] and dice.random() < 0.04:
            charge = bot.ledger.charges[intent["latest_charge"]]
            if not charge["disputed"]:
                dispute = bot.ledger.dispute(charge)
                if dice.random() < 0.6:
                    bot.ledger.close_dispute(dispute, won=dice.random() < 0.5)
    except Refused:
        pass  # what Stripe does not allow does not happen


async def _tell(bot: StripeBot, dice: random.Random, late: list[tuple[bytes, str]]) -> None:
    """News: some twice, some never, some of it days later, in any order."""
    bot.ledger.pass_time()
    for event in bot.ledger.events[bot.ledger._told :]:
        bot.ledger._told += 1
        lot = dice.random()
        if lot < 0.15:
            late.append(event)  # type: ignore[arg-type]
        elif lot < 0.95:
            for _ in range(1 + (lot < 0.3)):
                assert (await bot.post(*bot.ledger.signed(event, WEBHOOK_SECRET))).status == 200
    dice.shuffle(late)


async def _settle_down(bot: StripeBot, late: list[Any]) -> None:
    """Stripe delivers for three days; then everything that waits is asked for, until nothing moves."""
    bot.ledger.pass_time()
    for event in [*late, *bot.ledger.events]:
        assert (await bot.post(*bot.ledger.signed(event, WEBHOOK_SECRET))).status == 200
    for _ in range(8):
        await bot.service.reconciliation.run()
        await bot.work()
        bot.clock.advance(3_600)


async def _compare(bot: StripeBot, made: list[tuple[Donation, dict[str, Any]]]) -> None:
    kept_in_all = 0
    told = {message.id.removeprefix("chiipochi/") for message in await bot.sent()}
    for donation, session in made:
        found, order = await bot.now(donation), order_id_of(donation.user_id, donation.created_at)
        intent = bot.ledger.intents.get(str(session["payment_intent"])) or {}
        charge = bot.ledger.charges.get(str(intent.get("latest_charge")))
        kept = bot.ledger.kept(charge) if charge else 0
        assert found.status is (Status.SUCCEEDED if charge else Status.FAILED), session
        assert found.kept == kept
        assert (f"thanks/{order}" in told) <= (charge is not None), "nobody is thanked for nothing"
        assert (f"failed/{order}" in told) == (charge is None), "whoever paid is never told that they did not"
        kept_in_all += kept
    days = [TODAY + timedelta(days=age) for age in range(DAYS + 20)]
    checks = [await bot.service.reports.check(day) for day in days]
    assert [check.stored.day for check in checks if not check.agrees] == []
    assert sum(check.stored.amount for check in checks) == kept_in_all
    stamps = [await bot.service.mine.stamps(Donor(person)) for person in PEOPLE]
    counted = sum([(await bot.now(donation)).counts for donation, _ in made])
    assert sum(sum(card.values()) for card in stamps) == counted
