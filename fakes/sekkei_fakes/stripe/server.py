"""The ledger behind HTTP, with the faults that a network and a busy provider have."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import orjson

from sekkei.clock import Clock
from sekkei.store.http import Answer
from sekkei_fakes import served
from sekkei_fakes.offers import Offer, over_http, tell
from sekkei_fakes.served import Faults
from sekkei_fakes.stripe.errors import Refused
from sekkei_fakes.stripe.ledger import Ledger
from sekkei_fakes.stripe.payer import PayerAtTerminal
from sekkei_fakes.stripe.requests import Requests

KEY = "sk_test_local"
WEBHOOK_SECRET = "whsec_local"
PAGES = "/c/pay"
WORK_SECONDS = 0.2
PER_SECOND = 100
"""Of a live account; reads and writes are counted each for themselves."""
TOO_MANY = "Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits."
IN_USE = "There is currently another in-progress request using this Idempotent Key. Please try again later."
PAGE = "Stripe's page. Where this Stripe was started, type /pay or /konbini.\n"

__all__ = ["KEY", "Faults", "LocalStripe", "StripeEnd", "answered", "offer", "serve"]


class StripeEnd:
    """What Stripe says to a request; a counterpart as `sekkei_fakes` has it."""

    get_changes_nothing = True
    """But for what time alone has changed: a checkout that has run out."""

    def __init__(self, ledger: Ledger, key: str = KEY) -> None:
        self.requests, self._key = Requests(ledger), key
        self.seconds = WORK_SECONDS
        """So long a request holds its key; another one with it is refused meanwhile."""
        self.per_second: Callable[[str], int] = lambda method: PER_SECOND
        """So many requests with a method are taken within a second."""
        self._under_way: set[str] = set()
        self._ledger = ledger
        self._taken: dict[str, list[float]] = {}

    async def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        if method == "GET" and target.startswith(f"{PAGES}/"):
            return Answer(200, {b"content-type": b"text/plain; charset=utf-8"}, PAGE.encode())
        if self._too_many(method):
            return _answer(429, Refused("rate_limit", TOO_MANY).body)
        key = headers.get("idempotency-key", "") if method == "POST" else ""
        if key in self._under_way:
            return _answer(409, Refused("idempotency_key_in_use", IN_USE, kind="idempotency_error").body)
        if not key:
            return answered(self.requests, self._key, method, target, headers, body)
        self._under_way.add(key)
        try:
            await asyncio.sleep(self.seconds)
            return answered(self.requests, self._key, method, target, headers, body)
        finally:
            self._under_way.discard(key)

    def _too_many(self, method: str) -> bool:
        """Before anything is looked at, so that no key remembers it."""
        now, most = self._ledger.clock.now(), self.per_second(method)
        recent = [at for at in self._taken.get(method, []) if now - at < 1.0]
        self._taken[method] = recent if len(recent) >= most else [*recent, now]
        return len(recent) >= most


@dataclass(slots=True)
class LocalStripe(served.Served):
    ledger: Ledger = None  # type: ignore[assignment]
    end: StripeEnd = None  # type: ignore[assignment]


@asynccontextmanager
async def serve(ledger: Ledger, key: str = KEY) -> AsyncIterator[LocalStripe]:
    """On a free port of loopback, until the block ends."""
    found = LocalStripe(ledger=ledger, end=StripeEnd(ledger, key))
    async with served.serve(found.end, found):
        yield found


def answered(requests: Requests, key: str, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
    """As Stripe answers."""
    parts, replayed = urlsplit(target), False
    try:
        if headers.get("authorization") != f"Bearer {key}":
            raise Refused("", "Invalid API Key provided.", 401)
        if method == "POST":
            content, replayed = requests.post(parts.path, body, headers.get("idempotency-key"))
        else:
            content = requests.get(parts.path, parse_qs(parts.query))
    except Refused as refused:
        return _answer(refused.status, refused.body, replayed=refused.replayed)
    return _answer(200, content, replayed=replayed)


def _answer(status: int, content: object, *, replayed: bool = False) -> Answer:
    fields = {b"content-type": b"application/json"} | ({b"idempotent-replayed": b"true"} if replayed else {})
    return Answer(status, fields, orjson.dumps(content))


def offer(clock: Clock) -> Offer:
    """As `sekkei counterpart stripe` serves it."""
    ledger = Ledger(clock, seed=int(clock.now()))
    secrets = {"stripe_secret_key": KEY, "stripe_webhook_secret": WEBHOOK_SECRET}

    def listens(url: str) -> None:
        ledger.pages = url + PAGES

    return over_http(
        StripeEnd(ledger),
        lambda url: {"stripe_api_url": url, **secrets, "stripe_payment_methods": "card,konbini"},
        PayerAtTerminal(ledger, WEBHOOK_SECRET, tell),
        listens=listens,
    )
