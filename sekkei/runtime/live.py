"""Telling open pages what has changed, while they are open. What nobody asked for is forgotten at once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

KEPT_EVENTS = 256
"""Per topic, for a page that comes back after a short break."""
WAITING_MAX = 1_000
"""A listener that falls this far behind is told to load the page again."""
TOPICS_MAX = 10_000
"""That are remembered though nobody listens to them."""


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """One thing that happened; ids count up over all topics."""

    id: int
    name: str
    data: Any


RELOAD = "reload"
"""The event that says: too much has been missed, load the page again."""


@dataclass(slots=True, eq=False)
class _Topic:
    since: int
    """Of what happened up to this id nothing is known any more."""
    recent: deque[LiveEvent] = field(default_factory=deque)
    listeners: set[asyncio.Queue[LiveEvent]] = field(default_factory=set)

    def keep(self, event: LiveEvent) -> None:
        self.recent.append(event)
        if len(self.recent) > KEPT_EVENTS:
            self.since = self.recent.popleft().id


class Live:
    """Topics by name, such as `tasks/team/t1`. One process; several learn of changes by reading the same streams."""

    def __init__(self) -> None:
        self._topics: OrderedDict[str, _Topic] = OrderedDict()
        self._last_id = 0

    def publish(self, topic: str, name: str, data: Any = None) -> None:
        found = self._topics.get(topic)
        if found is None:
            return
        self._last_id += 1
        event = LiveEvent(self._last_id, name, data)
        found.keep(event)
        for listener in found.listeners:
            _hand_over(listener, event)

    def position(self, topic: str) -> int:
        """Where a topic stands now. A page that shows this moment listens from here, and so misses nothing."""
        self._topic(topic)
        return self._last_id

    async def listen(self, topic: str, after: int | None = None) -> AsyncIterator[LiveEvent]:
        """Events as they come; first those after `after`, for a page that was cut off for a moment."""
        found = self._topic(topic)
        queue: asyncio.Queue[LiveEvent] = asyncio.Queue()
        if after is not None:
            if not found.since <= after <= self._last_id:
                queue.put_nowait(LiveEvent(self._last_id, RELOAD, None))
            else:
                for event in found.recent:
                    if event.id > after:
                        queue.put_nowait(event)
        found.listeners.add(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            found.listeners.discard(queue)

    def listeners(self, topic: str) -> int:
        found = self._topics.get(topic)
        return len(found.listeners) if found else 0

    def _topic(self, name: str) -> _Topic:
        found = self._topics.get(name)
        if found is None:
            found = self._topics[name] = _Topic(since=self._last_id)
            self._forget()
        self._topics.move_to_end(name)
        return found

    def _forget(self) -> None:
        """Let go of the topics that were asked for longest ago and that nobody listens to."""
        surplus = len(self._topics) - TOPICS_MAX
        if surplus > 0:
            silent = [name for name, topic in self._topics.items() if not topic.listeners]
            for name in silent[:surplus]:
                del self._topics[name]


def _hand_over(listener: asyncio.Queue[LiveEvent], event: LiveEvent) -> None:
    waiting = listener.qsize()
    if waiting < WAITING_MAX:
        listener.put_nowait(event)
    elif waiting == WAITING_MAX:
        listener.put_nowait(LiveEvent(event.id, RELOAD, None))
