"""Payments: begun when somebody follows the link, settled once by whichever word of the provider comes first.

PENDING  the payer is at the checkout → paid: SUCCEEDED    → failed, expired: FAILED
         → "complete, unpaid": a convenience store or a bank has the rest; pending until the provider says more
FAILED   money comes after all → it is owed back, and the donor is told
paid, and money comes again in another payment → the second is owed back, and the donor is told
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.idempotency import Idempotency
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import NotThere
from sekkei_systems.chiipochi.design import (
    await_money,
    begin_payment,
    fail,
    found_by,
    paid_after_all,
    settle,
)
from sekkei_systems.chiipochi.design.models import Donation, Outcome, Status
from sekkei_systems.chiipochi.ports.payments.port import LaterEvent, Order, PaymentEvent, Provider, ProviderDown
from sekkei_systems.chiipochi.refusals import PaymentsDown, TooLateToPay, UnknownOrder, WrongAmount
from sekkei_systems.chiipochi.rules.recipients import recipient_of
from sekkei_systems.chiipochi.service.letters import Letters
from sekkei_systems.chiipochi.service.links import Links, donation_key, order_id_of
from sekkei_systems.chiipochi.service.orders import Orders
from sekkei_systems.chiipochi.service.surplus import AFTERWARDS, Surpluses
from sekkei_systems.chiipochi.texts import LANGUAGES, say

PAYABLE = timedelta(hours=23)
"""A checkout stays open for at most a day, and the link a little less."""
EVENTS_KEPT = timedelta(days=30)

INSTRUCTIONS = "chiipochi.instructions"
"""The outbox's kind of message that asks how something is to be paid."""

log = logging.getLogger("sekkei_systems.chiipochi.settling")

Result = Literal["settled", "known", "late", "open", "waiting", "later", "not ours"]


@dataclass
class Settling:
    surpluses: Surpluses
    db: Database
    clock: Clock
    provider: Provider
    idempotency: Idempotency
    outbox: Outbox
    links: Links
    orders: Orders
    letters: Letters

    async def start(self, token: str) -> str:
        """Where the payer goes, out of the token in the link that the bot gave."""
        donation = await self.orders.of_link(token)
        link = self.links.pay(order_id_of(donation.user_id, donation.created_at))
        if donation.status is not Status.PENDING or donation.waiting_for is not None:
            return f"{link}/done"
        until = donation.created_at + PAYABLE
        if days.now(self.clock) >= until - timedelta(minutes=30):
            raise TooLateToPay()
        try:
            checkout = await self.provider.create(self._order(donation, link))
        except ProviderDown as error:
            log.error("the provider takes no checkout", extra={"error": str(error)})
            raise PaymentsDown() from error
        try:
            await self.db.write(begin_payment(donation.user_id, donation.created_at, checkout.tx_id))
        except ConditionFailed:
            return f"{link}/done"  # settled meanwhile
        return checkout.url

    def _order(self, donation: Donation, link: str) -> Order:
        # In both languages: a provider that is asked again must be asked the same, whatever is spoken by then.
        place = recipient_of(donation)
        description = " / ".join(say(one, "bot.pay.description", place=place.name(one)) for one in LANGUAGES)
        order_id = order_id_of(donation.user_id, donation.created_at)
        until = donation.created_at + PAYABLE
        return Order(order_id, donation.amount, description, f"{link}/done", f"{link}/back", until)

    async def receive(self, provider: str, body: bytes, headers: Mapping[str, str]) -> Result:
        """A provider's callback. An order that is not there (yet) is refused, so that the provider tries again."""
        if provider != self.provider.name:
            raise NotThere()
        event = self.provider.verify(body, headers)
        if event is None:
            return "not ours"
        if isinstance(event, LaterEvent):
            await self.outbox.put(AFTERWARDS, event.payment_ref, {}, id=f"afterwards/{event.id}")
            return "later"
        return await self.apply(event)

    async def apply(self, event: PaymentEvent) -> Result:
        """Write down what became of a payment; once, however often and in whatever order it is told."""
        if donation_key(event.order_id) is None:
            return "not ours"
        donation = await self.orders.ordered(event.order_id, event.tx_id)
        extra = {"event": event.id, "order": event.order_id, "tx_id": event.tx_id}
        if donation is None:
            log.warning("a payment callback names no order of ours", extra=extra)
            raise UnknownOrder()
        if event.outcome is Outcome.OPEN:
            return "open"
        if event.outcome is Outcome.PAID and event.amount != donation.amount:
            log.error("a payment has another amount than its order", extra={**extra, "amount": event.amount})
            raise WrongAmount()
        if donation.status is not Status.PENDING:
            return await self._after_the_end(donation, event)
        if event.outcome is Outcome.WAITING:
            return await self._wait(donation, event)
        if event.outcome is Outcome.FAILED and donation.tx_id not in (None, event.tx_id):
            return "known"  # another checkout of this donation has ended; its own can still be paid
        return await self._settle(donation, event)

    async def _wait(self, donation: Donation, event: PaymentEvent) -> Result:
        """The payer goes to a shop or a bank now; how and until when, the provider is asked."""
        order_id = order_id_of(donation.user_id, donation.created_at)
        body = {"order": order_id, "tx_id": event.tx_id}
        waits = await_money(donation.user_id, donation.created_at, event.tx_id, event.method or "later")
        asked = self.outbox.message(INSTRUCTIONS, order_id, body, id=f"instructions/{order_id}")
        try:
            await self.db.transact(waits.when(Donation.waiting_for.absent()), asked)
        except TransactionFailed:
            return "known"
        return "waiting"

    async def _settle(self, donation: Donation, event: PaymentEvent) -> Result:
        seen = self.idempotency.mark(f"payment/{event.id}", {"order": event.order_id}, EVENTS_KEPT)
        changes = await self._changes(donation, event)
        try:
            await self.db.transact(*changes, seen)
        except TransactionFailed as failed:
            if failed.failed(seen) and not failed.failed(changes[0]):
                return "known"  # this very event has been heard before
            return await self._after_the_end(await self._settled_meanwhile(event), event)
        return "settled"

    async def _settled_meanwhile(self, event: PaymentEvent) -> Donation:
        """As it stands now. One that has just moved to a forgotten donor's name is told of again by the provider."""
        found = await self.orders.ordered(event.order_id, event.tx_id)
        if found is None or found.status is Status.PENDING:
            raise UnknownOrder() from None
        return found

    async def _changes(self, donation: Donation, event: PaymentEvent) -> list[Action[Any, Any]]:
        if event.outcome is Outcome.PAID:
            paid_at = event.paid_at or days.now(self.clock)
            return list(settle(donation, event.tx_id, event.payment_ref, paid_at).actions)
        failed = fail(donation.user_id, donation.created_at, event.tx_id or None)
        return [failed, *await self.letters.to(donation, "failed")]

    async def _after_the_end(self, donation: Donation, event: PaymentEvent) -> Result:
        """The donation is settled. Money that comes for one that was given up must be refunded, and so must money
        that comes twice."""
        if event.outcome is not Outcome.PAID:
            return "known"
        if donation.status is Status.SUCCEEDED or donation.paid_late_at is not None:
            twice = event.tx_id != donation.tx_id and await self.surpluses.file(donation, event)
            return "late" if twice else "known"
        said = await self.letters.to(donation, "paid-late")
        late = paid_after_all(donation, event.tx_id, event.payment_ref, event.paid_at or days.now(self.clock))
        try:
            await self.db.transact(late, *found_by(donation, event.payment_ref), *said)
        except TransactionFailed:
            now = await self._settled_meanwhile(event)
            if now == donation:
                raise UnknownOrder() from None  # the provider tells us again
            return await self._after_the_end(now, event)  # it has moved, or other money has come
        log.error("money came for a donation that was given up", extra={"order": event.order_id, "event": event.id})
        return "late"
