"""Stripe, against a server that answers as Stripe documents it."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.http import Http
from sekkei_systems.chiipochi.design.models import Outcome
from sekkei_systems.chiipochi.ports.payments import signed
from sekkei_systems.chiipochi.ports.payments.port import RefundRefused
from sekkei_systems.chiipochi.ports.payments.stripe import Stripe, StripeError
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
    found = stripe.verify(body, {"stripe-signature": signed.sign(b"whsec", clock.now(), body)})
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
        without_secret.verify(b"{}", {"stripe-signature": signed.sign(b"", clock.now(), b"{}")})


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
        stripe.verify(body, {"stripe-signature": signed.sign(b"whsec", clock.now(), body)})


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
