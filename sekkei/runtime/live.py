"""Telling open pages what has changed, while they are open.

Alone, a process tells its own pages at once. Where several processes serve the same store, `live_log` carries what each
of them publishes to all of them: an event then comes back from the log, with a number that all of them know.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any

KEPT_EVENTS = 4_096
"""Of all topics, for a page that comes back after a short break."""
WAITING_MAX = 1_000
"""A listener that falls this far behind is told to load the page again."""


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """One thing that happened; ids count up over all topics."""

    id: int
    name: str
    data: Any
    topic: str = ""


RELOAD = "reload"
"""The event that says: too much has been missed, load the page again."""
RIGHTS = "rights"
"""The event that says: who may hear this has changed. Connections ask again at once; pages never see it."""


def of_person(id: str) -> str:
    """The topic of what concerns the rights of one person, wherever they listen."""
    return f"sekkei/person/{id}"


Published = tuple[str, str, Any]
"""Topic, name, data."""


class Live:
    """Topics by name, such as `tasks/team/t1`."""

    def __init__(self) -> None:
        self.life = secrets.token_hex(4)
        """Ids are of this life; those of another one mean nothing here."""
        self.publisher: Callable[[Published], None] | None = None
        """Takes what is published here and brings it to `deliver` of every process."""
        self.catch_up: Callable[[], Awaitable[None]] | None = None
        self._listeners: defaultdict[str, set[asyncio.Queue[LiveEvent]]] = defaultdict(set)
        self._recent: deque[tuple[str, LiveEvent]] = deque()
        self._since = 0
        """Of what happened up to this id nothing is known any more."""
        self._last_id = 0

    def publish(self, topic: str, name: str, data: Any = None) -> None:
        if self.publisher is not None:
            self.publisher((topic, name, data))
        else:
            self.deliver(self._last_id + 1, (topic, name, data))

    def deliver(self, id: int, published: Published) -> None:
        """Give an event to whoever listens here."""
        topic, name, data = published
        event = LiveEvent(id, name, data, topic)
        self._last_id = id
        self._recent.append((topic, event))
        if len(self._recent) > KEPT_EVENTS:
            self._since = self._recent.popleft()[1].id
        for listener in self._listeners.get(topic, ()):
            _hand_over(listener, event)

    def reach(self, id: int) -> None:
        """Everything up to this id has been delivered; pages made from now on go on behind it."""
        self._last_id = id

    def begin_anew(self, life: str, id: int) -> None:
        """Go on from an id of another life, or from one that leaves some out: what is open must be loaded again."""
        self.life = life
        self._last_id = self._since = id
        self._recent.clear()
        for listener in {one for listeners in self._listeners.values() for one in listeners}:
            _hand_over(listener, LiveEvent(id, RELOAD, None))

    def position(self, topic: str) -> int:
        """Where a topic stands now. A page that shows this moment listens from here, and so misses nothing."""
        return self._last_id

    def rights_changed(self, topic: str) -> None:
        """Say that somebody may no longer hear a topic; `of_person(id)` stands for all that one person hears.

        What was proven is good for some seconds otherwise, so whoever takes a right away says so."""
        self.publish(topic, RIGHTS)

    async def listen(self, topic: str | Collection[str], after: int | None = None) -> AsyncIterator[LiveEvent]:
        """Events of one or several topics as they come, in order; first those after `after`, for a page that was cut
        off for a moment."""
        topics = {topic} if isinstance(topic, str) else set(topic)
        if after is not None and after > self._last_id and self.catch_up is not None:
            await self.catch_up()  # another process, which made the page, is ahead
        queue: asyncio.Queue[LiveEvent] = asyncio.Queue()
        if after is not None and not self._since <= after <= self._last_id:
            queue.put_nowait(LiveEvent(self._last_id, RELOAD, None))
        elif after is not None:
            for where, event in self._recent:
                if where in topics and event.id > after:
                    queue.put_nowait(event)
        for each in topics:
            self._listeners[each].add(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            for each in topics:
                self._listeners[each].discard(queue)
                if not self._listeners[each]:
                    del self._listeners[each]

    def listeners(self, topic: str) -> int:
        return len(self._listeners.get(topic, ()))

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens here at all."""
        return bool(self._listeners)


def _hand_over(listener: asyncio.Queue[LiveEvent], event: LiveEvent) -> None:
    waiting = listener.qsize()
    if waiting < WAITING_MAX:
        listener.put_nowait(event)
    elif waiting == WAITING_MAX:
        listener.put_nowait(LiveEvent(event.id, RELOAD, None))
