"""Money that comes twice is owed back, once."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei_systems.chiipochi.design.models import Outcome, Status
from sekkei_systems.chiipochi.ports.payments.port import PaymentEvent, RefundRefused
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.links import order_id_of
from tests.systems.chiipochi.conftest import AOI, TODAY, StripeBot

RENS = Operator("demo-ren")


async def _paid_twice(bot: StripeBot, session: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The second checkout and its charge."""
    bot.ledger.pay_by_card(session)
    await bot.tell()
    second = {**session, "id": bot.ledger.new_id("cs"), "status": "open", "payment_intent": None}
    bot.ledger.sessions[second["id"]] = second
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
    _, session = await bot.checkout()
    second, _ = await _paid_twice(bot, session)
    await surpluses.give_back(second["id"], "key")
    (refund,) = bot.ledger.refunds.values()
    bot.ledger.fail_refund(refund)
    await bot.tell()
    with pytest.raises(RefundRefused, match="is failed"):
        await surpluses.give_back(second["id"], "key")
    assert [one.tx_id for one in await surpluses.owed(RENS)] == [second["id"]]


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
