"""Payments: begun when somebody follows the link, settled once by whichever word of the provider comes first."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.idempotency import Idempotency
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import Conflict, Gone, NotThere, say
from systems.chiipochi import messages
from systems.chiipochi.design import (
    begin_payment,
    donations,
    paid_after_all,
    pending_before,
    refunded,
    settle,
    to_refund,
)
from systems.chiipochi.links import Links, donation_key, order_id_of
from systems.chiipochi.models import Donation, Outcome, Status
from systems.chiipochi.payments.port import PaymentEvent, Provider
from systems.chiipochi.prefectures import PREFECTURES

PAYABLE = timedelta(hours=23)
"""A checkout stays open for at most a day, and the link a little less."""
GIVEN_UP = timedelta(hours=24)
"""A donation that nobody has begun to pay by then is given up."""
STALE = timedelta(minutes=30)
"""A payment that has not been heard of for so long is asked for."""
EVENTS_KEPT = timedelta(days=30)

log = logging.getLogger("systems.chiipochi.settling")

Result = Literal["settled", "known", "late", "open"]


class UnknownOrder(NotThere):
    code = "unknown-order"
    words = say("この注文はありません。", "There is no such order.")


class WrongAmount(Conflict):
    code = "wrong-amount"
    words = say("金額が注文と一致しません。", "The amount is not that of the order.")


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a round of asking the provider came to."""

    settled: int
    open: int
    given_up: int


class Settling:
    def __init__(
        self, db: Database, clock: Clock, provider: Provider, idempotency: Idempotency, outbox: Outbox, links: Links
    ) -> None:
        self._db, self._clock, self._provider = db, clock, provider
        self._idempotency, self._outbox, self._links = idempotency, outbox, links

    @property
    def provider(self) -> Provider:
        return self._provider

    async def start(self, token: str) -> str:
        """Where the payer goes, out of the token in the link that the bot gave."""
        donation = await self.order(token)
        order_id = order_id_of(donation.user_id, donation.created_at)
        if donation.status is not Status.PENDING:
            return f"{self._links.pay(order_id)}/done"
        until = donation.created_at + PAYABLE
        if days.now(self._clock) >= until - timedelta(minutes=30):
            raise Gone(
                words=say(
                    "お支払いの期限が過ぎました。もう一度ちいポチに話しかけてください。",
                    "The time to pay is over. Please talk to the bot again.",
                )
            )
        prefecture = PREFECTURES[donation.prefecture]
        checkout = await self._provider.create(
            order_id, donation.amount, f"ちいポチ {prefecture.full}への寄付", f"{self._links.pay(order_id)}/done", until
        )
        try:
            await self._db.write(begin_payment(donation.user_id, donation.created_at, checkout.tx_id))
        except ConditionFailed:
            return f"{self._links.pay(order_id)}/done"  # settled meanwhile
        return checkout.url

    async def order(self, token: str) -> Donation:
        """The donation behind a payment link."""
        key = donation_key(self._links.order_of(token))
        if key is None:
            raise UnknownOrder()
        return await self.find(*key)

    async def find(self, user_id: str, created_at: datetime) -> Donation:
        found = await self._db.get(donations(user_id, created_at).consistent())
        if found is None:
            raise UnknownOrder()
        return found

    async def receive(self, provider: str, body: bytes, headers: Mapping[str, str]) -> Result:
        """A provider's callback. An order that is not there (yet) is refused, so that the provider tries again."""
        if provider != self._provider.name:
            raise NotThere()
        event = self._provider.verify(body, headers)
        return "open" if event is None else await self.apply(event)

    async def apply(self, event: PaymentEvent) -> Result:
        """Write down what became of a payment; once, however often and in whatever order it is told."""
        key = donation_key(event.order_id)
        donation = None if key is None else await self._db.get(donations(*key).consistent())
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
        status = Status.SUCCEEDED if event.outcome is Outcome.PAID else Status.FAILED
        return await self._settle(donation, status, event)

    async def _settle(self, donation: Donation, status: Status, event: PaymentEvent) -> Result:
        now_settled = settle(donation.user_id, donation.created_at, status, event.tx_id or None)
        seen = self._idempotency.mark(f"payment/{event.id}", {"order": event.order_id}, EVENTS_KEPT)
        actions: list[Action[Any, Any]] = [now_settled, seen]
        if status is Status.FAILED:
            actions.append(self._sorry(donation))
        try:
            await self._db.transact(*actions)
        except TransactionFailed as failed:
            if failed.failed(seen) and not failed.failed(now_settled):
                return "known"  # this very event has been heard before
            return await self._after_the_end(
                await self._db.need(donations(donation.user_id, donation.created_at).consistent()), event
            )
        return "settled"

    def _sorry(self, donation: Donation) -> Action[Any, Any]:
        order_id = order_id_of(donation.user_id, donation.created_at)
        body = messages.letter(messages.say("failed"))
        return self._outbox.message("line", donation.user_id, body, id=f"failed/{order_id}")

    async def _after_the_end(self, donation: Donation, event: PaymentEvent) -> Result:
        """The donation is settled. Money that comes for one that was given up must be given back."""
        if event.outcome is not Outcome.PAID or donation.status is not Status.FAILED:
            return "known"
        try:
            await self._db.write(paid_after_all(donation.user_id, donation.created_at, days.now(self._clock)))
        except ConditionFailed:
            return "known"
        log.error("money came for a donation that was given up", extra={"order": event.order_id, "event": event.id})
        return "late"

    # By the clock, and by hand

    async def reconcile(self) -> Reconciled:
        """Ask the provider about every payment that has been silent for too long."""
        now = days.now(self._clock)
        counts = {"settled": 0, "open": 0, "given_up": 0}
        async for donation in self._db.each(pending_before(now - STALE)):
            try:
                counts[await self.look_at(donation, now)] += 1
            except Exception:
                # One payment that cannot be looked at must not keep the others from it.
                log.exception("a payment could not be reconciled", extra={"user": donation.user_id})
                counts["open"] += 1
        return Reconciled(**counts)

    async def look_at(self, donation: Donation, now: datetime) -> Literal["settled", "open", "given_up"]:
        event = None if donation.tx_id is None else await self._provider.fetch(donation.tx_id)
        if event is not None and event.outcome is not Outcome.OPEN:
            await self.apply(event)
            return "settled"
        if now - donation.created_at < GIVEN_UP:
            return "open"
        over = PaymentEvent(
            f"given-up/{order_id_of(donation.user_id, donation.created_at)}",
            donation.tx_id or "",
            order_id_of(donation.user_id, donation.created_at),
            donation.amount,
            Outcome.FAILED,
        )
        await self.apply(over)
        return "given_up"

    async def pending(self, limit: int | None = None) -> list[Donation]:
        """What waits for its payment, the oldest first."""
        query = pending_before(days.now(self._clock) + timedelta(seconds=1))
        return await self._db.all(query) if limit is None else list(await self._db.page(query, size=limit))

    async def owed(self) -> list[Donation]:
        """What must be given back."""
        return await self._db.all(to_refund())

    async def mark_refunded(self, user_id: str, created_at: datetime) -> None:
        """The money has been given back; saying so twice is saying it once."""
        found = await self.find(user_id, created_at)
        if found.paid_late_at is None:
            raise NotThere()
        try:
            await self._db.write(refunded(user_id, created_at, found.paid_late_at, days.now(self._clock)))
        except ConditionFailed:
            log.info("a donation was marked as given back before", extra={"user": user_id})
