"""The local provider: payments as rows, a page to approve or decline, and callbacks that are signed like real ones."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime

import orjson

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.runtime import days
from sekkei.runtime.settings import Settings
from sekkei_systems.chiipochi.design import decide_payment, local_payments, return_payment
from sekkei_systems.chiipochi.design.models import LocalPayment, Outcome
from sekkei_systems.chiipochi.ports.payments import signed
from sekkei_systems.chiipochi.ports.payments.port import Checkout, PaymentEvent, RefundRefused
from sekkei_systems.chiipochi.refusals import BadCallback

HEADER = "sekkei-payment-signature"


class LocalProvider:
    name = "local"

    def __init__(self, settings: Settings, db: Database, clock: Clock) -> None:
        self._secret = settings.secrets.key("chiipochi/local-payments")
        self.public_url = settings.public_url
        self._url = f"{settings.public_url}/chiipochi/local-pay"
        self._db, self._clock = db, clock

    async def create(self, order_id: str, amount: int, description: str, return_url: str, until: datetime) -> Checkout:
        # The id follows from the order, so that asking twice begins one payment; the secret keeps it unguessable.
        tx_id = "lp_" + hmac.new(self._secret, order_id.encode(), hashlib.sha256).hexdigest()[:32]
        payment = LocalPayment(
            tx_id=tx_id,
            order_id=order_id,
            amount=amount,
            description=description,
            return_url=return_url,
            created_at=days.now(self._clock),
        )
        try:
            await self._db.write(local_payments.create(payment))
        except ConditionFailed:
            pass  # begun before
        return Checkout(tx_id, f"{self._url}/{tx_id}")

    def verify(self, body: bytes, headers: Mapping[str, str]) -> PaymentEvent | None:
        signed.check(self._secret, self._clock.now(), body, headers.get(HEADER))
        try:
            found = orjson.loads(body)
            return PaymentEvent(
                str(found["id"]),
                str(found["tx_id"]),
                str(found["order_id"]),
                int(found["amount"]),
                Outcome(found["outcome"]),
            )
        except (ValueError, KeyError, TypeError):
            raise BadCallback() from None

    async def fetch(self, tx_id: str) -> PaymentEvent | None:
        payment = await self._db.get(local_payments(tx_id).consistent())
        return None if payment is None else _event(payment)

    async def refund(self, tx_id: str, order_id: str) -> str:
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

    async def decide(self, tx_id: str, outcome: Outcome) -> LocalPayment | None:
        """Approve or decline; what was decided first stays."""
        try:
            return await self._db.write(decide_payment(tx_id, outcome))
        except ConditionFailed:
            return await self.payment(tx_id)

    def callback(self, payment: LocalPayment) -> tuple[bytes, dict[str, str]]:
        """The notice of a payment's outcome, as it is sent to the donation's system."""
        event = _event(payment)
        content = {
            "id": event.id,
            "tx_id": event.tx_id,
            "order_id": event.order_id,
            "amount": event.amount,
            "outcome": event.outcome.value,
        }
        body = orjson.dumps(content)
        return body, {HEADER: signed.sign(self._secret, self._clock.now(), body)}


def _event(payment: LocalPayment) -> PaymentEvent:
    event_id = f"evt_{payment.tx_id}_{payment.outcome.value}"
    return PaymentEvent(event_id, payment.tx_id, payment.order_id, payment.amount, payment.outcome)
