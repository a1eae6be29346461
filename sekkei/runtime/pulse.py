"""The pulse of all processes on one store: what one of them has written and another one waits for.

A store over HTTP cannot tell that nothing was written, and asking every stream and the outbox every other second costs
a call for each. So each process reads a few small rows with one call, and looks only where a number has changed. Who
writes something that is read elsewhere counts its number up, at most every 0.4 seconds however much is written.

What a program that is none of ours writes has no pulse: it is found when whoever waits looks by itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from sekkei.design import Database
from sekkei.runtime.design import Beat, beats, beats_of
from sekkei.runtime.failures import error_line
from sekkei.runtime.watched import Ear, Watched

HEART = "all"
"""The partition that the beats stand in."""
EVERYTHING = "*"
"""The beat that wakes whoever waits for anything."""
LOOK_SECONDS = 1.4
TELL_SECONDS = 0.4
"""Together less than two seconds, which is how soon a reaction begins."""
FAILED_SECONDS = 5.0

log = logging.getLogger("sekkei.runtime.pulse")


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
