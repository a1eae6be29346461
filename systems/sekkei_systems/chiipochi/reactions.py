"""Donations as the stream tells of them: what follows from each is in `service.awards`.

Records come in batches. Those of one batch are rewarded several in a transaction, because under a burst they all add to
the same totals; where that fails (some of them were told before), each is looked at alone. Looking at one means: read
the donation and its award as they are now, and make the award, the totals and the stamp what the donation says. That
bears any record twice, late or in any order.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from sekkei.design import Change, Reactions, Table
from sekkei.design.streams import OnFailure, Record, decode_record
from sekkei.runtime.system import Context
from sekkei_systems.chiipochi.design import design, donations
from sekkei_systems.chiipochi.design.models import Donation, Status
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.service.donations import order_id_of

LIVE_TOPIC = "chiipochi/day"
TOGETHER = 18
"""Five items each, the totals of up to three days and the sums of appeals: a transaction takes a hundred."""

log = logging.getLogger("sekkei_systems.chiipochi.reactions")


class AwardReactions(Reactions):
    def __init__(self, context: Context, service: Service) -> None:
        super().__init__(design, env=context.settings.env)
        self._context, self._service = context, service
        self._rewarded: set[str] = set()
        self.on(donations)(self._react)

    async def dispatch(self, table: Table, records: Sequence[Record], failed: OnFailure | None = None) -> str | None:
        """Several at once first; then record by record, in order, whatever is left."""
        self._rewarded = set()
        try:
            await self._reward_together(table, records)
        except Exception as error:  # of one of them; looked at alone, that one fails and no other
            log.warning("several donations could not be rewarded together", extra={"error": repr(error)})
        return await super().dispatch(table, records, failed)

    async def _reward_together(self, table: Table, records: Sequence[Record]) -> None:
        waiting = [found for found in (_succeeded(decode_record(table, record)) for record in records) if found]
        for start in range(0, len(waiting), TOGETHER):
            some = waiting[start : start + TOGETHER]
            if len(some) > 1 and await self._service.awards.give(some):
                self._rewarded.update(_key(donation) for donation in some)

    async def _react(self, change: Change[Donation]) -> None:
        donation = change.new
        if donation is None:
            return
        done = _succeeded(change) is not None and _key(donation) in self._rewarded
        if _matters(change) and not done:
            await self._service.awards.bring_in_line(donation)
            if change.old is not None and change.old.counts:
                await self._service.receipts.correct(donation)
        news = {"day": f"{donation.paid_day}", "status": donation.status.value}
        self._context.live.publish(LIVE_TOPIC, "changed", news)


def _key(donation: Donation) -> str:
    return order_id_of(donation.user_id, donation.created_at)


def _succeeded(change: Change[Donation]) -> Donation | None:
    """The donation, where this is its step to SUCCEEDED; a change of one that has succeeded before is none."""
    before = change.old.status if change.old is not None else None
    return change.new if change.new is not None and change.new.counts and before is not Status.SUCCEEDED else None


def _matters(change: Change[Donation]) -> bool:
    """Does this change what is kept of the money?"""
    before = change.old.kept if change.old is not None else 0
    return change.new is not None and change.new.kept != before
