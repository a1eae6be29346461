"""Stripe Checkout, in yen (a currency without cents, at least ¥50).

SEKKEI_STRIPE_SECRET_KEY       the account's secret key
SEKKEI_STRIPE_WEBHOOK_SECRET   of the endpoint /chiipochi/payments/stripe
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

import orjson

from sekkei.clock import Clock
from sekkei.runtime.http import Http
from sekkei.runtime.settings import Settings
from sekkei.store.http import Answer
from sekkei_systems.chiipochi.design.models import Outcome
from sekkei_systems.chiipochi.ports.payments import signed
from sekkei_systems.chiipochi.ports.payments.port import Checkout, PaymentEvent, RefundRefused
from sekkei_systems.chiipochi.refusals import BadCallback

API_URL = "https://api.stripe.com"
_OUTCOMES = {
    "checkout.session.async_payment_succeeded": Outcome.PAID,
    "checkout.session.async_payment_failed": Outcome.FAILED,
    "checkout.session.expired": Outcome.FAILED,
}


class StripeError(ConnectionError):
    """Stripe refused or did not understand; the donation stays pending and is looked at again."""


class Stripe:
    name = "stripe"

    def __init__(self, key: str, webhook_secret: str, http: Http, clock: Clock, url: str = "") -> None:
        self._headers = {"Authorization": f"Bearer {key}"}
        self._webhook_secret = webhook_secret.encode()
        self._url = (url or API_URL).rstrip("/")
        self._http, self._clock = http, clock

    @staticmethod
    def configured(settings: Settings, http: Http, clock: Clock) -> Stripe | None:
        key = settings.get("stripe_secret_key")
        if not key:
            return None
        return Stripe(key, settings.get("stripe_webhook_secret"), http, clock, settings.get("stripe_api_url"))

    async def create(self, order_id: str, amount: int, description: str, return_url: str, until: datetime) -> Checkout:
        fields = {
            "mode": "payment",
            "client_reference_id": order_id,
            "metadata[order_id]": order_id,
            "payment_intent_data[metadata][order_id]": order_id,
            "line_items[0][quantity]": "1",
            "line_items[0][price_data][currency]": "jpy",
            "line_items[0][price_data][unit_amount]": str(amount),
            "line_items[0][price_data][product_data][name]": description,
            "success_url": return_url,
            "cancel_url": return_url,
            "expires_at": str(int(until.timestamp())),
        }
        answer = await self._post("/v1/checkout/sessions", fields, order_id)
        if answer.status != 200:
            raise StripeError(f"Stripe answered {answer.status} to a new checkout")
        found = orjson.loads(answer.body)
        return Checkout(str(found["id"]), str(found["url"]))

    def verify(self, body: bytes, headers: Mapping[str, str]) -> PaymentEvent | None:
        signed.check(self._webhook_secret, self._clock.now(), body, headers.get("stripe-signature"))
        try:
            event = orjson.loads(body)
            kind, session = event["type"], event["data"]["object"]
            if not kind.startswith("checkout.session."):
                return None
            outcome = _OUTCOMES.get(kind) or _standing(session)
            return _event(str(event["id"]), session, outcome)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BadCallback() from None

    async def fetch(self, tx_id: str) -> PaymentEvent | None:
        session = await self._session(tx_id)
        if session is None:
            return None
        outcome = _standing(session)
        return _event(f"fetched/{tx_id}/{outcome.value}", session, outcome)

    async def refund(self, tx_id: str, order_id: str) -> str:
        """Stripe gives back payments, not checkouts, so the checkout is asked for its payment first."""
        intent = (await self._session(tx_id) or {}).get("payment_intent")
        if not intent:
            raise RefundRefused("Stripe knows of no payment of this checkout")
        fields = {"payment_intent": str(intent), "metadata[order_id]": order_id, "reason": "requested_by_customer"}
        answer = await self._post("/v1/refunds", fields, f"refund|{tx_id}")
        if answer.status == 200:
            found = orjson.loads(answer.body)
            if found.get("status") in ("failed", "canceled"):
                raise RefundRefused(f"Stripe's refund {found.get('id')} is {found['status']}")
            return str(found["id"])
        if _error_code(answer) == "charge_already_refunded":
            return "given back at Stripe"
        if 400 <= answer.status < 500 and answer.status not in (401, 409, 429):
            raise RefundRefused(f"Stripe answered {answer.status}: {_error_code(answer)}")
        raise StripeError(f"Stripe answered {answer.status} to a refund")

    async def _session(self, tx_id: str) -> dict[str, Any] | None:
        url = f"{self._url}/v1/checkout/sessions/{quote(tx_id, safe='')}"
        answer = await self._http.request("GET", url, headers=self._headers)
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise StripeError(f"Stripe answered {answer.status} to a question about a checkout")
        found: dict[str, Any] = orjson.loads(answer.body)
        return found

    async def _post(self, path: str, fields: Mapping[str, str], key: str) -> Answer:
        """Everything in a request follows from the key, so Stripe answers a repeated one as it did the first time."""
        headers = {
            **self._headers,
            "Idempotency-Key": quote(key, safe="|:"),
            "Content-Type": "application/x-www-form-urlencoded",
        }
        return await self._http.request("POST", self._url + path, headers=headers, body=urlencode(fields).encode())


def _error_code(answer: Answer) -> str:
    try:
        return str(orjson.loads(answer.body)["error"].get("code") or "")
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""


def _standing(session: Mapping[str, Any]) -> Outcome:
    if session.get("payment_status") == "paid":
        return Outcome.PAID
    return Outcome.FAILED if session.get("status") == "expired" else Outcome.OPEN


def _event(event_id: str, session: Mapping[str, Any], outcome: Outcome) -> PaymentEvent:
    order_id = (session.get("metadata") or {}).get("order_id") or session.get("client_reference_id") or ""
    if str(session.get("currency", "jpy")).lower() != "jpy":
        raise BadCallback()
    return PaymentEvent(event_id, str(session["id"]), str(order_id), int(session.get("amount_total") or 0), outcome)
