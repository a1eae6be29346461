"""What LINE delivers: stored first, handled once.

A delivery is answered as soon as its events are stored. Handling an event ends with a transaction that also marks the
event as handled, so that whoever handles it again (LINE delivers twice, a process dies) changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import timedelta

import orjson

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.runtime import days
from systems.chiipochi.design import line_events, unhandled_before
from systems.chiipochi.line import RawEvent, read_stored
from systems.chiipochi.models import LineEvent

KEPT = timedelta(days=8)
"""LINE does not say for how long it delivers again; a week is on the safe side."""
TAKEN = KEPT - timedelta(days=1)
"""An older event may have been handled and forgotten; whoever brings it now has recorded it."""
LEFT_OVER = timedelta(seconds=30)
"""An event that nobody has handled after so long was left over by a process that died."""

log = logging.getLogger("systems.chiipochi.inbox")

Handler = Callable[[LineEvent], Awaitable[None]]


class Inbox:
    def __init__(self, db: Database, clock: Clock, handle: Handler) -> None:
        self._db, self._clock, self._handle = db, clock, handle
        self._under_way: set[asyncio.Task[None]] = set()

    async def store(self, events: Iterable[RawEvent]) -> list[LineEvent]:
        """Write down what is new; gives back what this delivery has to see to."""
        claim = self._clock.uuid()
        oldest_ms = (self._clock.now() - TAKEN.total_seconds()) * 1000
        recent = [event for event in events if event["timestamp"] > oldest_ms]
        found = await asyncio.gather(*(self._store(event, claim) for event in recent))
        return [event for event in found if event is not None]

    async def _store(self, raw: RawEvent, claim: str) -> LineEvent | None:
        now = days.now(self._clock)
        event = LineEvent(
            event_id=raw["webhookEventId"],
            claim=claim,
            event=orjson.dumps(raw).decode(),
            received_at=now,
            expires_at=now + KEPT,
        )
        create = line_events.create(event)
        try:
            return await self._db.write(create)
        except ConditionFailed as failed:
            # Our own row means that the answer to a first try was lost; another's, that it was delivered before.
            there = failed.old(create) or await self._db.get(line_events(event.event_id).consistent())
            return event if there is not None and there.claim == claim else None

    async def handle(self, events: Sequence[LineEvent], seconds: float) -> None:
        """Handle them, but do not keep the caller waiting; what takes longer goes on behind."""
        if not events:
            return
        task = asyncio.create_task(self._handle_all(events))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        await asyncio.wait({task}, timeout=seconds)

    async def _handle_all(self, events: Sequence[LineEvent]) -> None:
        """Users side by side, the events of one user in the order they happened in."""
        by_user: dict[str, list[tuple[int, LineEvent]]] = {}
        for event in events:
            incoming = read_stored(event.event)
            if incoming is not None:
                by_user.setdefault(incoming.user_id, []).append((incoming.at_ms, event))
        await asyncio.gather(*(self._handle_in_order(those) for those in by_user.values()))

    async def _handle_in_order(self, events: list[tuple[int, LineEvent]]) -> None:
        for _, event in sorted(events, key=lambda one: one[0]):
            await self._handle_one(event)

    async def _handle_one(self, event: LineEvent) -> bool:
        try:
            await self._handle(event)
        except Exception:
            log.exception("an event could not be handled; it is tried again", extra={"event_id": event.event_id})
            return False
        return True

    async def handle_left_over(self) -> int:
        """Handle what a process left behind when it died; returns how many."""
        moment = days.now(self._clock) - LEFT_OVER
        handled = 0
        async for event in self._db.each(unhandled_before(moment)):
            handled += await self._handle_one(event)
        return handled

    async def finish(self) -> None:
        """Wait for everything under way; for tests and for a process that stops."""
        while self._under_way:
            await asyncio.gather(*self._under_way, return_exceptions=True)
