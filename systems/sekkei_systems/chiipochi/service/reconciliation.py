"""Asking the provider about payments that have been silent for too long, by the clock and by hand.

The provider tells us by itself; asking is for what got lost. So a checkout is asked for after half an hour, after a
day, when it has run out, and then ever more rarely: 2,000 abandoned checkouts are 4,000 questions, not half a million.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.runtime import days
from sekkei.runtime.design import Message
from sekkei.runtime.jobs import Progress
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.system import Payload
from sekkei_systems.chiipochi.design import looked_at, pending_before
from sekkei_systems.chiipochi.design.models import Donation, Outcome
from sekkei_systems.chiipochi.ports.payments.port import PaymentEvent, Provider, ProviderAway
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.links import order_id_of
from sekkei_systems.chiipochi.service.orders import Orders
from sekkei_systems.chiipochi.service.settling import Settling

GIVEN_UP = timedelta(hours=24)
"""A donation that nobody has begun to pay by then is given up."""
STALE = timedelta(minutes=30)
"""A payment that has not been heard of for so long is asked for."""
ASK = "chiipochi.ask"
"""The outbox's kind of message that asks about one payment."""
PAGE = 25
LOOKED_AHEAD = timedelta(days=1)
"""Beyond our own clock: that of whoever wrote a donation down may be ahead."""

log = logging.getLogger("sekkei_systems.chiipochi.reconciliation")

Found = Literal["settled", "open", "given_up"]


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a round of asking the provider came to."""

    settled: int
    open: int
    given_up: int


def is_due(donation: Donation, now: datetime) -> bool:
    """Can anything have changed, and has enough time passed since we last asked?"""
    age = now - donation.created_at
    if donation.tx_id is None:
        return age >= GIVEN_UP
    if donation.looked_at is None:
        return age >= STALE
    return age >= max(GIVEN_UP, 2 * (donation.looked_at - donation.created_at))


@dataclass
class Reconciliation:
    """Also the transport of questions about one payment."""

    db: Database
    clock: Clock
    outbox: Outbox
    provider: Provider
    settling: Settling
    orders: Orders

    async def none_due_before(self) -> datetime:
        """When the oldest payment that waits is due at the earliest; further ones are later."""
        ahead = days.now(self.clock) + LOOKED_AHEAD
        oldest = await self.db.first(pending_before(ahead))
        return (oldest.created_at if oldest else ahead) + STALE

    async def run(self) -> Reconciled:
        """Ask the provider about every payment that is due; while it is away, what nobody began to pay ends as well."""
        now, away = days.now(self.clock), False
        counts = {"settled": 0, "open": 0, "given_up": 0}
        async for donation in self.db.each(pending_before(now - STALE)):
            if not is_due(donation, now) or (away and donation.tx_id is not None):
                continue
            try:
                counts[await self._carefully(donation, now)] += 1
            except ProviderAway as error:
                away = True
                log.warning(
                    "the provider is away; the rest is asked for in the next round", extra={"error": str(error)}
                )
        return Reconciled(**counts)

    async def step(self, payload: Payload, cursor: str | None) -> Progress:
        """One page of a job that asks about everything that waits."""
        now = days.now(self.clock)
        page = await self.db.page(pending_before(now), size=PAGE, after=cursor)
        for donation in page:
            await self._carefully(donation, now)
        return Progress(len(page), page.cursor)

    async def _carefully(self, donation: Donation, now: datetime) -> Found:
        """One payment that cannot be looked at must not keep the others from it."""
        try:
            return await self.look_at(donation, now)
        except ProviderAway:
            raise
        except Exception:
            log.exception("a payment could not be reconciled", extra={"user": donation.user_id})
            return "open"

    async def look_at(self, donation: Donation, now: datetime) -> Found:
        """Only the provider ends a checkout; what nobody began to pay ends by itself."""
        event = None if donation.tx_id is None else await self.provider.fetch(donation.tx_id)
        if event is not None:
            await self.settling.apply(event)
            if event.outcome in (Outcome.PAID, Outcome.FAILED):
                return "settled"
        if event is not None or now - donation.created_at < GIVEN_UP:
            await self._looked(donation, now)
            return "open"
        order_id = order_id_of(donation.user_id, donation.created_at)
        over = PaymentEvent(f"given-up/{order_id}", donation.tx_id or "", order_id, donation.amount, Outcome.FAILED)
        await self.settling.apply(over)
        return "given_up"

    async def _looked(self, donation: Donation, now: datetime) -> None:
        if donation.tx_id is None:
            return
        try:
            await self.db.write(looked_at(donation.user_id, donation.created_at, now))
        except ConditionFailed:
            log.info("a payment was settled while it was asked for", extra={"tx_id": donation.tx_id})

    async def ask(self, operator: Operator, user_id: str, created_at: datetime) -> None:
        """Have one payment asked for soon; no page waits for a provider."""
        donation = await self.orders.find(user_id, created_at)
        order_id = order_id_of(donation.user_id, donation.created_at)
        moment = int(days.now(self.clock).timestamp())
        await self.outbox.put(ASK, operator.id, {"order": order_id}, id=f"ask/{order_id}/{moment}")

    async def send(self, message: Message) -> str:
        donation = await self.orders.ordered(message.body["order"], None)
        return "unknown" if donation is None else await self.look_at(donation, days.now(self.clock))

    async def pending(self, limit: int | None = None) -> list[Donation]:
        """What waits for its payment, the oldest first."""
        query = pending_before(days.now(self.clock) + timedelta(seconds=1))
        return await self.db.all(query) if limit is None else list(await self.db.page(query, size=limit))
