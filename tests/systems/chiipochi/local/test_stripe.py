"""The local Stripe refuses what Stripe refuses; what it tolerated, no test of ours could see."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.http import Http
from sekkei.store.http import Answer
from sekkei_fakes.stripe import Ledger, LocalStripe, balance, serve
from sekkei_fakes.stripe.errors import Refused
from sekkei_fakes.stripe.requests import Failing
from sekkei_fakes.stripe.server import KEY

GOOD = {
    "mode": "payment",
    "line_items[0][quantity]": "1",
    "line_items[0][price_data][currency]": "jpy",
    "line_items[0][price_data][unit_amount]": "500",
    "line_items[0][price_data][product_data][name]": "x",
    "success_url": "https://x/done",
    "cancel_url": "https://x/back",
    "payment_method_types[0]": "card",
    "payment_method_types[1]": "konbini",
}


@pytest.fixture
async def stripe(clock: ManualClock) -> AsyncIterator[LocalStripe]:
    async with serve(Ledger(clock)) as found:
        yield found


async def _post(stripe: LocalStripe, path: str, fields: dict[str, str], key: str = "", auth: str = KEY) -> Any:
    answer = await _answer(stripe, path, fields, key, auth)
    return answer.status, orjson.loads(answer.body)


async def _answer(stripe: LocalStripe, path: str, fields: dict[str, str], key: str = "", auth: str = KEY) -> Answer:
    headers = {"Authorization": f"Bearer {auth}", "Content-Type": "application/x-www-form-urlencoded"}
    headers |= {"Idempotency-Key": key} if key else {}
    http = Http()
    try:
        return await http.request("POST", stripe.url + path, headers=headers, body=urlencode(fields).encode())
    finally:
        http.close()


async def _session(stripe: LocalStripe, **changes: str) -> dict[str, Any]:
    status, found = await _post(stripe, "/v1/checkout/sessions", {**GOOD, **changes})
    assert status == 200, found
    return stripe.ledger.sessions[found["id"]]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"line_items[0][price_data][unit_amount]": "49"}, "amount_too_small"),
        ({"line_items[0][price_data][unit_amount]": "119"}, "amount_too_small"),
        ({"line_items[0][price_data][unit_amount]": "1.5"}, "parameter_invalid_integer"),
        ({"line_items[0][price_data][currency]": "usd"}, "parameter_invalid"),
        ({"success_url": "/done"}, "url_invalid"),
        ({"expires_at": "1"}, "parameter_invalid"),
        ({"expires_at": "1755759000"}, "parameter_invalid"),
        ({"payment_method_types[0]": "cash"}, "parameter_invalid"),
        ({"payment_method_types[0]": "customer_balance"}, "parameter_missing"),
        ({"line_items[0][price_data][unit_amount]": "300001"}, "amount_too_large"),
        ({"payment_method_options[konbini][expires_after_days]": "0"}, "parameter_invalid_integer"),
        ({"payment_method_options[konbini][expires_after_days]": "61"}, "parameter_invalid_integer"),
        ({"payment_method_options[konbini][expires_after_days]": "x"}, "parameter_invalid_integer"),
        ({"note": "hello"}, "parameter_unknown"),
        ({"metadata[order_id]": "x" * 501}, "parameter_invalid"),
    ],
)
async def test_a_checkout_that_stripe_would_refuse(stripe: LocalStripe, changes: dict[str, str], code: str) -> None:
    status, answer = await _post(stripe, "/v1/checkout/sessions", {**GOOD, **changes})
    assert (status, answer["error"]["code"]) == (400, code)
    assert stripe.ledger.sessions == {}


async def test_keys_and_doors(stripe: LocalStripe) -> None:
    first = await _post(stripe, "/v1/checkout/sessions", GOOD, "k1")
    assert await _post(stripe, "/v1/checkout/sessions", GOOD, "k1") == first
    status, answer = await _post(stripe, "/v1/checkout/sessions", {**GOOD, "locale": "ja"}, "k1")
    assert (status, answer["error"]["type"], answer["error"].get("code")) == (400, "idempotency_error", None)
    assert (await _post(stripe, "/v1/checkout/sessions", GOOD, "k" * 256))[0] == 400
    assert (await _post(stripe, "/v1/checkout/sessions", GOOD, "k2", auth="sk_other"))[0] == 401
    assert (await _post(stripe, "/v1/charges", GOOD))[0] == 404
    assert len(stripe.ledger.sessions) == 1


async def test_money_can_be_given_back_once(stripe: LocalStripe, clock: ManualClock) -> None:
    session = await _session(stripe)
    charge = stripe.ledger.pay_by_card(session)
    wanted = {"payment_intent": session["payment_intent"], "amount": "200"}
    assert (await _post(stripe, "/v1/refunds", wanted))[0] == 200
    assert (await _post(stripe, "/v1/refunds", {**wanted, "amount": "301"}))[1]["error"]["code"] == "amount_too_large"
    assert (await _post(stripe, "/v1/refunds", {"payment_intent": session["payment_intent"]}))[0] == 200
    last = await _post(stripe, "/v1/refunds", {"payment_intent": session["payment_intent"]})
    assert last[1]["error"]["code"] == "charge_already_refunded"
    assert stripe.ledger.kept(charge) == 0


async def test_an_answer_is_repeated_whatever_has_happened_since(stripe: LocalStripe) -> None:
    """Also a refusal, unless the request itself was wrong."""
    session = await _session(stripe)
    charge = stripe.ledger.pay_by_card(session)
    wanted = {"payment_intent": session["payment_intent"]}
    done = await _post(stripe, "/v1/refunds", wanted, "first")
    refused = await _post(stripe, "/v1/refunds", wanted, "second")
    assert refused[1]["error"]["code"] == "charge_already_refunded"
    stripe.ledger.fail_refund(stripe.ledger.refunds[done[1]["id"]])
    assert await _post(stripe, "/v1/refunds", wanted, "first") == done
    assert await _post(stripe, "/v1/refunds", wanted, "second") == refused
    assert (await _post(stripe, "/v1/refunds", {**wanted, "reason": "none"}, "third"))[0] == 400
    assert (await _post(stripe, "/v1/refunds", wanted, "third"))[0] == 200
    assert stripe.ledger.kept(charge) == 0


async def test_a_key_is_held_while_its_request_is_under_way(stripe: LocalStripe) -> None:
    asked = (_post(stripe, "/v1/checkout/sessions", GOOD, key) for key in ("k1", "k1", "k2", ""))
    first, second, other, keyless = await asyncio.gather(*asked)
    assert sorted((first[0], second[0])) == [200, 409]
    refused = first[1] if first[0] == 409 else second[1]
    assert refused["error"]["code"] == "idempotency_key_in_use"
    assert (other[0], keyless[0]) == (200, 200)
    assert (await _post(stripe, "/v1/checkout/sessions", GOOD, "k1"))[0] == 200
    assert len(stripe.ledger.sessions) == 3


@pytest.mark.parametrize("failing", ["before", "after"])
async def test_that_stripe_failed_is_kept_under_the_key(stripe: LocalStripe, failing: Failing) -> None:
    """Also where all was done; only another key asks anew."""
    stripe.end.requests.fails = lambda key: failing if key == "first" else ""
    first, again = [await _answer(stripe, "/v1/checkout/sessions", GOOD, "first") for _ in range(2)]
    assert (first.status, first.headers.get(b"idempotent-replayed")) == (500, None)
    assert (again.status, again.headers.get(b"idempotent-replayed")) == (500, b"true")
    assert first.body == again.body
    assert len(stripe.ledger.sessions) == (failing == "after")
    for replayed in (None, b"true"):
        other = await _answer(stripe, "/v1/checkout/sessions", GOOD, "second")
        assert (other.status, other.headers.get(b"idempotent-replayed")) == (200, replayed)


async def test_a_key_is_forgotten_after_a_day(stripe: LocalStripe, clock: ManualClock) -> None:
    """What is asked under it then is asked anew."""
    first = await _post(stripe, "/v1/checkout/sessions", GOOD, "k1")
    clock.advance(24 * 3600 - 1)
    assert await _post(stripe, "/v1/checkout/sessions", GOOD, "k1") == first
    clock.advance(1)
    assert (await _post(stripe, "/v1/checkout/sessions", {**GOOD, "locale": "ja"}, "k1"))[0] == 200
    assert len(stripe.ledger.sessions) == 2


async def test_too_many_requests_in_a_second_are_refused(stripe: LocalStripe, clock: ManualClock) -> None:
    stripe.end.per_second = lambda method: 3
    asked = [_post(stripe, "/v1/checkout/sessions", GOOD) for _ in range(5)]
    statuses = [status for status, _ in await asyncio.gather(*asked)]
    assert sorted(statuses) == [200, 200, 200, 429, 429]
    clock.advance(1)
    assert (await _post(stripe, "/v1/checkout/sessions", GOOD))[0] == 200
    assert len(stripe.ledger.sessions) == 4, "nothing came of the others"


async def test_what_comes_from_a_convenience_store_is_booked_as_a_payment(stripe: LocalStripe) -> None:
    """Only a card's money is called a charge."""
    slip = await _session(stripe)
    stripe.ledger.choose_konbini(slip)
    paid = stripe.ledger.refund(stripe.ledger.pay_later(slip))
    stripe.ledger.fail_refund(paid)
    stripe.ledger.refund(stripe.ledger.pay_by_card(await _session(stripe)))
    kinds = [one["type"] for one in stripe.ledger.movements.values()]
    assert kinds == ["payment", "payment_refund", "refund_failure", "charge", "refund"]


async def test_cash_waits_for_an_account(stripe: LocalStripe) -> None:
    slip = await _session(stripe)
    stripe.ledger.choose_konbini(slip)
    stripe.ledger.pay_later(slip)
    _, refund = await _post(stripe, "/v1/refunds", {"payment_intent": slip["payment_intent"]})
    assert (refund["status"], refund["next_action"]) == ("requires_action", {"type": "display_details"})
    waiting = stripe.ledger.refunds[refund["id"]]
    stripe.ledger.name_account(waiting)
    assert waiting["status"] == "succeeded"
    with pytest.raises(Refused):
        stripe.ledger.name_account(waiting)


async def test_what_is_over_is_over(stripe: LocalStripe, clock: ManualClock) -> None:
    session = await _session(stripe)
    clock.advance(25 * 3600)
    with pytest.raises(Refused):
        stripe.ledger.pay_by_card(session)
    slip = await _session(stripe)
    stripe.ledger.choose_konbini(slip)
    clock.advance(5 * 24 * 3600)
    with pytest.raises(Refused):
        stripe.ledger.pay_later(slip)
    kinds = [event["type"] for event in stripe.ledger.events]
    assert kinds == [
        "checkout.session.expired",
        "checkout.session.completed",
        "checkout.session.async_payment_failed",
    ]


async def test_cash_cannot_be_disputed(stripe: LocalStripe) -> None:
    session = await _session(stripe)
    stripe.ledger.choose_konbini(session)
    charge = stripe.ledger.pay_later(session)
    with pytest.raises(Refused):
        stripe.ledger.dispute(charge)


def test_money_is_available_after_four_business_days() -> None:
    thursday, wednesday = 1_755_741_600, 1_756_260_000  # 21 August 2025, 11:00 in Japan, and the Wednesday after
    assert balance.available_on(thursday) == wednesday
    assert all(part.get("source") for part in balance.TERMS["fees"].values())
