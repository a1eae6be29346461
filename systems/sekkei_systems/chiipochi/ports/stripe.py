"""Stripe Checkout, in yen (a currency without cents, at least ¥50).

SEKKEI_STRIPE_SECRET_KEY        the account's secret key
SEKKEI_STRIPE_WEBHOOK_SECRET    of the endpoint /chiipochi/payments/stripe
SEKKEI_STRIPE_PAYMENT_METHODS   card, konbini, customer_balance (bank transfer); without it the Dashboard decides
SEKKEI_STRIPE_KONBINI_DAYS      how long a convenience store takes the money, 1 to 60; 3 unless told otherwise
SEKKEI_STRIPE_API_URL           https://api.stripe.com unless told otherwise
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol
from urllib.parse import quote, urlencode

import orjson

from sekkei.clock import Clock
from sekkei.runtime.http import Http
from sekkei.runtime.settings import Settings
from sekkei.store import NoAnswer
from sekkei.store.http import Answer
from sekkei_systems.chiipochi.design.models import Dispute, Outcome
from sekkei_systems.chiipochi.ports.payments import (
    Afterwards,
    Checkout,
    Instructions,
    LaterEvent,
    Methods,
    Movement,
    MovementKind,
    Order,
    PaymentEvent,
    ProviderAway,
    ProviderDown,
    RefundRefused,
)
from sekkei_systems.chiipochi.refusals import BadCallback

# Signatures as Stripe writes them, `t=<seconds>,v1=<hex>`: HMAC-SHA256 over `<seconds>.<body>`.


_TOLERANCE_SECONDS = 300


def sign_body(secret: bytes, now: float, body: bytes) -> str:
    return f"t={int(now)},v1={_signature(secret, str(int(now)), body)}"


def _check_signature(secret: bytes, now: float, body: bytes, header: str | None) -> None:
    """Raise BadCallback unless one of the signatures is right and not too old."""
    parts = [part.strip().partition("=") for part in (header or "").split(",")]
    times = [value for name, _, value in parts if name == "t"]
    given = [value for name, _, value in parts if name == "v1"]
    if len(times) != 1 or not times[0].isascii() or not times[0].isdigit() or not secret:
        raise BadCallback()
    expected = _signature(secret, times[0], body).encode()
    matches = [hmac.compare_digest(expected, one.encode()) for one in given]
    if not any(matches) or abs(now - int(times[0])) > _TOLERANCE_SECONDS:
        raise BadCallback()


def _signature(secret: bytes, seconds: str, body: bytes) -> str:
    return hmac.new(secret, seconds.encode() + b"." + body, hashlib.sha256).hexdigest()


API_URL = "https://api.stripe.com"
BUSY_SECONDS = (0.2, 0.4, 0.8, 1.6)
"""Until Stripe is asked again that is at the same request (409), or at too many (429)."""
_KEYS_MAX = 10
"""So many failures in a row that Stripe has kept, and somebody else may try later."""
_OUTCOMES = {
    "checkout.session.async_payment_succeeded": Outcome.PAID,
    "checkout.session.async_payment_failed": Outcome.FAILED,
    "checkout.session.expired": Outcome.FAILED,
}
_LATER = ("charge.refunded", "charge.refund.updated", "refund.", "charge.dispute.")
_INSTRUCTIONS = {
    "konbini_display_details": ("konbini", "hosted_voucher_url"),
    "display_bank_transfer_instructions": ("customer_balance", "hosted_instructions_url"),
}
_KINDS: dict[str, MovementKind] = {
    "charge": "charge",
    "payment": "charge",
    "refund": "refund",
    "payment_refund": "refund",
    "refund_failure": "refund",
    "payment_failure_refund": "refund",
    "payment_reversal": "refund",
    "payout": "payout",
    "payout_failure": "payout",
    "payout_cancel": "payout",
}
"""Konbini and bank transfers are called payments. An adjustment is a dispute's, or something else."""
_DISPUTES = {"won": Dispute.WON, "lost": Dispute.LOST, "warning_closed": Dispute.WON}


class StripeError(ProviderDown):
    """Stripe refused or did not understand; the donation stays pending and is looked at again."""


class StripeAway(StripeError, ProviderAway):
    """Stripe does not answer, answers 5xx, is at the same request still (409), or asks to be left alone (429)."""


class Connection(Protocol):
    """How requests reach Stripe; `Http` is one."""

    async def request(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes = b"") -> Answer: ...


class Stripe:
    def __init__(
        self,
        key: str,
        webhook_secret: str,
        http: Connection,
        clock: Clock,
        url: str = "",
        *,
        site: str = "",
        methods: Methods | None = None,
        name: str = "stripe",
    ) -> None:
        self.name = name
        self._headers = {"Authorization": f"Bearer {key}"}
        self._webhook_secret = webhook_secret.encode()
        self._url = (url or API_URL).rstrip("/")
        self._http, self._clock = http, clock
        self._site, self._methods = site, methods or Methods()

    @staticmethod
    def configured(settings: Settings, http: Http, clock: Clock) -> Stripe | None:
        key = settings.get("stripe_secret_key")
        if not key:
            return None
        return Stripe(
            key,
            settings.get("stripe_webhook_secret"),
            http,
            clock,
            settings.get("stripe_api_url"),
            site=f"{settings.public_url}/chiipochi",
            methods=Methods.configured(settings),
        )

    # Paying

    async def create(self, order: Order) -> Checkout:
        fields = {
            "mode": "payment",
            "client_reference_id": order.id,
            **self._marks("metadata", order.id),
            **self._marks("payment_intent_data[metadata]", order.id),
            "line_items[0][quantity]": "1",
            "line_items[0][price_data][currency]": "jpy",
            "line_items[0][price_data][unit_amount]": str(order.amount),
            "line_items[0][price_data][product_data][name]": order.description,
            "success_url": order.done_url,
            "cancel_url": order.cancel_url,
            "expires_at": str(int(order.until.timestamp())),
            **self._methods.fields(order.amount),
        }
        if self._methods.needs_customer:
            fields["customer"] = await self._customer(order)
        found = await self._post("/v1/checkout/sessions", fields, order.id)
        return Checkout(str(found["id"]), str(found["url"]))

    def _marks(self, place: str, order_id: str) -> dict[str, str]:
        """By which we know our own again, among other programs of the account."""
        return {f"{place}[order_id]": order_id, f"{place}[site]": self._site}

    async def _customer(self, order: Order) -> str:
        """A bank transfer needs somebody to whom it is credited."""
        fields = {"description": order.description, **self._marks("metadata", order.id)}
        return str((await self._post("/v1/customers", fields, f"customer|{order.id}"))["id"])

    async def fetch(self, tx_id: str) -> PaymentEvent | None:
        session = await self._session(tx_id, "payment_intent.latest_charge")
        if session is None:
            return None
        outcome = _standing(session)
        charge = _charge(session)
        return _event(f"fetched/{tx_id}/{outcome.value}", session, outcome, charge.get("created"))

    async def instructions(self, tx_id: str) -> Instructions | None:
        session = await self._session(tx_id, "payment_intent") or {}
        action = _object(_object(session.get("payment_intent")).get("next_action"))
        for name, (method, address) in _INSTRUCTIONS.items():
            found = _object(action.get(name))
            if found:
                until = found.get("expires_at")
                return Instructions(method, None if until is None else _moment(until), str(found.get(address) or ""))
        return None

    # What Stripe says

    def verify(self, body: bytes, headers: Mapping[str, str]) -> PaymentEvent | LaterEvent | None:
        _check_signature(self._webhook_secret, self._clock.now(), body, headers.get("stripe-signature"))
        try:
            event = orjson.loads(body)
            kind, found = str(event["type"]), event["data"]["object"]
            if kind.startswith(_LATER):
                ref = _id(found.get("payment_intent"))
                return LaterEvent(str(event["id"]), ref) if ref else None
            if not kind.startswith("checkout.session.") or not self._is_ours(found):
                return None
            outcome = _OUTCOMES.get(kind) or _standing(found)
            return _event(str(event["id"]), found, outcome, event.get("created"))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, OSError):
            raise BadCallback() from None

    def _is_ours(self, session: Mapping[str, Any]) -> bool:
        """Another program of the account may sell through Checkout too. A checkout without a site is taken for ours."""
        marks = _object(session.get("metadata"))
        return "order_id" in marks and marks.get("site", self._site) == self._site

    # Afterwards

    async def tx_of(self, payment_ref: str) -> str | None:
        query = urlencode({"payment_intent": payment_ref, "limit": 1})
        sessions = (await self._get(f"/v1/checkout/sessions?{query}") or {}).get("data", [])
        return str(sessions[0]["id"]) if sessions and self._is_ours(sessions[0]) else None

    async def afterwards(self, tx_id: str) -> Afterwards:
        charge = _charge(await self._session(tx_id, "payment_intent.latest_charge") or {})
        dispute = await self._dispute(str(charge["id"])) if charge.get("disputed") else None
        return Afterwards(int(charge.get("amount_refunded") or 0), dispute)

    async def _dispute(self, charge: str) -> Dispute | None:
        found = (await self._get(f"/v1/disputes?{urlencode({'charge': charge, 'limit': 1})}") or {}).get("data", [])
        # A mere inquiry of the bank (warning_…) takes no money yet.
        status = str(found[0]["status"]) if found else ""
        return _DISPUTES.get(status) or (None if not status or status.startswith("warning_") else Dispute.OPEN)

    async def refund(self, tx_id: str, order_id: str, key: str) -> str:
        """Stripe gives back payments, not checkouts, so the checkout is asked for its payment first. And it repeats its
        answer to a repeated request, so the refund is asked for how it stands by now."""
        intent = _id((await self._session(tx_id) or {}).get("payment_intent"))
        if not intent:
            raise RefundRefused("Stripe knows of no payment of this checkout")
        marks = {"order_id": order_id} | ({"asked": key} if key else {})
        fields = {"payment_intent": intent, "reason": "requested_by_customer"}
        fields |= {f"metadata[{name}]": value for name, value in marks.items()}
        async for answer in self._answers("/v1/refunds", fields, f"refund|{tx_id}|{key}".rstrip("|")):
            if _is_kept_failure(answer) and (done := await self._refund_of(intent, marks)):
                return _unless_failed(done)
        if answer.status == 200:
            refund_id = str(orjson.loads(answer.body)["id"])
            return _unless_failed(await self._get(f"/v1/refunds/{quote(refund_id, safe='')}") or {"id": refund_id})
        if _error_code(answer) == "charge_already_refunded":
            if not _charge(await self._session(tx_id, "payment_intent.latest_charge") or {}).get("refunded"):
                raise RefundRefused("it was refunded at Stripe, and that has failed since")
            return "refunded at Stripe"
        if 400 <= answer.status < 500 and answer.status not in (401, 409, 429):
            raise RefundRefused(f"Stripe answered {answer.status}: {_error_code(answer)}")
        raise _refusal(answer, "a refund")

    async def _refund_of(self, intent: str, marks: Mapping[str, str]) -> dict[str, Any] | None:
        """The one that was made when Stripe said that it had failed."""
        async for found in self._listed("/v1/refunds", {"payment_intent": intent}):
            if _object(found.get("metadata")) == marks:
                return found
        return None

    # The account

    async def movements(self, since: datetime, until: datetime) -> AsyncIterator[Movement]:
        window = {"created[gte]": str(int(since.timestamp())), "created[lt]": str(int(until.timestamp()))}
        async for found in self._listed("/v1/balance_transactions", {**window, "expand[]": "data.source"}):
            yield _movement(found)

    async def parts_of(self, payout_id: str) -> list[str]:
        parts = self._listed("/v1/balance_transactions", {"payout": payout_id})
        # A payout is listed among its own parts.
        return [str(found["id"]) async for found in parts if found.get("type") != "payout"]

    async def balance(self) -> int:
        found = await self._get("/v1/balance") or {}
        amounts = [*found.get("available", []), *found.get("pending", [])]
        return sum(int(one["amount"]) for one in amounts if one.get("currency") == "jpy")

    async def _listed(self, path: str, query: Mapping[str, str]) -> AsyncIterator[dict[str, Any]]:
        after: dict[str, str] = {}
        while True:
            page = await self._get(f"{path}?{urlencode({**query, 'limit': '100', **after})}") or {}
            found = page.get("data", [])
            for one in found:
                yield one
            if not page.get("has_more") or not found:
                return
            after = {"starting_after": str(found[-1]["id"])}

    # Calls

    async def _session(self, tx_id: str, expand: str = "") -> dict[str, Any] | None:
        query = f"?{urlencode({'expand[]': expand})}" if expand else ""
        return await self._get(f"/v1/checkout/sessions/{quote(tx_id, safe='')}{query}")

    async def _get(self, path: str) -> dict[str, Any] | None:
        answer = await self._request("GET", path, self._headers, None)
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise _refusal(answer, "a question")
        found: dict[str, Any] = orjson.loads(answer.body)
        return found

    async def _post(self, path: str, fields: Mapping[str, str], key: str) -> dict[str, Any]:
        async for answer in self._answers(path, fields, key):
            if answer.status == 200:
                found: dict[str, Any] = orjson.loads(answer.body)
                return found
        raise _refusal(answer, path)

    async def _answers(self, path: str, fields: Mapping[str, str], key: str) -> AsyncIterator[Answer]:
        """One; but Stripe keeps it under the key for a day, also that it failed. Whether it did what it was asked is
        not known then, and it is asked under a further key."""
        for number in range(1, _KEYS_MAX + 1):
            answer = await self._send(path, fields, key if number == 1 else f"{key}|{number}")
            yield answer
            if not _is_kept_failure(answer):
                return

    async def _send(self, path: str, fields: Mapping[str, str], key: str) -> Answer:
        """Everything in a request follows from the key, so Stripe answers a repeated one as it did the first time; but
        while that is under way somewhere else it only says so, and is asked again in a moment."""
        headers = {
            **self._headers,
            "Idempotency-Key": quote(key, safe="|:"),
            "Content-Type": "application/x-www-form-urlencoded",
        }
        body = urlencode(fields).encode()
        for seconds in BUSY_SECONDS:
            answer = await self._request("POST", path, headers, body)
            if answer.status not in (409, 429):
                return answer
            await asyncio.sleep(seconds)
        return await self._request("POST", path, headers, body)

    async def _request(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        try:
            if body is None:
                return await self._http.request(method, self._url + path, headers=headers)
            return await self._http.request(method, self._url + path, headers=headers, body=body)
        except (OSError, NoAnswer) as error:
            raise StripeAway(f"Stripe does not answer: {error!r}") from error


def _movement(found: Mapping[str, Any]) -> Movement:
    source = _object(found.get("source"))
    kind = _KINDS.get(str(found["type"]), "other")
    if kind == "other" and source.get("object") == "dispute":
        kind = "dispute"
    return Movement(
        str(found["id"]),
        kind,
        int(found["amount"]),
        int(found["fee"]),
        _moment(found["created"]),
        _id(source.get("payment_intent")),
        str(_object(source.get("metadata")).get("order_id") or ""),
        (_id(found.get("source")) or "") if kind == "payout" and int(found["amount"]) < 0 else "",
    )


def _is_kept_failure(answer: Answer) -> bool:
    return answer.status >= 500 and answer.headers.get(b"idempotent-replayed") == b"true"


def _refusal(answer: Answer, asked: str) -> StripeError:
    kind = StripeAway if answer.status in (409, 429) or answer.status >= 500 else StripeError
    return kind(f"Stripe answered {answer.status} to {asked}: {_error_code(answer)}")


def _unless_failed(refund: Mapping[str, Any]) -> str:
    if refund.get("status") in ("failed", "canceled"):
        raise RefundRefused(f"Stripe's refund {refund['id']} is {refund['status']}")
    return str(refund["id"])


def _error_code(answer: Answer) -> str:
    try:
        return str(orjson.loads(answer.body)["error"].get("code") or "")
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""


def _object(found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _id(found: Any) -> str | None:
    """Stripe shows a related thing as its id, or whole where that was asked for."""
    value = found.get("id") if isinstance(found, dict) else found
    return str(value) if value else None


def _moment(seconds: Any) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)


def _charge(session: Mapping[str, Any]) -> dict[str, Any]:
    return _object(_object(session.get("payment_intent")).get("latest_charge"))


def _standing(session: Mapping[str, Any]) -> Outcome:
    """A checkout that is complete and unpaid waits for a convenience store or a bank, for days. Only when Stripe says
    that the payment failed, or sends its `payment_intent` back to the start, is there nothing to wait for."""
    if session.get("payment_status") == "paid":
        return Outcome.PAID
    if session.get("status") == "expired":
        return Outcome.FAILED
    if session.get("status") != "complete":
        return Outcome.OPEN
    intent = _object(session.get("payment_intent"))
    return Outcome.FAILED if intent.get("status") in ("requires_payment_method", "canceled") else Outcome.WAITING


def _event(event_id: str, session: Mapping[str, Any], outcome: Outcome, at: Any) -> PaymentEvent:
    order_id = _object(session.get("metadata")).get("order_id") or session.get("client_reference_id") or ""
    if str(session.get("currency") or "jpy").lower() != "jpy" or not session.get("id"):
        raise BadCallback()
    return PaymentEvent(
        event_id,
        str(session["id"]),
        str(order_id),
        int(session.get("amount_total") or 0),
        outcome,
        _moment(at) if outcome is Outcome.PAID and at is not None else None,
        _id(session.get("payment_intent")),
        _method(session) if outcome is Outcome.WAITING else "",
    )


def _method(session: Mapping[str, Any]) -> str:
    """What is known without asking; the instructions say it for sure."""
    slow = [method for method in session.get("payment_method_types") or [] if method != "card"]
    return str(slow[0]) if len(slow) == 1 else "later"
