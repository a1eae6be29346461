"""Telling open pages what has changed, while they are open. What nobody listens to is forgotten at once."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

KEPT_EVENTS = 256
"""Per topic, for a page that comes back after a short break."""
WAITING_MAX = 1_000
"""A listener that falls this far behind is told to load the page again."""


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """One thing that happened; `id` counts up within its topic."""

    id: int
    name: str
    data: Any


RELOAD = "reload"
"""The event that says: too much has been missed, load the page again."""


class _Topic:
    def __init__(self) -> None:
        self.next_id = 1
        self.recent: deque[LiveEvent] = deque(maxlen=KEPT_EVENTS)
        self.listeners: set[asyncio.Queue[LiveEvent]] = set()


class Live:
    """Topics by name, such as `tasks/team/t1`. One process; several learn of changes by reading the same streams."""

    def __init__(self) -> None:
        self._topics: dict[str, _Topic] = {}

    def publish(self, topic: str, name: str, data: Any = None) -> None:
        found = self._topics.get(topic)
        if found is None:
            return
        event = LiveEvent(found.next_id, name, data)
        found.next_id += 1
        found.recent.append(event)
        for listener in found.listeners:
            if listener.qsize() < WAITING_MAX:
                listener.put_nowait(event)

    async def listen(self, topic: str, after: int | None = None) -> AsyncIterator[LiveEvent]:
        """Events as they come; first those after `after`, for a page that was cut off for a moment."""
        found = self._topics.setdefault(topic, _Topic())
        queue: asyncio.Queue[LiveEvent] = asyncio.Queue()
        if after is not None:
            if after >= found.next_id or (found.recent and after < found.recent[0].id - 1):
                queue.put_nowait(LiveEvent(found.next_id - 1, RELOAD, None))
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
            if not found.listeners and not found.recent:
                self._topics.pop(topic, None)

    def listeners(self, topic: str) -> int:
        found = self._topics.get(topic)
        return len(found.listeners) if found else 0
