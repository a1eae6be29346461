"""Heat simulated beside the pages: in a thread, one at a time, for a limited time, and its progress shown.

running = await simulations.run(("tasks", "members_of", 50.0), streams)
running.report      None while it runs; running.done of running.of says how far it is
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from time import thread_time

from sekkei.advice import heat

SECONDS = 3_600
"""Of simulated time."""
CPU_SECONDS_MAX = 10.0
WAITED_SECONDS: float | None = 0.8
"""How long a page waits for a result before it shows how far it is."""
KEPT_MAX = 32
WAITING_MAX = 4


class _TooLong(Exception):
    """More partitions than can be followed."""


@dataclass(slots=True)
class Running:
    """One simulation; `wrong` is `busy` or `too-long`."""

    done: int = 0
    of: int = SECONDS
    report: heat.Report | None = None
    wrong: str = ""
    task: asyncio.Task[None] | None = None

    @property
    def finished(self) -> bool:
        return self.report is not None or bool(self.wrong)

    async def work(self, streams: Sequence[heat.Stream], turn: asyncio.Lock) -> None:
        async with turn:
            await asyncio.to_thread(self._simulate, streams)

    def _simulate(self, streams: Sequence[heat.Stream]) -> None:
        began = thread_time()

        def progress(done: int, of: int) -> None:
            self.done = done
            if thread_time() - began > CPU_SECONDS_MAX:
                raise _TooLong()

        try:
            self.report = heat.simulate(streams, seconds=self.of, progress=progress)
        except _TooLong:
            self.wrong = "too-long"


@dataclass(slots=True)
class Simulations:
    """The latest ones; the same load gives the same hour, so none is run twice."""

    found: OrderedDict[Hashable, Running] = field(default_factory=OrderedDict)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self, load: Hashable, streams: Sequence[heat.Stream]) -> Running:
        running = self.found.get(load) or self._begin(load, streams)
        if running.task is not None:
            await asyncio.wait({running.task}, timeout=WAITED_SECONDS)
        return running

    def _begin(self, load: Hashable, streams: Sequence[heat.Stream]) -> Running:
        if sum(not one.finished for one in self.found.values()) >= WAITING_MAX:
            return Running(wrong="busy")
        running = self.found[load] = Running()
        while len(self.found) > KEPT_MAX:
            self.found.popitem(last=False)
        running.task = asyncio.create_task(running.work(streams, self.turn))
        return running
