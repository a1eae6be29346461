"""The strict Stripe, kept in the store: what people click through where no real account is set up.

A checkout and all that came of it are one row, a small ledger of its own, read and written whole. Its news go out
through the outbox in the same transaction, signed as Stripe signs. Two clicks at once: one of them looks again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import orjson

from sekkei.clock import Clock
from sekkei.design import Action, Database, TransactionFailed, replace
from sekkei.runtime import days
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import Conflict
from sekkei.runtime.settings import Settings
from sekkei.store.http import Answer
from sekkei_fakes.stripe.errors import Refused
from sekkei_fakes.stripe.ledger import Ledger, Thing
from sekkei_fakes.stripe.requests import Requests, nested
from sekkei_fakes.stripe.server import KEY, answered
from sekkei_systems.chiipochi.design import every_local_payment, keep_local_payment, local_payments
from sekkei_systems.chiipochi.design.models import LocalPayment, Outcome

CALLBACK = "chiipochi.callback"
"""The outbox's kind of message that tells of an event, or lets time pass for a checkout."""
TRIES_MAX = 5
MARKED = ("metadata", "payment_intent_data[metadata]")
"""By what our end of Stripe knows its own again."""
_NAMED = re.compile(r"[a-z]+_test_([0-9a-f]{32})(?:_[0-9]+)?")
_ACCOUNT_WIDE = ("/v1/balance_transactions", "/v1/payouts", "/v1/balance")

Deed = Callable[[Ledger], Any]


class LocalAccount:
    """Speaks HTTP as far as our end of Stripe needs it: `request` takes the place of a connection."""

    def __init__(self, settings: Settings, db: Database, clock: Clock, outbox: Outbox) -> None:
        self._secret = settings.secrets.signer("chiipochi/local-payments")
        self.public_url = settings.public_url
        self._db, self._clock, self._outbox = db, clock, outbox

    @property
    def webhook_secret(self) -> str:
        return self._secret.mark("webhooks")

    async def request(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        parts = urlsplit(url)
        lower = {name.lower(): value for name, value in headers.items()}

        def deed(ledger: Ledger) -> Answer:
            return answered(Requests(ledger), KEY, method, url, lower, body)

        if parts.path in _ACCOUNT_WIDE:
            return deed(await self._whole())
        key = self._key(parts.path, {**parse_qs(parts.query)}, nested(body))
        found: Answer = await self._act(key, deed, nested(body))
        return found

    def _key(self, path: str, query: Mapping[str, list[str]], fields: Thing) -> str:
        """The row that a request is about. A new one follows from our order, so that asking twice makes one; the
        secret keeps it from being guessed."""
        named = [path.rpartition("/")[2], *query.get("payment_intent", []), *query.get("charge", [])]
        named = [str(fields["payment_intent"])] if "payment_intent" in fields else named
        found = [key for key in map(row_key, named) if key]
        order_id = str((fields.get("metadata") or {}).get("order_id", ""))
        name = self._secret.mark(order_id)
        return found[0] if found else f"cs_test_{name}"

    async def _whole(self) -> Ledger:
        """All movements of money of the account."""
        found = Ledger(self._clock)
        async for row in self._db.each(every_local_payment()):
            one = self._ledger(row)
            for part in ("charges", "refunds", "disputes", "movements"):
                getattr(found, part).update(getattr(one, part))
        return found

    # Rows

    async def row(self, tx_id: str) -> LocalPayment | None:
        return await self._db.get(local_payments(tx_id).consistent())

    def _ledger(self, row: LocalPayment) -> Ledger:
        pages = f"{self.public_url}/chiipochi/local-pay"
        named = _NAMED.fullmatch(row.tx_id)
        if named is None:
            raise Refused("resource_missing", f"No such object: {row.tx_id!r}", 404)
        empty = Ledger(self._clock, name=named[1], pages=pages)
        return empty.restored(orjson.loads(row.account)) if row.account else self._paid(empty, row)

    def _paid(self, ledger: Ledger, row: LocalPayment) -> Ledger:
        """A payment of the demo: its row says only that it was paid, and by these steps it was."""
        ledger.at = int(row.created_at.timestamp())
        fields = {
            "mode": "payment",
            "client_reference_id": row.order_id,
            **{f"{place}[order_id]": row.order_id for place in MARKED},
            **{f"{place}[site]": f"{self.public_url}/chiipochi" for place in MARKED},
            "line_items[0][quantity]": 1,
            "line_items[0][price_data][currency]": "jpy",
            "line_items[0][price_data][unit_amount]": row.amount,
            "line_items[0][price_data][product_data][name]": row.description,
            "success_url": self.public_url,
            "cancel_url": self.public_url,
            "expires_at": ledger.at + 3600,
        }
        Requests(ledger).post("/v1/checkout/sessions", urlencode(fields).encode(), None)
        ledger.pay_by_card(ledger.sessions[row.tx_id])
        ledger.at = None
        ledger.events.clear()
        return ledger

    async def session(self, tx_id: str) -> tuple[LocalPayment, Ledger] | None:
        """A checkout as it stands now; nothing is written."""
        row = await self.row(tx_id)
        if row is None:
            return None
        ledger = self._ledger(row)
        ledger.pass_time()
        return row, ledger

    async def act(self, tx_id: str, deed: Callable[[Ledger, Thing], object]) -> LocalPayment | None:
        """What a payer or a bank does. What Stripe would not allow does not happen."""

        def careful(ledger: Ledger) -> None:
            try:
                deed(ledger, ledger.sessions[tx_id])
            except Refused:
                ledger.pass_time()

        if await self.row(tx_id) is None:
            return None
        await self._act(tx_id, careful, {})
        return await self.row(tx_id)

    async def _act(self, key: str, deed: Deed, fields: Thing) -> Any:
        for _ in range(TRIES_MAX):
            before = await self.row(key)
            row = before or LocalPayment(tx_id=key, order_id="", amount=0, created_at=days.now(self._clock))
            ledger = self._ledger(row) if before else self._empty(row)
            told = len(ledger.events)
            found = deed(ledger)
            account = orjson.dumps(ledger.document()).decode()
            if account == row.account or not ledger.counts:
                return found  # it was only looked at, or nothing came of it
            after = _summary(replace(row, account=account, version=row.version + 1), ledger, fields)
            try:
                await self._db.transact(keep_local_payment(after, before), *self._news(ledger, key, told, before))
            except TransactionFailed:
                continue  # somebody else acted; look again
            return found
        raise Conflict()

    def _empty(self, row: LocalPayment) -> Ledger:
        return self._ledger(replace(row, account=orjson.dumps(Ledger(self._clock).document()).decode()))

    def _news(self, ledger: Ledger, key: str, told: int, before: LocalPayment | None) -> list[Action[Any, Any]]:
        found: list[Action[Any, Any]] = [
            self._outbox.message(CALLBACK, key, {"event": event["id"]}, id=f"callback/{event['id']}")
            for event in ledger.events[told:]
        ]
        session = ledger.sessions.get(key)
        old = self._ledger(before).sessions.get(key, {}) if before else {}
        lapse = _lapse(ledger, session) if session else None
        if session and lapse and session["status"] != old.get("status"):
            after = timedelta(seconds=max(0, lapse - ledger.now()) + 1)
            found.append(self._outbox.message(CALLBACK, key, {}, id=f"lapse/{key}/{session['status']}", after=after))
        return found

    async def notice(self, tx_id: str, event_id: str | None) -> tuple[bytes, dict[str, str]] | None:
        """An event as it is posted to us; without one, time passes, and what runs out is told later."""
        if event_id is None:
            await self.act(tx_id, lambda ledger, session: ledger.pass_time())
            return None
        found = await self.session(tx_id)
        event = next((one for one in found[1].events if one["id"] == event_id), None) if found else None
        if found is None or event is None:
            return None
        body, signature = found[1].signed(event, self.webhook_secret)
        return body, {"stripe-signature": signature}


def row_key(id: str) -> str | None:
    """The row in which anything of a checkout is found."""
    named = _NAMED.fullmatch(id)
    return f"cs_test_{named[1]}" if named else None


def _lapse(ledger: Ledger, session: Thing) -> int | None:
    """When a checkout or a slip runs out by itself."""
    if session["status"] == "open":
        return int(session["expires_at"])
    intent = ledger.intents.get(str(session["payment_intent"])) or {}
    details = (intent.get("next_action") or {}).get("konbini_display_details")
    return int(details["expires_at"]) if details else None


def slip_until(ledger: Ledger, session: Thing) -> datetime | None:
    found = _lapse(ledger, session) if session["status"] == "complete" else None
    return None if found is None else datetime.fromtimestamp(found, UTC)


def outcome_of(ledger: Ledger, session: Thing) -> Outcome:
    if session["payment_status"] == "paid":
        return Outcome.PAID
    if session["status"] != "complete":
        return Outcome.OPEN if session["status"] == "open" else Outcome.FAILED
    intent = ledger.intents[str(session["payment_intent"])]
    return Outcome.WAITING if intent["status"] == "requires_action" else Outcome.FAILED


def _summary(row: LocalPayment, ledger: Ledger, fields: Thing) -> LocalPayment:
    """What of a ledger stands beside it, to be read by people."""
    session = ledger.sessions.get(row.tx_id)
    if session is None:
        return row
    lines = (fields.get("line_items") or {}).get("0", {})
    words = lines.get("price_data", {}).get("product_data", {}).get("name")
    return replace(
        row,
        order_id=row.order_id or str(session["metadata"].get("order_id", "")),
        amount=int(session["amount_total"]),
        outcome=outcome_of(ledger, session),
        description=words or row.description,
        return_url=session["success_url"],
        cancel_url=session["cancel_url"],
        open_until=datetime.fromtimestamp(session["expires_at"], UTC),
    )
