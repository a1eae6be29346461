"""Stripe, against a server that answers as Stripe documents it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.http import Http
from sekkei_fakes.stripe import Ledger, LocalStripe, serve
from sekkei_fakes.stripe.ledger import Thing
from sekkei_fakes.stripe.requests import Failing
from sekkei_fakes.stripe.server import KEY
from sekkei_systems.chiipochi.design.models import Outcome
from sekkei_systems.chiipochi.ports.payments import Methods, Order, ProviderAway, RefundRefused
from sekkei_systems.chiipochi.ports.stripe import Stripe, StripeError, _movement, sign_body
from sekkei_systems.chiipochi.refusals import BadCallback
from tests.runtime.servers import http_server
from tests.systems.chiipochi.conftest import CHECKOUT


@pytest.mark.parametrize(
    ("kind", "session", "outcome"),
    [
        ("checkout.session.completed", {"payment_status": "unpaid", "status": "complete"}, Outcome.WAITING),
        ("checkout.session.async_payment_succeeded", {}, Outcome.PAID),
        ("checkout.session.async_payment_failed", {"payment_status": "unpaid"}, Outcome.FAILED),
        ("checkout.session.expired", {"payment_status": "unpaid", "status": "expired"}, Outcome.FAILED),
    ],
)
def test_what_stripe_says(clock: ManualClock, kind: str, session: dict[str, Any], outcome: Outcome) -> None:
    stripe = Stripe("sk", "whsec", Http(), clock)
    body = orjson.dumps({"id": "e", "type": kind, "data": {"object": {**CHECKOUT, **session}}})
    found = stripe.verify(body, {"stripe-signature": sign_body(b"whsec", clock.now(), body)})
    assert found is not None
    assert found.outcome is outcome


@pytest.mark.parametrize(
    "header", [None, "", "t=1", "v1=00", "t=x,v1=00", "t=1755666600,v1=00", "t=1755666600,t=1,v1=00", "t=-1,v1=00"]
)
def test_what_stripe_did_not_sign_is_refused(clock: ManualClock, header: str | None) -> None:
    stripe = Stripe("sk", "whsec", Http(), clock)
    with pytest.raises(BadCallback):
        stripe.verify(b"{}", {} if header is None else {"stripe-signature": header})
    without_secret = Stripe("sk", "", Http(), clock)
    with pytest.raises(BadCallback):
        without_secret.verify(b"{}", {"stripe-signature": sign_body(b"", clock.now(), b"{}")})


@pytest.mark.parametrize(
    ("session", "created"),
    [
        ({"id": None}, 1),
        ({"currency": "usd"}, 1),
        ({"amount_total": "many"}, 1),
        ({}, 2**62),
        ({}, -(2**62)),
        ({}, "x"),
    ],
)
def test_what_makes_no_sense_is_refused(clock: ManualClock, session: dict[str, Any], created: object) -> None:
    stripe = Stripe("sk", "whsec", Http(), clock)
    event = {"id": "e", "type": "checkout.session.completed", "created": created}
    body = orjson.dumps({**event, "data": {"object": {**CHECKOUT, **session}}})
    with pytest.raises(BadCallback):
        stripe.verify(body, {"stripe-signature": sign_body(b"whsec", clock.now(), body)})


async def test_stripe_gives_money_back_once(clock: ManualClock) -> None:
    paid = {**CHECKOUT, "payment_intent": "pi_1"}
    done = (200, {}, {"id": "re_1", "status": "succeeded"})
    async with http_server((200, {}, paid), (500, {}, {}), (200, {}, paid), done, done) as server:
        stripe = Stripe("sk", "whsec", Http(), clock, server.url)
        with pytest.raises(StripeError):
            await stripe.refund("cs_1", "U1|x", "")
        assert await stripe.refund("cs_1", "U1|x", "") == "re_1"
    first, second = server.received[1], server.received[3]
    assert (first.path, first.headers["idempotency-key"]) == ("/v1/refunds", "refund|cs_1")
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert first.body == second.body
    assert parse_qs(first.body.decode())["payment_intent"] == ["pi_1"]


def _refund(status: str) -> Any:
    return 200, {}, {"id": "re_1", "status": status}


def _charged(*, refunded: bool) -> Any:
    return 200, {}, {**CHECKOUT, "payment_intent": {"id": "pi_1", "latest_charge": {"refunded": refunded}}}


@pytest.mark.parametrize(
    ("answers", "refund_id"),
    [
        ([(400, {}, {"error": {"code": "charge_disputed"}})], None),
        ([_refund("failed"), _refund("failed")], None),
        ([_refund("succeeded"), _refund("failed")], None),
        ([_refund("requires_action"), _refund("canceled")], None),
        ([_refund("requires_action"), _refund("requires_action")], "re_1"),
        ([_refund("pending"), _refund("succeeded")], "re_1"),
        ([(400, {}, {"error": {"code": "charge_already_refunded"}}), _charged(refunded=True)], "refunded at Stripe"),
        ([(400, {}, {"error": {"code": "charge_already_refunded"}}), _charged(refunded=False)], None),
    ],
)
async def test_what_stripe_says_to_a_refund(clock: ManualClock, answers: Any, refund_id: str | None) -> None:
    async with http_server((200, {}, {**CHECKOUT, "payment_intent": "pi_1"}), *answers) as server:
        stripe = Stripe("sk", "whsec", Http(), clock, server.url)
        if refund_id is None:
            with pytest.raises(RefundRefused):
                await stripe.refund("cs_1", "U1|x", "")
        else:
            assert await stripe.refund("cs_1", "U1|x", "") == refund_id
    assert len(server.received) == 1 + len(answers)


async def test_a_checkout_without_a_payment_cannot_be_given_back(clock: ManualClock) -> None:
    async with http_server((404, {}, {}), (200, {}, CHECKOUT)) as server:
        stripe = Stripe("sk", "whsec", Http(), clock, server.url)
        for _ in range(2):
            with pytest.raises(RefundRefused):
                await stripe.refund("cs_1", "U1|x", "")


async def test_stripe_is_asked_how_a_payment_stands(clock: ManualClock) -> None:
    expired = {**CHECKOUT, "payment_status": "unpaid", "status": "expired"}
    async with http_server((200, {}, CHECKOUT), (200, {}, expired), (404, {}, {}), (500, {}, {})) as server:
        stripe = Stripe("sk", "whsec", Http(), clock, server.url)
        outcomes = [found.outcome for found in [await stripe.fetch("cs_1"), await stripe.fetch("cs_1")] if found]
        assert outcomes == [Outcome.PAID, Outcome.FAILED]
        assert await stripe.fetch("cs_1") is None
        with pytest.raises(StripeError):
            await stripe.fetch("cs_1")


# Our end of Stripe against the strict one, when that fails: payers can pay all the same, and money goes back once.


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
