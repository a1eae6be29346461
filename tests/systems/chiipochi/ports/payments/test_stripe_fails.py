"""Our end of Stripe against the strict one, when that fails: payers can pay all the same, and money goes back once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.http import Http
from sekkei_fakes.stripe import Ledger, LocalStripe, serve
from sekkei_fakes.stripe.ledger import Thing
from sekkei_fakes.stripe.requests import Failing
from sekkei_fakes.stripe.server import KEY
from sekkei_systems.chiipochi.design.models import Outcome
from sekkei_systems.chiipochi.ports.payments.methods import Methods
from sekkei_systems.chiipochi.ports.payments.port import Order, ProviderAway, RefundRefused
from sekkei_systems.chiipochi.ports.payments.stripe import Stripe, _movement

ORDER_ID = "U1|2025-08-20T05:10:00.000Z"


@pytest.fixture
async def local(clock: ManualClock) -> AsyncIterator[LocalStripe]:
    async with serve(Ledger(clock)) as found:
        yield found


@pytest.fixture
def stripe(local: LocalStripe, clock: ManualClock) -> Stripe:
    return Stripe(KEY, "whsec", Http(), clock, local.url, site="https://x/chiipochi")


@pytest.fixture
def order(clock: ManualClock) -> Order:
    until = datetime.fromtimestamp(clock.now(), UTC) + timedelta(hours=23)
    return Order(ORDER_ID, 500, "千葉県への寄付", "https://x/done", "https://x/back", until)


def _paid(local: LocalStripe, tx_id: str) -> Thing:
    return local.ledger.pay_by_card(local.ledger.sessions[tx_id])


@pytest.mark.parametrize("failing", ["before", "after"])
async def test_a_checkout_is_made_after_a_failure_that_is_kept(
    local: LocalStripe, stripe: Stripe, order: Order, failing: Failing
) -> None:
    local.end.requests.fails = lambda key: "" if key.endswith("|3") else failing
    for _ in range(2):
        with pytest.raises(ProviderAway):
            await stripe.create(order)
    first = await stripe.create(order)
    assert await stripe.create(order) == first, "asked again, the same one"
    assert len(local.ledger.sessions) == (3 if failing == "after" else 1)
    _paid(local, first.tx_id)
    found = await stripe.fetch(first.tx_id)
    assert found is not None
    assert (found.outcome, found.order_id) == (Outcome.PAID, ORDER_ID)


async def test_a_transfer_has_a_customer_after_a_failure_that_is_kept(
    local: LocalStripe, clock: ManualClock, order: Order
) -> None:
    stripe = Stripe(KEY, "whsec", Http(), clock, local.url, methods=Methods(("card", "customer_balance")))
    local.end.requests.fails = lambda key: "after" if key.startswith("customer|") and not key.endswith("|2") else ""
    with pytest.raises(ProviderAway):
        await stripe.create(order)
    assert await stripe.create(order) == await stripe.create(order)


@pytest.mark.parametrize("failing", ["before", "after"])
async def test_money_goes_back_once_after_a_failure_that_is_kept(
    local: LocalStripe, stripe: Stripe, order: Order, failing: Failing
) -> None:
    charge = _paid(local, (tx_id := (await stripe.create(order)).tx_id))
    local.end.requests.fails = lambda key: "" if key.endswith("|2") else failing
    with pytest.raises(ProviderAway):
        await stripe.refund(tx_id, ORDER_ID, "17")
    refund_id = await stripe.refund(tx_id, ORDER_ID, "17")
    assert [*local.ledger.refunds] == [refund_id]
    assert await stripe.refund(tx_id, ORDER_ID, "17") == refund_id
    assert (len(local.ledger.refunds), charge["amount_refunded"]) == (1, 500)


async def test_a_refund_that_failed_behind_a_kept_failure_is_not_asked_for_again(
    local: LocalStripe, stripe: Stripe, order: Order
) -> None:
    """Stripe made it and said 500, and the payer's bank has sent it back since: that try has come to nothing."""
    charge = _paid(local, (tx_id := (await stripe.create(order)).tx_id))
    local.end.requests.fails = lambda key: "after"
    with pytest.raises(ProviderAway):
        await stripe.refund(tx_id, ORDER_ID, "17")
    (refund,) = local.ledger.refunds.values()
    local.ledger.fail_refund(refund)
    local.end.requests.fails = lambda key: ""
    with pytest.raises(RefundRefused):
        await stripe.refund(tx_id, ORDER_ID, "17")
    assert len(local.ledger.refunds) == 1
    assert await stripe.refund(tx_id, ORDER_ID, "18") != refund["id"], "another try is another one"
    assert charge["amount_refunded"] == 500


async def test_two_taps_at_once_lead_to_one_checkout(local: LocalStripe, stripe: Stripe, order: Order) -> None:
    """Stripe refuses the second request while the first holds the key."""
    first, second = await asyncio.gather(stripe.create(order), stripe.create(order))
    assert first == second
    assert [*local.ledger.sessions] == [first.tx_id]


async def test_a_refund_that_is_under_way_elsewhere_is_one(local: LocalStripe, stripe: Stripe, order: Order) -> None:
    _paid(local, (tx_id := (await stripe.create(order)).tx_id))
    first, second = await asyncio.gather(*(stripe.refund(tx_id, ORDER_ID, "17") for _ in range(2)))
    assert [*local.ledger.refunds] == [first] == [second]


async def test_a_refund_that_stripe_has_forgotten_is_not_made_twice(
    local: LocalStripe, stripe: Stripe, order: Order, clock: ManualClock
) -> None:
    """Its answer was lost, and it is asked for again when the key has died."""
    charge = _paid(local, (tx_id := (await stripe.create(order)).tx_id))
    first = await stripe.refund(tx_id, ORDER_ID, "17")
    clock.advance(25 * 3600)
    assert await stripe.refund(tx_id, ORDER_ID, "17") == "refunded at Stripe"
    assert ([*local.ledger.refunds], charge["amount_refunded"]) == ([first], 500)


async def test_stripe_is_asked_again_that_had_too_many_requests(
    local: LocalStripe, stripe: Stripe, order: Order, clock: ManualClock
) -> None:
    local.end.per_second = lambda method: 0 if len(local.requests) < 3 else 100
    assert (await stripe.create(order)).tx_id in local.ledger.sessions
    local.end.per_second = lambda method: 0
    for ask in (stripe.create(order), stripe.fetch("cs_1"), stripe.balance()):
        with pytest.raises(ProviderAway):
            await ask


async def test_money_from_a_convenience_store_is_in_the_books_as_any_other(
    local: LocalStripe, stripe: Stripe, order: Order, clock: ManualClock
) -> None:
    session = local.ledger.sessions[(await stripe.create(order)).tx_id]
    local.ledger.choose_konbini(session)
    local.ledger.fail_refund(local.ledger.refund(local.ledger.pay_later(session)))
    now = datetime.fromtimestamp(clock.now(), UTC)
    moved = [one async for one in stripe.movements(now, now + timedelta(seconds=1))]
    assert sorted((one.kind, one.amount) for one in moved) == [("charge", 500), ("refund", -500), ("refund", 500)]


@pytest.mark.parametrize(
    ("type", "kind"), [("payment_reversal", "refund"), ("payment_failure_refund", "refund"), ("stripe_fee", "other")]
)
def test_kinds_of_movements(type: str, kind: str) -> None:
    found = {"id": "txn_1", "type": type, "amount": -500, "fee": 0, "created": 1, "source": "py_1"}
    assert _movement(found).kind == kind


def test_a_way_to_pay_is_offered_within_what_stripe_takes_for_it() -> None:
    methods = Methods(("card", "konbini"))
    offered = {amount: "konbini" in methods.fields(amount).values() for amount in (119, 120, 300_000, 300_001)}
    assert offered == {119: False, 120: True, 300_000: True, 300_001: False}
