"""Money that comes twice is owed back, once."""

from __future__ import annotations

import asyncio
from contextvars import Context
from typing import Any

import pytest

from sekkei_systems.chiipochi.design import donations
from sekkei_systems.chiipochi.design.models import Donation, Outcome, Status, is_forgotten
from sekkei_systems.chiipochi.ports.payments.port import PaymentEvent, RefundRefused
from sekkei_systems.chiipochi.refusals import UnknownOrder
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.links import order_id_of
from sekkei_systems.chiipochi.service.surplus import key_of
from tests.systems.chiipochi.conftest import AOI, TODAY, WEBHOOK_SECRET, StripeBot

RENS = Operator("demo-ren")


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
