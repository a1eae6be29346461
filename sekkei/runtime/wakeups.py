"""Wake what waits for a write: in this process at once, in the other processes of one store by a few small rows.

`Watched` is a store that counts its calls and wakes each `Ear` whose rows are written. `Pulse` carries that to other
processes where the store cannot tell them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sekkei.design import Database
from sekkei.errors import ConditionalCheckFailedException, TransactionCanceledException
from sekkei.runtime.design import Beat, beats, beats_of
from sekkei.runtime.failures import error_line
from sekkei.store.protocol import Request, Response, Store
from sekkei.store.wrapper import WRITES as _ITEM_WRITES
from sekkei.store.wrapper import Wrapper, parts_of

# A store that counts its calls and tells at once who waits for a change that is made in this process.
#
#     ear = watched.ear("sekkei-runtime", "OUTBOX#")      # rows whose key begins so
#     await ear.wait(1.9)                                 # until such a row is written, or the time is over
#
# A change that another process makes is not heard here; whoever waits looks again after a while. An embedded store can
# tell cheaply whether there is anything to look for (`version`).


_BY_STATEMENT = frozenset({"ExecuteStatement", "ExecuteTransaction", "BatchExecuteStatement"})
WRITES = _ITEM_WRITES | _BY_STATEMENT


class Ear:
    """Hears the writes to one table, or to the rows of it whose key begins in a certain way."""

    def __init__(self, table: str, beginning: str) -> None:
        self.table, self.beginning = table, beginning
        self._heard = False
        self._waiting: set[asyncio.Future[None]] = set()
        self.timer: asyncio.TimerHandle | None = None

    def hear(self) -> None:
        self._heard = True
        for waiting in self._waiting:
            _wake(waiting)

    def forget(self) -> None:
        """What was heard up to now has been seen to."""
        self._heard = False

    async def wait(self, seconds: float) -> bool:
        """Whether there was something to hear within that time."""
        if not self._heard:
            loop = asyncio.get_running_loop()
            waiting = loop.create_future()
            self._waiting.add(waiting)
            self.timer = timer = loop.call_later(seconds, _wake, waiting)
            try:
                await waiting
            finally:
                timer.cancel()
                self._waiting.discard(waiting)
        return self._heard


def _wake(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)


class Watched(Wrapper):
    """Any store, watched."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.calls: Counter[str] = Counter()
        """How often each operation was called."""
        self._ears: dict[str, list[Ear]] = {}

    def ear(self, table: str, beginning: str = "") -> Ear:
        made = Ear(table, beginning)
        self.add(made)
        return made

    def add(self, ear: Ear) -> None:
        self._ears.setdefault(ear.table, []).append(ear)

    def wake_all(self) -> None:
        for ears in self._ears.values():
            for ear in ears:
                ear.hear()

    def before(self, operation: str, request: Request) -> Request:
        self.calls[operation] += 1
        return request

    def after(self, operation: str, request: Request, response: Response) -> Response:
        if operation in WRITES:
            self._tell(operation, request)
        return response

    def failed(self, operation: str, request: Request, error: BaseException) -> None:
        """Tell of a write without an answer, which may have been carried out.

        A refused one wrote nothing: a listener would look again, be refused again, and so on without a pause.
        """
        is_refusal = isinstance(error, ConditionalCheckFailedException | TransactionCanceledException)
        if operation in WRITES and not (is_refusal and not getattr(error, "answer_lost", False)):
            self._tell(operation, request)

    def _tell(self, operation: str, request: Request) -> None:
        if operation in _BY_STATEMENT:
            self.wake_all()
            return
        with contextlib.suppress(LookupError, TypeError, AttributeError):  # of a request that is not valid
            for table, row in written(operation, request):
                for ear in self._ears.get(table, ()):
                    if concerns(ear, row):
                        ear.hear()


def concerns(ear: Ear, row: Mapping[str, Any]) -> bool:
    """Whether a write to this row of its table, given whole or by its key, is what it listens for."""
    beginning = ear.beginning
    if not beginning:
        return True
    for value in row.values():  # a loop: this is asked at every write, for everybody who listens
        text = value.get("S")
        if text is not None and text.startswith(beginning):
            return True
    return False


def watched(store: Store) -> Watched:
    """The store, watched once however often it is asked for."""
    return store if isinstance(store, Watched) else Watched(store)


def written(operation: str, request: Request) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the tables that a request writes to, each with a row or its key."""
    return [(part.table, part.item) for part in parts_of(operation, request) if part.action != "ConditionCheckItem"]


# The pulse of all processes on one store: what one of them has written and another one waits for.
#
# A store over HTTP cannot tell that nothing was written, and asking every stream and the outbox every other second
# costs a call for each. So each process reads a few small rows with one call, and looks only where a number has
# changed. Who writes something that is read elsewhere counts its number up, at most every 0.4 seconds however much is
# written.
#
# What a program that is none of ours writes has no pulse: it is found when whoever waits looks by itself.


HEART = "all"
"""The partition that the beats stand in."""
EVERYTHING = "*"
"""The beat that wakes whoever waits for anything."""
LOOK_SECONDS = 1.4
TELL_SECONDS = 0.4
"""Together less than two seconds, which is how soon a reaction begins."""
FAILED_SECONDS = 5.0

log = logging.getLogger("sekkei.runtime.wakeups")


@dataclass(frozen=True, slots=True)
class Followed:
    """Something that is waited for in one of the processes."""

    ear: Ear
    """Of whoever waits here."""
    is_here: Callable[[], bool]
    """Whether this process sees to it, so that nobody else need hear of it."""


class Pulse:
    """Tells the other processes, and wakes who waits in this one."""

    def __init__(self, store: Watched, runtime: Database) -> None:
        self._store = store
        self._runtime = runtime
        self._followed: dict[str, list[Followed]] = {}
        self._numbers: dict[str, int] = {}
        self._written: set[str] = set()
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def is_needed(self) -> bool:
        """Not by a store that can tell by itself."""
        return self._store.version() is None

    def follow(self, name: str, ear: Ear, is_here: Callable[[], bool]) -> None:
        if self.is_needed:
            self._followed.setdefault(name, []).append(Followed(ear, is_here))
            self._store.add(_Writes(ear.table, ear.beginning, lambda: self.note(name)))

    async def start(self) -> None:
        if self.is_needed:
            self._numbers = await self._read()
            again = (self._forever(self._tell_when_written, TELL_SECONDS), self._forever(self.look, LOOK_SECONDS))
            self._tasks = [asyncio.create_task(each, name="pulse") for each in again]

    async def stop(self) -> None:
        """What was written is told before the end."""
        if not self._tasks:
            return
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        await self.tell()

    def note(self, name: str) -> None:
        """This is to be told."""
        self._written.add(name)
        self._wake.set()

    async def tell(self) -> None:
        """Say what was written here and is waited for elsewhere."""
        written, self._written = self._written, set()
        self._wake.clear()
        for name in sorted(written):
            if name == EVERYTHING or not all(followed.is_here() for followed in self._followed[name]):
                await self._beat(name)

    async def look(self) -> None:
        """Wake who waits for what others have written since the last look."""
        found = await self._read()
        changed = [name for name, number in found.items() if self._numbers.get(name) != number]
        self._numbers = found
        for name in self._followed if EVERYTHING in changed else changed:
            for followed in self._followed.get(name, ()):
                followed.ear.hear()

    async def _read(self) -> dict[str, int]:
        return {beat.what: beat.number for beat in await self._runtime.all(beats_of(HEART).consistent())}

    async def _beat(self, name: str) -> None:
        beat = await self._runtime.write(beats.upsert(HEART, name).add(Beat.number, 1))
        if self._numbers.get(name, 0) + 1 == beat.number:
            self._numbers[name] = beat.number  # one's own beat is no news

    async def _tell_when_written(self) -> None:
        await self._wake.wait()
        await self.tell()

    async def _forever(self, once: Callable[[], object], seconds: float) -> None:
        while True:
            pause = seconds
            try:
                await once()  # type: ignore[misc]
            except Exception as error:
                log.warning("the pulse waits for the store", extra={"error": error_line(error)})
                pause = FAILED_SECONDS
            await asyncio.sleep(pause)


class _Writes(Ear):
    """Passes on at once what it hears."""

    def __init__(self, table: str, beginning: str, note: Callable[[], None]) -> None:
        super().__init__(table, beginning)
        self._note = note

    def hear(self) -> None:
        self._note()
