"""A month, small: every way to pay and everything that goes wrong; the books end as the provider's ledger says, and
nobody has been told anything false."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest

from sekkei_systems.chiipochi.design.models import Donation, Status
from sekkei_systems.chiipochi.local.stripe import balance
from sekkei_systems.chiipochi.local.stripe.errors import Refused
from sekkei_systems.chiipochi.service.access import Donor, Operator
from sekkei_systems.chiipochi.service.links import order_id_of
from tests.systems.chiipochi.conftest import TODAY, WEBHOOK_SECRET, StripeBot

PEOPLE = [f"U{number:032x}" for number in range(8)]
WORDS = ("ピーナッツ 500", "ゴーヤ 300円", "1,000円を沖縄へ", "牛タン", "横浜 千円", "たこ焼き 700円お願いします")
OPERATOR = Operator("aoi")


async def test_a_month_of_money_ends_as_the_ledger_says(stripe_bot: StripeBot) -> None:
    """Short: twelve days of four donations each."""
    await _live_through(stripe_bot, days=12, each=4)


@pytest.mark.torture
@pytest.mark.timeout(7200)
async def test_a_month_of_twenty_thousand_donations(stripe_bot: StripeBot) -> None:
    await _live_through(stripe_bot, days=30, each=667)


async def _live_through(bot: StripeBot, days: int, each: int) -> None:
    dice = random.Random(11)
    made: list[tuple[Donation, dict[str, Any]]] = []
    late: list[tuple[bytes, str]] = []
    for _ in range(days):
        for _ in range(each):
            made.append(await bot.checkout(dice.choice(WORDS), dice.choice(PEOPLE)))
            _pay(bot, made[-1][1], dice)
            bot.clock.advance(dice.randrange(60, 7_200) * 4 / each)
        for _, session in made:
            _meddle(bot, session, dice)
        await _tell(bot, dice, late)
        bot.stripe.faults.down = dice.random() < 0.2
        await bot.service.reconciliation.run()
        await bot.work()
        bot.stripe.faults.down = False
    bot.clock.advance(10 * 24 * 3600)
    await _settle_down(bot, late)
    await _compare(bot, made, days)
    await _compare_books(bot)


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


async def _compare_books(bot: StripeBot) -> None:
    """Books, payouts, receipts and rankings, beside what Stripe itself adds up."""
    service = bot.service
    await service.books.take_over()
    now = bot.ledger.now()
    moved = balance.listed(bot.ledger.movements.values(), now)
    months = [await service.books.month(OPERATOR, f"2025-{month:02d}") for month in (8, 9, 10)]
    assert sum(found.total.net for found in months) == sum(one["net"] for one in moved if one["type"] != "payout")
    assert sum(found.total.fees for found in months) == sum(one["fee"] for one in moved)
    assert sum(found.paid_out for found in months) == -sum(one["amount"] for one in moved if one["type"] == "payout")
    assert all(payout.parts_net == -payout.amount for found in months for payout in found.payouts)
    mark = months[0].mark
    assert mark is not None
    assert mark.booked == mark.balance == sum(one["net"] for one in moved)
    await service.rankings.roll_up()
    kept = sum(bot.ledger.kept(charge) for charge in bot.ledger.charges.values())
    assert (await service.rankings.of("all")).amount == kept
    for person in PEOPLE:
        donor = Donor(person)
        given = (await service.mine.year(donor, 2025)).amount
        await service.details.keep(donor, "青木 葵", "千葉市")
        assert given == 0 or (await service.receipts.issue_year(donor, 2025)).amount == given


async def _compare(bot: StripeBot, made: list[tuple[Donation, dict[str, Any]]], lasted: int) -> None:
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
    days = [TODAY + timedelta(days=age) for age in range(lasted + 20)]
    checks = [await bot.service.reports.check(day) for day in days]
    assert [check.stored.day for check in checks if not check.agrees] == []
    assert sum(check.stored.amount for check in checks) == kept_in_all
    stamps = [await bot.service.mine.stamps(Donor(person)) for person in PEOPLE]
    counted = sum([(await bot.now(donation)).counts for donation, _ in made])
    assert sum(sum(card.values()) for card in stamps) == counted
