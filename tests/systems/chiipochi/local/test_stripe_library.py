"""Stripe's own library as the judge of the local Stripe: what it sends is understood, what we answer it can read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

import pytest
import stripe as library

from sekkei.clock import ManualClock
from sekkei_fakes.stripe import Ledger, LocalStripe, serve
from sekkei_fakes.stripe.server import KEY
from sekkei_systems.chiipochi.ports.stripe import sign_body

T = TypeVar("T")
CHECKOUT: dict[str, Any] = {
    "mode": "payment",
    "client_reference_id": "U1|2025-08-20T05:10:00.000Z",
    "metadata": {"order_id": "U1|2025-08-20T05:10:00.000Z", "site": "https://x"},
    "line_items": [
        {
            "quantity": 1,
            "price_data": {"currency": "jpy", "unit_amount": 500, "product_data": {"name": "千葉県への寄付"}},
        }
    ],
    "success_url": "https://example.org/done",
    "cancel_url": "https://example.org/back",
    "payment_method_types": ["card", "konbini"],
    "payment_method_options": {"konbini": {"expires_after_days": 3}},
}


@pytest.fixture
async def stripe(clock: ManualClock) -> AsyncIterator[LocalStripe]:
    async with serve(Ledger(clock)) as found:
        yield found


@pytest.fixture
def client(stripe: LocalStripe) -> library.StripeClient:
    return _client(stripe, KEY)


def _client(stripe: LocalStripe, key: str) -> library.StripeClient:
    return library.StripeClient(key, base_addresses={"api": stripe.url}, max_network_retries=0)


async def _ask(what: Callable[..., T], *given: Any) -> T:
    """The library waits for its answers, and the server lives in this thread."""
    return await asyncio.to_thread(what, *given)


async def _session(client: library.StripeClient, **options: Any) -> Any:
    return await _ask(client.v1.checkout.sessions.create, CHECKOUT, options)


async def test_a_checkout_is_made_paid_and_given_back(stripe: LocalStripe, client: library.StripeClient) -> None:
    made = await _session(client)
    assert (made.status, made.payment_status, made.amount_total, made.currency) == ("open", "unpaid", 500, "jpy")
    assert made.metadata["order_id"] == CHECKOUT["client_reference_id"]
    stripe.ledger.pay_by_card(stripe.ledger.sessions[made.id])
    expanded = {"expand": ["payment_intent.latest_charge"]}
    paid = await _ask(client.v1.checkout.sessions.retrieve, made.id, expanded)
    charge = paid.payment_intent.latest_charge
    assert (paid.payment_status, charge.amount, charge.refunded) == ("paid", 500, False)
    listed = await _ask(client.v1.checkout.sessions.list, {"payment_intent": paid.payment_intent.id, "limit": 1})
    assert [found.id for found in listed.data] == [made.id]
    part = await _ask(client.v1.refunds.create, {"payment_intent": paid.payment_intent.id, "amount": 200})
    assert (part.status, part.amount, part.charge) == ("succeeded", 200, charge.id)
    with pytest.raises(library.InvalidRequestError) as refused:
        await _ask(client.v1.refunds.create, {"payment_intent": paid.payment_intent.id, "amount": 301})
    assert refused.value.http_status == 400
    assert (await _ask(client.v1.charges.retrieve, charge.id)).amount_refunded == 200


async def test_a_slip_waits_and_says_until_when(stripe: LocalStripe, client: library.StripeClient) -> None:
    made = await _session(client)
    stripe.ledger.choose_konbini(stripe.ledger.sessions[made.id])
    found = await _ask(client.v1.checkout.sessions.retrieve, made.id, {"expand": ["payment_intent"]})
    assert (found.status, found.payment_status, found.payment_intent.status) == (
        "complete",
        "unpaid",
        "requires_action",
    )
    assert found.payment_intent.next_action.konbini_display_details.expires_at > stripe.ledger.now()


async def test_a_key_makes_one_checkout_and_refuses_another(stripe: LocalStripe, client: library.StripeClient) -> None:
    first = await _session(client, idempotency_key="k1")
    assert (await _session(client, idempotency_key="k1")).id == first.id
    with pytest.raises(library.IdempotencyError):
        await _ask(
            client.v1.checkout.sessions.create, {**CHECKOUT, "client_reference_id": "other"}, {"idempotency_key": "k1"}
        )
    assert len(stripe.ledger.sessions) == 1


async def test_what_stripe_refuses_the_library_raises(stripe: LocalStripe, client: library.StripeClient) -> None:
    with pytest.raises(library.AuthenticationError):
        await _session(_client(stripe, "sk_test_other"))
    with pytest.raises(library.InvalidRequestError, match="No such object"):
        await _ask(client.v1.checkout.sessions.retrieve, "cs_nobody")
    with pytest.raises(library.InvalidRequestError, match="unknown parameter"):
        await _ask(client.v1.checkout.sessions.create, {**CHECKOUT, "colour": "red"})
    ended = await _ask(client.v1.checkout.sessions.expire, (await _session(client)).id)
    assert ended.status == "expired"
    with pytest.raises(library.InvalidRequestError):
        await _ask(client.v1.checkout.sessions.expire, ended.id)
    stripe.faults.down = True
    with pytest.raises(library.APIError):
        await _session(client)


async def test_the_balance_lists_every_yen_and_its_payouts(
    stripe: LocalStripe, client: library.StripeClient, clock: ManualClock
) -> None:
    charge = None
    for _ in range(3):
        charge = stripe.ledger.pay_by_card(stripe.ledger.sessions[(await _session(client)).id])
    assert charge is not None
    stripe.ledger.refund(charge, 100)
    clock.advance(15 * 24 * 3600)
    pages = await _ask(client.v1.balance_transactions.list, {"limit": 2})
    found = await _ask(lambda: list(pages.auto_paging_iter()))
    assert sorted((one.type, one.amount, one.fee) for one in found) == [
        ("charge", 500, 18),
        ("charge", 500, 18),
        ("charge", 500, 18),
        ("payout", -1346, 0),
        ("refund", -100, 0),
    ]
    assert sum(one.net for one in found) == 0
    payouts = (await _ask(client.v1.payouts.list)).data
    assert [(one.amount, one.status) for one in payouts] == [(1346, "paid")]
    paid = await _ask(client.v1.balance_transactions.list, {"payout": payouts[0].id})
    assert sum(one.net for one in paid.data) == 1346
    none = await _ask(client.v1.balance_transactions.list, {"created": {"gte": stripe.ledger.now() + 1}})
    assert none.data == []


async def test_webhooks_are_signed_as_the_library_checks_them(
    stripe: LocalStripe, client: library.StripeClient
) -> None:
    """The library looks at the clock of the machine, so the signature is made for now."""
    made = await _session(client)
    stripe.ledger.pay_by_card(stripe.ledger.sessions[made.id])
    ((body, _),) = stripe.ledger.news("whsec_x")
    header = sign_body(b"whsec_x", time.time(), body)
    event = library.Webhook.construct_event(body, header, "whsec_x")
    assert (event.type, event.data.object.id) == ("checkout.session.completed", made.id)
    with pytest.raises(library.SignatureVerificationError):
        library.Webhook.construct_event(body, header, "whsec_other")
    old = sign_body(b"whsec_x", time.time() - 301, body)
    with pytest.raises(library.SignatureVerificationError):
        library.Webhook.construct_event(body, old, "whsec_x")
