"""Telling open pages what has changed, while they are open.

Alone, a process tells its own pages at once. Where several processes serve the same store, `LiveLog` carries what each
of them publishes to all of them: an event then comes back from the log, with a number that all of them know.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson

from sekkei import ending
from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.design import LiveBatch, LiveHead, live_batches, live_batches_between, live_heads
from sekkei.store.protocol import version_of

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


# Live events for several processes on one store: a short log in the runtime's table that all append to and all follow.
#
# Following the tables' own streams in every process would be simpler, but DynamoDB lets at most two readers share a
# shard and the pump is one of them. The log costs one small transaction for whatever was published within a moment, and
# a read every quarter of a second in processes that have pages open.
#
# A batch is written together with the head that counts it, so numbers have no holes: whoever has read to the head has
# read everything. Whoever finds the head moved reads first and then appends behind it.


LOG = "live"
_POLL_SECONDS = 0.25
FAILED_SECONDS = 2.0
_KEPT_TIME = timedelta(minutes=10)
_BATCH_EVENTS_MAX = 100
EVENT_BYTES_MAX = 2_000
"""A longer one asks pages to load again; so a whole batch always fits into an item."""
_PUBLISHED_MAX = 10_000
_BEHIND_BATCHES_MAX = 200
"""Whoever has missed more than this loads the page again."""
IDS_PER_BATCH = 1_000

_log = logging.getLogger("sekkei.runtime.live")


class LiveLog:
    """Connects a process's `Live` to those of the others."""

    def __init__(self, runtime: Database, clock: Clock, live: Live) -> None:
        self._runtime = runtime
        self._clock = clock
        self._live = live
        self._waiting: deque[Published] = deque(maxlen=_PUBLISHED_MAX)
        self._wake = asyncio.Event()
        self._turn = asyncio.Lock()
        self._number = 0
        self._version: int | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        head = await self._head()
        self._begin_at(head)
        self._live.publisher = self._publish
        self._live.catch_up = self.catch_up
        self._task = asyncio.create_task(self._forever(), name="live log")

    async def stop(self) -> None:
        """What was published is written down before the end."""
        self._live.publisher = self._live.catch_up = None
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        with contextlib.suppress(Exception):
            async with asyncio.timeout(ending.LAST_SECONDS):
                await self.run_once()

    async def run_once(self) -> None:
        """Append what waits, then hand out what others have appended."""
        async with self._turn:
            while self._waiting:
                await self._append()
            if self._live.is_heard and self._may_be_new():
                await self._read()

    def _may_be_new(self) -> bool:
        """A store that can tell that nobody has written need not be read."""
        version = version_of(self._runtime.store)
        seen, self._version = self._version, version
        return version is None or version != seen

    async def catch_up(self) -> None:
        async with self._turn:
            await self._read()

    def _publish(self, published: Published) -> None:
        self._waiting.append(published)
        self._wake.set()

    async def _forever(self) -> None:
        while True:
            pause = _POLL_SECONDS
            self._wake.clear()
            try:
                await self.run_once()
            except Exception as error:
                _log.warning("live events wait for the store", extra={"error": repr(error)})
                pause = FAILED_SECONDS
                await asyncio.sleep(pause)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), pause)

    async def _append(self) -> None:
        batch = [self._waiting[place] for place in range(min(len(self._waiting), _BATCH_EVENTS_MAX))]
        events = [_bounded(one) for one in batch]
        following = self._number + 1
        now = days.now(self._clock)
        row = LiveBatch(log=LOG, number=following, events=orjson.dumps(events).decode(), expires=now + _KEPT_TIME)
        moved = live_heads.update(LOG).set(LiveHead.number, following)
        moved = moved.when(LiveHead.number == self._number, LiveHead.life == self._live.life)
        try:
            await self._runtime.transact(moved, live_batches.create(row))
        except TransactionFailed:
            await self._read()
            return
        for _ in batch:
            self._waiting.popleft()
        self._deliver(following, events)

    async def _read(self) -> None:
        """Everything up to the head."""
        head = await self._head()
        if head.life != self._live.life or not 0 <= head.number - self._number <= _BEHIND_BATCHES_MAX:
            self._begin_at(head)
        if head.number == self._number:
            return
        found = await self._runtime.all(live_batches_between(LOG, self._number + 1, head.number).consistent())
        if [row.number for row in found] != list(range(self._number + 1, head.number + 1)):
            self._begin_at(head)  # some have expired
            return
        for row in found:
            self._deliver(row.number, orjson.loads(row.events))

    def _deliver(self, number: int, events: list[Published]) -> None:
        self._number = number
        for place, published in enumerate(events):
            topic, name, data = published
            self._live.deliver(number * IDS_PER_BATCH + place, (topic, name, data))
        self._live.reach(_last_id(number))

    def _begin_at(self, head: LiveHead) -> None:
        self._number = head.number
        self._live.begin_anew(head.life, _last_id(head.number))

    async def _head(self) -> LiveHead:
        """There from the first process on, and for ever: its number must not start again."""
        found = await self._runtime.get(live_heads(LOG).consistent())
        if found is not None:
            return found
        made = LiveHead(log=LOG, life=secrets.token_hex(4), number=0)
        try:
            return await self._runtime.write(live_heads.create(made))
        except ConditionFailed:  # another process was quicker
            return await self._runtime.need(live_heads(LOG).consistent())


def _last_id(number: int) -> int:
    """The last id that a batch can have: the same in every process, however many events there were."""
    return number * IDS_PER_BATCH + IDS_PER_BATCH - 1


def _bounded(published: Published) -> Published:
    topic, _, data = published
    return published if len(orjson.dumps(data)) <= EVENT_BYTES_MAX else (topic, RELOAD, None)
