"""What LINE delivers: handled once, and never lost after LINE was told that it arrived.

Handling an event ends with a transaction that also marks the event as handled, so that whoever handles it again (LINE
delivers twice, a process dies) changes nothing. What is not done in time, or fails, is written down before LINE gets
its answer, and is handled by this process or by the next.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import orjson

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei_systems import days
from sekkei_systems.chiipochi.design import line_events, unhandled_before
from sekkei_systems.chiipochi.design.models import LineEvent
from sekkei_systems.chiipochi.rules.conversation import Incoming
from sekkei_systems.chiipochi.rules.events import EVENTS_KEPT, Received, read_event
from sekkei_systems.chiipochi.service.conversations import Conversations
from sekkei_systems.chiipochi.service.letters import Channel

TAKEN = EVENTS_KEPT - timedelta(days=1)
"""An older event may have been handled and forgotten; whoever brings it now has recorded it."""
_ASK_LINE = ("follow",)
"""Kinds of events for which LINE is asked something: the language of a new friend."""
_LEFT_OVER = timedelta(seconds=30)
"""An event that nobody has handled after so long was left over by a process that died."""
LOOKED_AHEAD = timedelta(days=1)
"""Beyond our own clock: that of whoever took an event in may be ahead."""

log = logging.getLogger("sekkei_systems.chiipochi.service.inbox")


@dataclass
class Inbox:
    db: Database
    clock: Clock
    conversations: Conversations
    channel: Channel
    _under_way: set[asyncio.Task[None]] = field(default_factory=set, init=False)

    async def take(self, delivered: Iterable[Received], seconds: float) -> None:
        """Handle what was delivered, for as long as the caller can wait; what is left then is written down."""
        oldest_ms = (self.clock.now() - TAKEN.total_seconds()) * 1000
        waiting = {found.incoming.event_id: found for found in delivered if found.incoming.at_ms > oldest_ms}
        await self._put_off({id: waiting.pop(id) for id in [*waiting] if waiting[id].incoming.kind in _ASK_LINE})
        if not waiting:
            return
        task = self._begin(self._handle_all(waiting))
        done, _ = await asyncio.wait({task}, timeout=seconds)
        if waiting:
            await self.store(list(waiting.values()))
            if not done:
                self._begin(self.channel.keep_waiting([found.incoming for found in waiting.values()]))

    async def _put_off(self, events: dict[str, Received]) -> None:
        """Write down, and handle after the answer: LINE must not wait for what we ask of LINE."""
        if events:
            await self.store(events.values())
            self._begin(self._handle_all(events))

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    async def store(self, found: Iterable[Received]) -> None:
        """Write down what waits, unless it has been handled or written down before."""
        await asyncio.gather(*(self._store(one) for one in found))

    async def _store(self, found: Received) -> None:
        now = days.now(self.clock)
        event = LineEvent(
            event_id=found.incoming.event_id,
            event=orjson.dumps(found.raw).decode(),
            received_at=now,
            expires_at=now + EVENTS_KEPT,
        )
        try:
            await self.db.write(line_events.create(event))
        except ConditionFailed:
            log.info("an event was known already", extra={"event_id": event.event_id})

    async def _handle_all(self, waiting: dict[str, Received]) -> None:
        """Users side by side, the events of one user in the order they happened in; what is done leaves `waiting`."""
        by_user: dict[str, list[Incoming]] = {}
        for found in waiting.values():
            by_user.setdefault(found.incoming.user_id, []).append(found.incoming)
        first, *others = (self._handle_in_order(those, waiting) for those in by_user.values())
        if others:
            await asyncio.gather(first, *others)
        else:  # as nearly always: no task of its own
            await first

    async def _handle_in_order(self, events: list[Incoming], waiting: dict[str, Received]) -> None:
        for incoming in sorted(events, key=lambda one: one.at_ms):
            if await self._handle_one(incoming):
                waiting.pop(incoming.event_id, None)

    async def _handle_one(self, incoming: Incoming) -> bool:
        try:
            await self.conversations.handle(incoming)
        except Exception:
            log.exception("an event could not be handled; it is tried again", extra={"event_id": incoming.event_id})
            return False
        return True

    async def none_left_over_before(self) -> datetime:
        """When the oldest event that waits is left over, if nobody handles it; further ones are later."""
        ahead = days.now(self.clock) + LOOKED_AHEAD
        oldest = await self.db.first(unhandled_before(ahead))
        return ((oldest and oldest.received_at) or ahead) + _LEFT_OVER

    async def handle_left_over(self) -> int:
        """Handle what a process left behind when it died; returns how many."""
        moment = days.now(self.clock) - _LEFT_OVER
        handled = 0
        async for event in self.db.each(unhandled_before(moment)):
            incoming = read_event(orjson.loads(event.event or "{}"))
            handled += incoming is not None and await self._handle_one(incoming)
        return handled

    async def finish(self) -> None:
        """Wait for everything under way; for tests and for a process that stops."""
        while self._under_way:
            await asyncio.gather(*self._under_way, return_exceptions=True)
