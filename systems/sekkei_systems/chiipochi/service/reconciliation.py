"""Asking the provider about payments that have been silent for too long, by the clock and by hand."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sekkei.runtime import days
from sekkei.runtime.system import Context
from sekkei_systems.chiipochi.design import pending_before
from sekkei_systems.chiipochi.design.models import Donation, Outcome
from sekkei_systems.chiipochi.ports.payments.port import PaymentEvent, Provider
from sekkei_systems.chiipochi.service.links import order_id_of
from sekkei_systems.chiipochi.service.settling import Settling

GIVEN_UP = timedelta(hours=24)
"""A donation that nobody has begun to pay by then is given up."""
STALE = timedelta(minutes=30)
"""A payment that has not been heard of for so long is asked for."""

log = logging.getLogger("sekkei_systems.chiipochi.reconciliation")


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a round of asking the provider came to."""

    settled: int
    open: int
    given_up: int


class Reconciliation:
    def __init__(self, context: Context, provider: Provider, settling: Settling) -> None:
        self._db, self._clock, self._provider, self._settling = context.db, context.clock, provider, settling

    async def run(self) -> Reconciled:
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
            await self._settling.apply(event)
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
        await self._settling.apply(over)
        return "given_up"

    async def pending(self, limit: int | None = None) -> list[Donation]:
        """What waits for its payment, the oldest first."""
        query = pending_before(days.now(self._clock) + timedelta(seconds=1))
        return await self._db.all(query) if limit is None else list(await self._db.page(query, size=limit))
