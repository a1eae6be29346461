"""The local provider: payments as rows, a page to pay at, and callbacks that are signed like real ones.

Like a real one it has a way to pay that takes days (a convenience store), and a checkout that nobody finishes expires.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta

import orjson

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.runtime import days
from sekkei.runtime.settings import Settings
from sekkei_systems.chiipochi.design import decide_payment, local_payments, return_payment
from sekkei_systems.chiipochi.design.models import JST, LocalPayment, Outcome, japanese_day
from sekkei_systems.chiipochi.ports.payments import signed
from sekkei_systems.chiipochi.ports.payments.port import (
    Afterwards,
    Checkout,
    Instructions,
    LaterEvent,
    Order,
    PaymentEvent,
    RefundRefused,
)
from sekkei_systems.chiipochi.refusals import BadCallback

HEADER = "sekkei-payment-signature"
OPEN_FOR = timedelta(hours=23)
"""Of payments of before, which did not say."""
STORE_DAYS = 3


class LocalProvider:
    name = "local"

    def __init__(self, settings: Settings, db: Database, clock: Clock) -> None:
        self._secret = settings.secrets.key("chiipochi/local-payments")
        self.public_url = settings.public_url
        self._url = f"{settings.public_url}/chiipochi/local-pay"
        self._db, self._clock = db, clock

    async def create(self, order: Order) -> Checkout:
        # The id follows from the order, so that asking twice begins one payment; the secret keeps it unguessable.
        tx_id = "lp_" + hmac.new(self._secret, order.id.encode(), hashlib.sha256).hexdigest()[:32]
        payment = LocalPayment(
            tx_id=tx_id,
            order_id=order.id,
            amount=order.amount,
            description=order.description,
            return_url=order.done_url,
            cancel_url=order.cancel_url,
            open_until=order.until,
            created_at=days.now(self._clock),
        )
        try:
            await self._db.write(local_payments.create(payment))
        except ConditionFailed:
            pass  # begun before
        return Checkout(tx_id, f"{self._url}/{tx_id}")

    def verify(self, body: bytes, headers: Mapping[str, str]) -> PaymentEvent | LaterEvent | None:
        signed.check(self._secret, self._clock.now(), body, headers.get(HEADER))
        try:
            found = orjson.loads(body)
            return PaymentEvent(
                str(found["id"]),
                str(found["tx_id"]),
                str(found["order_id"]),
                int(found["amount"]),
                Outcome(found["outcome"]),
                datetime.fromisoformat(found["paid_at"]) if found.get("paid_at") else None,
                str(found["tx_id"]),
                "konbini",
            )
        except (ValueError, KeyError, TypeError):
            raise BadCallback() from None

    async def fetch(self, tx_id: str) -> PaymentEvent | None:
        payment = await self.payment(tx_id)
        return None if payment is None else self._event(payment)

    async def instructions(self, tx_id: str) -> Instructions | None:
        payment = await self.payment(tx_id)
        if payment is None or payment.outcome is not Outcome.WAITING:
            return None
        return Instructions("konbini", store_until(payment), f"{self._url}/{tx_id}")

    async def tx_of(self, payment_ref: str) -> str | None:
        return payment_ref

    async def afterwards(self, tx_id: str) -> Afterwards:
        payment = await self.payment(tx_id)
        returned = payment is not None and payment.refunded_at is not None
        return Afterwards(payment.amount if payment is not None and returned else 0, None)

    async def refund(self, tx_id: str, order_id: str, key: str) -> str:
        try:
            await self._db.write(return_payment(tx_id, days.now(self._clock)))
        except ConditionFailed:
            payment = await self.payment(tx_id)
            if payment is None or payment.refunded_at is None:
                raise RefundRefused("this was never paid") from None
        return f"re_{tx_id}"

    # What only the local provider has: its page

    async def payment(self, tx_id: str) -> LocalPayment | None:
        return await self._db.get(local_payments(tx_id).consistent())

    def is_over(self, payment: LocalPayment) -> bool:
        """Too late to pay: a checkout that nobody finished, a store's slip that has run out."""
        waits = payment.outcome is Outcome.WAITING
        until = store_until(payment) if waits else payment.open_until or payment.created_at + OPEN_FOR
        return payment.outcome in (Outcome.OPEN, Outcome.WAITING) and days.now(self._clock) > until

    async def decide(self, tx_id: str, outcome: Outcome) -> LocalPayment | None:
        """Pay, decline, or choose to pay at a store; what was decided first stays, and what is over is over."""
        payment = await self.payment(tx_id)
        if payment is None or (self.is_over(payment) and outcome is not Outcome.FAILED):
            return payment
        try:
            return await self._db.write(decide_payment(tx_id, outcome, days.now(self._clock)))
        except ConditionFailed:
            return await self.payment(tx_id)

    def callback(self, payment: LocalPayment) -> tuple[bytes, dict[str, str]]:
        """The notice of a payment's outcome, as it is sent to the donation's system."""
        event = self._event(payment)
        content = {
            "id": event.id,
            "tx_id": event.tx_id,
            "order_id": event.order_id,
            "amount": event.amount,
            "outcome": event.outcome.value,
            "paid_at": event.paid_at.astimezone(UTC).isoformat() if event.paid_at else None,
        }
        body = orjson.dumps(content)
        return body, {HEADER: signed.sign(self._secret, self._clock.now(), body)}

    def _event(self, payment: LocalPayment) -> PaymentEvent:
        outcome = Outcome.FAILED if self.is_over(payment) else payment.outcome
        return PaymentEvent(
            f"evt_{payment.tx_id}_{outcome.value}",
            payment.tx_id,
            payment.order_id,
            payment.amount,
            outcome,
            payment.decided_at if outcome is Outcome.PAID else None,
            payment.tx_id,
            "konbini" if outcome is Outcome.WAITING else "",
        )


def store_until(payment: LocalPayment) -> datetime:
    """The end of the third day after the payer chose the store."""
    last = japanese_day(payment.decided_at or payment.created_at) + timedelta(days=STORE_DAYS)
    return datetime.combine(last, time(23, 59, 59), JST)
