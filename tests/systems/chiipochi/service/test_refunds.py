"""Money that is given back."""

from __future__ import annotations

import asyncio
from contextvars import Context
from typing import Any

import pytest

from sekkei.design import replace
from sekkei.runtime.data_subjects import LEAVE
from sekkei.runtime.refusals import Conflict
from sekkei_systems.chiipochi.design import donations
from sekkei_systems.chiipochi.design.models import Dispute, Donation, Outcome, Status, is_forgotten
from sekkei_systems.chiipochi.ports.payments import PaymentEvent, RefundRefused
from sekkei_systems.chiipochi.refusals import NotRefundable, UnknownOrder
from sekkei_systems.chiipochi.service.access import Donor, Operator
from sekkei_systems.chiipochi.service.donations import order_id_of
from sekkei_systems.chiipochi.service.refunds import key_of
from tests.systems.chiipochi.conftest import AOI, REN, TODAY, WEBHOOK_SECRET, Bot, StripeBot

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


# Money that comes twice is owed back, once.


async def _paid_twice(bot: StripeBot, session: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The second checkout and its charge."""
    bot.ledger.pay_by_card(session)
    await bot.tell()
    second = bot.ledger.again(session)
    charge = bot.ledger.pay_by_card(second)
    assert await bot.tell(times=2) == [200, 200]
    return second, charge


async def test_a_second_payment_is_owed_back_and_given_back(stripe_bot: StripeBot) -> None:
    bot = stripe_bot
    donation, session = await bot.checkout()
    second, charge = await _paid_twice(bot, session)
    (owed,) = await bot.service.surpluses.owed(RENS)
    assert (owed.tx_id, owed.amount) == (second["id"], 500)
    assert (await bot.now(donation)).tx_id == session["id"], "the donation keeps its own payment"
    assert (await bot.service.reports.check(TODAY)).counted.amount == 500, "and counts once"
    assert len(await bot.sent("paid-twice/")) == 1
    page = (await bot.client.get("/chiipochi/operator", follow=True)).text
    assert "二重の入金" in page
    for _ in range(2):
        await bot.service.surpluses.refund(RENS, second["id"])
        await bot.tell()
    assert await bot.service.surpluses.owed(RENS) == []
    assert charge["amount_refunded"] == 500
    assert (await bot.now(donation)).kept == 500
    assert len(await bot.sent("refunded/")) == 1


async def test_the_end_of_a_second_checkout_is_not_the_end_of_the_donation(stripe_bot: StripeBot) -> None:
    bot = stripe_bot
    donation, session = await bot.checkout()
    order = order_id_of(AOI, donation.created_at)
    for tx_id in ("cs_other", ""):
        over = PaymentEvent(f"evt/{tx_id}", tx_id, order, 500, Outcome.FAILED)
        assert await bot.service.settling.apply(over) == "known"
    assert (await bot.now(donation)).status is Status.PENDING, "its own checkout can still be paid"
    assert await bot.sent("failed/") == []
    bot.ledger.pay_by_card(session)
    await bot.tell()
    assert (await bot.now(donation)).status is Status.SUCCEEDED


async def test_a_second_payment_that_was_refunded_at_stripe_is_no_longer_owed(stripe_bot: StripeBot) -> None:
    bot = stripe_bot
    donation, session = await bot.checkout()
    bot.clock.advance(25 * 3600)
    await bot.tell()
    order = order_id_of(AOI, donation.created_at)
    late = PaymentEvent("e1", session["id"], order, 500, Outcome.PAID, payment_ref="pi_first")
    assert await bot.service.settling.apply(late) == "late"
    second = {**session, "id": bot.ledger.new_id("cs"), "status": "open", "expires_at": bot.ledger.now() + 3600}
    bot.ledger.sessions[second["id"]] = second
    charge = bot.ledger.pay_by_card(second)
    await bot.tell()
    assert [found.tx_id for found in await bot.service.surpluses.owed(RENS)] == [second["id"]]
    bot.ledger.refund(charge)
    await bot.tell()
    assert await bot.service.surpluses.owed(RENS) == []
    assert len(await bot.service.refunds.owed(RENS)) == 1, "the late one still is"


async def test_a_second_payment_whose_refund_fails_is_owed_again(stripe_bot: StripeBot) -> None:
    bot, surpluses = stripe_bot, stripe_bot.service.surpluses
    _, session = await bot.checkout()
    second, charge = await _paid_twice(bot, session)
    await surpluses.refund(RENS, second["id"])
    await bot.tell()
    assert await surpluses.owed(RENS) == []
    (refund,) = bot.ledger.refunds.values()
    bot.clock.advance(60)
    bot.ledger.fail_refund(refund)
    await bot.tell(times=2)
    (owed,) = await surpluses.owed(RENS)
    assert owed.refund_failed_at is not None
    (told,) = await bot.sent("refund-back/")
    assert "500円" in str(told.body)
    bot.clock.advance(60)
    await surpluses.refund(RENS, second["id"])
    await bot.tell()
    assert await surpluses.owed(RENS) == []
    assert charge["amount_refunded"] == 500
    assert len(await bot.sent("refunded/")) == 2


async def test_an_answer_about_a_second_payment_that_stripe_repeats_is_not_believed(stripe_bot: StripeBot) -> None:
    bot, surpluses = stripe_bot, stripe_bot.service.surpluses
    donation, session = await bot.checkout()
    order = order_id_of(AOI, donation.created_at)
    second, _ = await _paid_twice(bot, session)
    await surpluses.refund(RENS, second["id"])
    (asked_at,) = [one.refund_asked_at for one in await surpluses.owed(RENS)]
    assert asked_at is not None
    key = key_of(asked_at)
    await surpluses.give_back(order, second["id"], key)
    (refund,) = bot.ledger.refunds.values()
    bot.ledger.fail_refund(refund)
    await bot.tell()
    with pytest.raises(RefundRefused, match="is failed"):
        await bot.service.settling.provider.refund(second["id"], order, key)
    await surpluses.give_back(order, second["id"], key)
    assert [one.tx_id for one in await surpluses.owed(RENS)] == [second["id"]]
    assert len(bot.ledger.refunds) == 1


async def test_a_second_payment_given_back_by_hand_stays_so(stripe_bot: StripeBot) -> None:
    bot, surpluses = stripe_bot, stripe_bot.service.surpluses
    _, session = await bot.checkout()
    second, charge = await _paid_twice(bot, session)
    for _ in range(2):
        await surpluses.mark_refunded(RENS, second["id"])
    bot.ledger.refund(charge, 100)
    await bot.tell()
    assert await surpluses.owed(RENS) == []
    assert await bot.sent("refund-back/") == []


async def test_two_payments_that_come_too_late_at_once_are_both_owed(
    stripe_bot: StripeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, settling = stripe_bot, stripe_bot.service.settling
    await bot.say("ピーナッツ 500", "はい")
    (donation,) = await bot.donations()
    order = order_id_of(AOI, donation.created_at)
    await settling.apply(PaymentEvent("e1", "tx_1", order, 500, Outcome.FAILED))
    tells = settling.letters.to

    async def slow(*given: Any) -> Any:
        monkeypatch.undo()
        assert await settling.apply(PaymentEvent("e2", "tx_1", order, 500, Outcome.PAID)) == "late"
        return await tells(*given)

    monkeypatch.setattr(settling.letters, "to", slow)
    assert await settling.apply(PaymentEvent("e3", "tx_2", order, 500, Outcome.PAID)) == "late"
    assert [one.tx_id for one in await bot.service.surpluses.owed(RENS)] == ["tx_2"]
    assert [one.tx_id for one in await bot.service.refunds.owed(RENS)] == ["tx_1"]


async def test_a_second_payment_of_somebody_who_was_forgotten_is_owed(stripe_bot: StripeBot) -> None:
    bot = stripe_bot
    _, session = await bot.checkout()
    bot.ledger.pay_by_card(session)
    await bot.tell()
    await bot.forget()
    second = bot.ledger.again(session)
    bot.ledger.pay_by_card(second)
    await bot.tell()
    (owed,) = await bot.service.surpluses.owed(RENS)
    assert (owed.tx_id, is_forgotten(owed.user_id)) == (second["id"], True)


async def test_a_second_payment_filed_while_its_donor_is_forgotten_names_nobody(
    stripe_bot: StripeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = stripe_bot
    donation, session = await bot.checkout()
    bot.ledger.pay_by_card(session)
    await bot.tell()
    letters = bot.service.surpluses.letters
    tells = letters.to

    async def slow(*given: Any, **named: Any) -> Any:
        monkeypatch.undo()
        await asyncio.create_task(bot.forget(), context=Context())
        return await tells(*given, **named)

    monkeypatch.setattr(letters, "to", slow)
    again = PaymentEvent("e9", "cs_9", order_id_of(AOI, donation.created_at), 500, Outcome.PAID, payment_ref="pi_9")
    with pytest.raises(UnknownOrder):
        await bot.service.settling.apply(again)
    assert await bot.service.settling.apply(again) == "late", "the provider tells us again"
    (owed,) = await bot.service.surpluses.owed(RENS)
    assert is_forgotten(owed.user_id)
    assert await bot.sent("paid-twice/") == []


async def test_a_refund_of_a_second_payment_that_is_told_before_it_is_not_forgotten(stripe_bot: StripeBot) -> None:
    bot = stripe_bot
    _, session = await bot.checkout()
    bot.ledger.pay_by_card(session)
    await bot.tell()
    bot.ledger.refund(bot.ledger.pay_by_card(bot.ledger.again(session)))
    for news in reversed(list(bot.ledger.news(WEBHOOK_SECRET))):
        assert (await bot.post(*news)).status == 200
        await bot.work()
    assert await bot.service.surpluses.owed(RENS) == []


async def test_a_second_payment_is_given_back_under_one_key_whatever_its_donor_is_called(
    stripe_bot: StripeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stripe has done it, the answer is lost, the donor is forgotten: another order under the same key is refused."""
    bot, surpluses = stripe_bot, stripe_bot.service.surpluses
    _, session = await bot.checkout()
    second, _ = await _paid_twice(bot, session)
    provider = bot.service.settling.provider
    gives = provider.refund

    async def lost(*given: str) -> str:
        monkeypatch.undo()
        await gives(*given)
        raise ConnectionError("the answer is lost")

    monkeypatch.setattr(provider, "refund", lost)
    await surpluses.refund(RENS, second["id"])
    await bot.work()
    await bot.forget()
    bot.clock.advance(600)
    await bot.work()
    assert len(bot.ledger.refunds) == 1
    assert await surpluses.owed(RENS) == []


async def test_a_donation_of_before_does_not_take_its_second_payments_news(stripe_bot: StripeBot) -> None:
    bot, surpluses = stripe_bot, stripe_bot.service.surpluses
    donation, session = await bot.checkout()
    _, charge = await _paid_twice(bot, session)
    await bot.db.write(donations.update(AOI, donation.created_at).remove(Donation.payment_ref))
    bot.ledger.refund(charge)
    await bot.tell()
    assert await surpluses.owed(RENS) == []
    assert (await bot.now(donation)).kept == 500
