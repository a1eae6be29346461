"""Who did what with something that had failed: rows that outlive it, written in the transaction that does it.

acts = Acts(runtime, clock)
await runtime.transact(action, acts.row("aoi@example.com", "skip", "shard:tasks/task-table-v3/shardId-1", "why"))
found = await runtime.page(newest_acts(), size=50)
"""

from __future__ import annotations

from datetime import timedelta

from sekkei.clock import Clock
from sekkei.design import Database, Put
from sekkei.runtime import days
from sekkei.runtime.design import Act, acts, newest_acts
from sekkei.runtime.jobs import Payload, Progress
from sekkei.runtime.sweeping import NOBODY

KEPT = timedelta(days=400)
PAGE_ITEMS = 100
_DETAIL_CHARACTERS = 500


class Acts:
    def __init__(self, runtime: Database, clock: Clock) -> None:
        self._runtime = runtime
        self._clock = clock

    def row(self, by: str, what: str, subject: str, detail: str = "") -> Put[Act]:
        now = days.now(self._clock)
        return acts.create(
            Act(
                id=str(self._clock.uuid()),
                by=by or NOBODY,
                what=what,
                subject=subject,
                detail=detail[:_DETAIL_CHARACTERS],
                listed_at=now,
                expires=now + KEPT,
            )
        )

    async def forget(self, payload: Payload, cursor: str | None) -> Progress:
        """A step of leaving: what was done stays, who did it goes."""
        page = await self._runtime.page(newest_acts(), size=PAGE_ITEMS, after=cursor)
        theirs = [one for one in page if one.by in (payload["user_id"], payload.get("email") or payload["user_id"])]
        for one in theirs:
            await self._runtime.write(acts.update(one.id).set(Act.by, NOBODY))
        return Progress(len(theirs), page.cursor)
