"""Money that is given back."""

from __future__ import annotations

import asyncio

import pytest

from sekkei.design import replace
from sekkei.runtime.data_subjects import LEAVE
from sekkei.runtime.refusals import Conflict
from sekkei_systems.chiipochi.design import donations
from sekkei_systems.chiipochi.design.models import Dispute, Donation, Outcome, Status
from sekkei_systems.chiipochi.ports.payments.port import PaymentEvent
from sekkei_systems.chiipochi.refusals import NotRefundable, UnknownOrder
from sekkei_systems.chiipochi.service.access import Donor, Operator
from sekkei_systems.chiipochi.service.links import order_id_of
from sekkei_systems.chiipochi.service.surplus import key_of
from tests.systems.chiipochi.conftest import AOI, REN, TODAY, Bot, StripeBot

RENS = Operator("demo-ren")


async def test_money_for_a_donation_that_was_given_up_is_owed_back(bot: Bot) -> None:
    await bot.say("ピーナッツ", "はい")
    (donation,) = await bot.donations()
    order_id = order_id_of(AOI, donation.created_at)
    await bot.service.settling.apply(PaymentEvent("evt_1", "tx_1", order_id, 100, Outcome.FAILED))
    late = PaymentEvent("evt_2", "tx_1", order_id, 100, Outcome.PAID)
    assert await bot.service.settling.apply(late) in ("late", "known")
    assert await bot.service.settling.apply(late) == "known"
    await bot.work()
    assert [found.created_at for found in await bot.service.refunds.owed(RENS)] == [donation.created_at]
    assert (await bot.service.reports.day(TODAY)).count == 0
    await bot.service.refunds.mark_refunded(Operator("somebody"), AOI, donation.created_at)
    assert await bot.service.refunds.owed(RENS) == []
    assert [found.refund_id for found in await bot.service.refunds.given_back(RENS)] == ["by hand: somebody"]
    (donation,) = await bot.donations()
    assert donation.status is Status.FAILED


async def test_a_refund_leaves_the_totals_once_and_no_status_of_its_own(bot: Bot) -> None:
    donation = await bot.donate()
    await bot.donate("ゴーヤ", REN)
    refunds = bot.service.refunds
    for _ in range(2):
        await refunds.refund(RENS, AOI, donation.created_at)
    await bot.work()
    found = (await bot.donations())[0]
    assert (found.status, found.refund_asked_by, found.refund_pk) == (Status.SUCCEEDED, "demo-ren", "DONE")
    assert found.refund_id == (donation.tx_id or "").replace("cs_", "re_")
    assert (await refunds.owed(RENS), len(await refunds.given_back(RENS))) == ([], 1)
    check = await bot.service.reports.check(TODAY)
    assert check.agrees
    assert (check.stored.amount, check.stored.count, set(check.stored.prefectures)) == (100, 1, {"OKINAWA"})
    assert (await bot.service.mine.today(Donor(AOI))).amount == 0
    assert (await bot.service.mine.year(Donor(AOI), 2025)).count == 0
    assert len(await bot.sent("refunded/")) == 1
    # Told again from the beginning, or written down by hand as well: nothing moves.
    await refunds.mark_refunded(RENS, AOI, donation.created_at)
    parts = bot.client.shell.deployment.systems["chiipochi"].parts
    assert await parts.reactions[0].handle({"Records": await bot.records()}) == {"batchItemFailures": []}
    assert await bot.service.reports.check(TODAY) == check
    assert await bot.service.mine.stamps(Donor(AOI)) == {}, "what was given back earns no stamp"


async def test_only_money_that_came_can_be_given_back(bot: Bot) -> None:
    await bot.say("ピーナッツ", "はい")
    (waiting,) = await bot.donations()
    for give in (bot.service.refunds.refund, bot.service.refunds.mark_refunded):
        with pytest.raises(NotRefundable):
            await give(RENS, AOI, waiting.created_at)
    with pytest.raises(UnknownOrder):
        await bot.service.refunds.refund(RENS, REN, waiting.created_at)
    assert (await bot.donations()) == [waiting]


async def test_two_operators_at_once_give_money_back_once(stripe_bot: StripeBot) -> None:
    """Both press the button, and one says that it was done by hand: Stripe gives it back once, the donor hears once."""
    bot, (first, second) = stripe_bot, (Operator("aoi"), Operator("ren"))
    donation, session = await bot.checkout()
    bot.ledger.pay_by_card(session)
    await bot.tell()
    key, refunds = (donation.user_id, donation.created_at), bot.service.refunds
    asked = await asyncio.gather(*(refunds.refund(who, *key) for who in (first, second)), return_exceptions=True)
    assert all(answer is None or isinstance(answer, Conflict) for answer in asked)
    said = await asyncio.gather(
        bot.work(), *(refunds.mark_refunded(who, *key) for who in (first, second)), return_exceptions=True
    )
    assert all(answer is None or isinstance(answer, Conflict) for answer in said)
    await bot.tell(times=2)
    assert len(bot.ledger.refunds) <= 1
    found = await bot.now(donation)
    assert (found.refunded, found.kept) == (500, 0)
    assert len(await bot.sent("refunded/")) == 1
    assert (await bot.service.reports.check(TODAY)).agrees


async def _asked(bot: StripeBot, operator: Operator = RENS) -> Donation:
    """A donation that somebody wants given back; nothing has been done about it yet."""
    donation, session = await bot.checkout()
    bot.ledger.pay_by_card(session)
    await bot.tell()
    await bot.service.refunds.refund(operator, AOI, donation.created_at)
    return await bot.now(donation)


async def _leaves(bot: StripeBot, account: str) -> None:
    leaving = {"user_id": account, "email": "", "name": ""}
    for _, step in bot.client.shell.deployment.systems["chiipochi"].parts.jobs[LEAVE].steps:
        progress = await step(leaving, None)
        while progress.cursor is not None:
            progress = await step(leaving, progress.cursor)


async def test_an_operator_who_leaves_is_not_named_where_a_bank_has_taken_the_money(stripe_bot: StripeBot) -> None:
    """It is nothing to be given back then, nor anything given back: no list leads there."""
    bot = stripe_bot
    donation, session = await bot.checkout()
    charge = bot.ledger.pay_by_card(session)
    await bot.tell()
    dispute = bot.ledger.dispute(charge)
    await bot.service.refunds.refund(Operator("account-1"), AOI, donation.created_at)
    await bot.tell()
    bot.ledger.close_dispute(dispute, won=False)
    await bot.tell()
    assert (await bot.now(donation)).refund_pk is None
    with pytest.raises(NotRefundable):
        await bot.service.refunds.refund(Operator("account-1"), AOI, donation.created_at)
    await _leaves(bot, "account-1")
    assert (await bot.now(donation)).refund_asked_by != "account-1"


async def test_nobody_asks_for_what_a_bank_has_taken(stripe_bot: StripeBot) -> None:
    """Also of money that came too late."""
    bot = stripe_bot
    donation = await _asked(bot)
    lost = replace(donation, dispute=Dispute.LOST, paid_late_at=donation.paid_at, refund_asked_at=None)
    await bot.db.write(donations.put(lost))
    with pytest.raises(NotRefundable):
        await bot.service.refunds.refund(RENS, AOI, donation.created_at)


async def test_an_operator_who_leaves_takes_no_refund_along(stripe_bot: StripeBot) -> None:
    bot = stripe_bot
    donation = await _asked(bot, Operator("account-1"))
    await _leaves(bot, "account-1")
    await bot.tell()
    assert len(bot.ledger.refunds) == 1
    assert (await bot.now(donation)).refund_asked_by != "account-1"


async def test_a_refund_of_somebody_who_is_forgotten_waits_for_the_index(
    stripe_bot: StripeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = stripe_bot
    await _asked(bot)
    await bot.forget()

    async def behind(query: object) -> None: ...

    monkeypatch.setattr(bot.db, "first", behind)
    await bot.tell()
    assert len(bot.ledger.refunds) == 1, "the name that it moved to is known without an index"
    assert [one.refunded for one in await bot.service.refunds.given_back(RENS)] == [500]


async def test_a_refund_that_was_tried_for_the_last_time_can_be_asked_for_again(
    stripe_bot: StripeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stripe is away for a day."""
    bot = stripe_bot
    donation = await _asked(bot)

    async def away(*given: str) -> str:
        raise ConnectionError("away")

    monkeypatch.setattr(bot.service.settling.provider, "refund", away)
    for _ in range(60):
        bot.clock.advance(600)
        await bot.work()
    monkeypatch.undo()
    assert (await bot.now(donation)).refund_failed_at is not None
    await bot.service.refunds.refund(RENS, AOI, donation.created_at)
    await bot.tell()
    assert len(bot.ledger.refunds) == 1
    assert (await bot.now(donation)).kept == 0


async def test_an_older_try_says_nothing_of_a_newer_one(stripe_bot: StripeBot) -> None:
    bot = stripe_bot
    donation = await _asked(bot)
    await bot.tell()
    order, tx_id = order_id_of(AOI, donation.created_at), donation.tx_id or ""
    assert donation.refund_asked_at is not None
    first = key_of(donation.refund_asked_at)
    bot.clock.advance(1)
    bot.ledger.fail_refund(next(iter(bot.ledger.refunds.values())))
    await bot.tell()
    bot.clock.advance(1)
    await bot.service.refunds.refund(RENS, AOI, donation.created_at)
    await bot.service.refunds.give_back(order, tx_id, first)
    await bot.service.refunds.give_up(order, tx_id, first)
    assert (await bot.now(donation)).is_refund_running
    assert len(bot.ledger.refunds) == 1, "nor does it give anything back"


async def test_a_try_that_comes_again_does_not_outweigh_what_was_heard_since(stripe_bot: StripeBot) -> None:
    """A part went back at Stripe, the rest by us; whoever wrote that down died, and the part failed at the bank before
    the same try was carried out once more. Stripe says of it what it said the first time."""
    bot = stripe_bot
    donation, session = await bot.checkout()
    charge = bot.ledger.pay_by_card(session)
    await bot.tell()
    part = bot.ledger.refund(charge, 200)
    await bot.tell()
    await bot.service.refunds.refund(RENS, AOI, donation.created_at)
    asked = await bot.now(donation)
    await bot.tell()
    assert (await bot.now(donation)).refunded == donation.amount
    bot.clock.advance(1)
    bot.ledger.fail_refund(part)
    await bot.tell()
    left = donation.amount - 200
    assert (await bot.now(donation)).refunded == left
    assert asked.refund_asked_at is not None
    order = order_id_of(AOI, donation.created_at)
    await bot.service.refunds.give_back(order, asked.tx_id or "", key_of(asked.refund_asked_at))
    now = await bot.now(donation)
    assert (now.refunded, now.refund_pk) == (left, "OWED")
