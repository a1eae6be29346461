"""Rounds that would find nothing are left out: a world knows what was written and what is due, and time moves on.

Workers look again and again, because somebody else may have written, and because something may be due. In a world both
are known. A round that has looked after the last write that concerns it, while no faults are about, would find
nothing until somebody writes, or something falls due: so long it waits. What it would have done meanwhile is renew
leases on streams that nobody writes to; they lapse, as they do on machines that sleep, and are taken again.

What another process that lives reads is left to it. While faults are about a look may have been in vain without
anybody's knowing, so nobody waits for long.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextvars import copy_context
from datetime import datetime
from math import inf
from typing import Any

from sekkei.runtime.design import SCHEDULE
from sekkei.runtime.design import design as runtime_design
from sekkei.runtime.design import table as runtime_table
from sekkei.runtime.wakeups import Ear, Watched, concerns
from sekkei.store.protocol import Store
from sekkei.worlds.clock import WorldClock
from sekkei.worlds.dry_run import Rehearsal
from sekkei.worlds.loop import VirtualLoop

CERTAIN_SECONDS = 10.0
"""So long after the end of faults a look sees all there is: no pause after a failure is longer."""
_EARLY_SECONDS = 3.0
"""A clock may be so far ahead that something is due before its time."""
SOON_SECONDS = _EARLY_SECONDS + 1.0
"""Before a run is due it is seen whether it can be left out; sooner there is nothing to see."""
_APART_SECONDS = 0.001
_SCHEDULES = f"{SCHEDULE}#"
_CHECKPOINTS = "checkpoints"
LONGEST_SECONDS = 12 * 3600.0
"""As often as this everybody looks: what they note lapses after two days."""
FAULTY_SECONDS = 10.0
"""The same while faults are about."""


class Quiet:
    """Who listens in a world, and until when there is nothing to hear."""

    def __init__(
        self,
        loop: VirtualLoop,
        clock: WorldClock,
        env: str,
        items: Callable[[str], list[dict[str, Any]]],
        living: Callable[[], Collection[str]],
        rehearsal: Rehearsal | None = None,
    ) -> None:
        self.loop, self._clock, self._items, self._living = loop, clock, items, living
        self._rehearsal = rehearsal
        self._runtime = runtime_design.table_name(runtime_table, env)
        self._ears: dict[str, list[PatientEar]] = {}
        self._waiting: dict[str, list[dict[str, Any]]] = {}
        """What waits for its time, by kind, as it was at the last look since anything was written."""
        self.since: float | None = None
        """Since when faults are over; None before."""
        self.lag_seconds = 0.0
        """So long after a write an index may not show it yet, while faults are about."""

    @property
    def wrong(self) -> str:
        """What work said of itself and did not hold."""
        return "" if self._rehearsal is None else self._rehearsal.wrong

    def ear(self, table: str, beginning: str, process: str = "") -> PatientEar:
        made = PatientEar(self, table, beginning, process)
        self._ears.setdefault(table, []).append(made)
        return made

    def written(self, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Whoever may find something by it looks again."""
        self._waiting.clear()
        if self._rehearsal is not None:
            if self._rehearsal.is_noting:
                return
            self._rehearsal.forget()
        for table, row in rows:
            for ear in self._ears.get(table, ()):
                if concerns(ear, row):
                    ear.disturb()

    def forget(self) -> None:
        """Anything may be different now."""
        self._waiting.clear()
        if self._rehearsal is not None:
            self._rehearsal.forget()
        for ears in self._ears.values():
            for ear in ears:
                ear.disturb()

    def until(self, ear: PatientEar) -> float | None:
        """When there may be something to find, by the loop's time; None for now."""
        if not (ear.beginning or ear.looked_at > self._certain_at(ear) or self._is_read_elsewhere(ear)):
            return None
        again = self._rehearsed(ear)
        known = [moment - _EARLY_SECONDS for moment in self._moments(ear)]
        longest = FAULTY_SECONDS if self.since is None else LONGEST_SECONDS
        until = min([*known, again, ear.looked_at + longest])
        return until if until > self.loop.time() else None

    def _rehearsed(self, ear: PatientEar) -> float:
        """Leave out runs of schedules that would do nothing; then when to see about more of them."""
        if self._rehearsal is None or ear.beginning != _SCHEDULES or not self._is_certain():
            return inf
        others = self._ears[self._runtime]
        moment = self.loop.next_moment([each.timer for each in others if each.beginning == _SCHEDULES])
        horizon = min(moment, self.loop.time() + LONGEST_SECONDS)
        self._rehearsal.move_on(self._due(SCHEDULE), horizon)
        soon = min((self._moment(row["due_at"]) for row in self._due(SCHEDULE)), default=inf) - SOON_SECONDS
        # Each at a moment of their own: whoever else can run then may write.
        return max(horizon, soon) + _APART_SECONDS * (1 + others.index(ear))

    def _is_certain(self) -> bool:
        return self.since is not None and self.loop.time() >= self.since + CERTAIN_SECONDS

    def _certain_at(self, ear: PatientEar) -> float:
        """From when on a look at a stream has seen all there is. What falls due is known without a look."""
        if self.since is None:
            return ear.written_at + self.lag_seconds
        if ear.since > self.since:  # it has seen no faults
            return ear.written_at
        return max(ear.written_at, self.since + CERTAIN_SECONDS)

    def _moments(self, ear: PatientEar) -> list[float]:
        """When something falls due, or what a dead process holds becomes free."""
        if ear.beginning:
            return [self._moment(row["due_at"]) for row in self._due(ear.beginning.rstrip("#"))]
        living, held = self._living(), self._held()
        free = [self._moment(row["lease_until"]) for row in held if row["lease_by"]["S"] not in living]
        return [moment + 2 * _EARLY_SECONDS for moment in free if moment + _EARLY_SECONDS > ear.looked_at]

    def _is_read_elsewhere(self, ear: PatientEar) -> bool:
        """Whether another process that lives has a lease on the table's stream, for longer than somebody may wait."""
        ours = [row for row in self._held() if row["PK"]["S"].endswith(f"/{ear.table}")]
        return bool(ours) and all(self._is_others(row, ear.process) for row in ours)

    def _is_others(self, row: Mapping[str, Any], process: str) -> bool:
        holder = row["lease_by"]["S"]
        if holder == process or holder not in self._living():
            return False
        return self._moment(row["lease_until"]) > self.loop.time() + FAULTY_SECONDS + _EARLY_SECONDS

    def _held(self) -> list[dict[str, Any]]:
        """Checkpoints that somebody has a lease on."""
        if _CHECKPOINTS not in self._waiting:
            rows = self._items(self._runtime)
            held = [row for row in rows if row["type"] == {"S": "checkpoint"} and "lease_until" in row]
            self._waiting[_CHECKPOINTS] = held
        return self._waiting[_CHECKPOINTS]

    def _due(self, kind: str) -> list[dict[str, Any]]:
        if kind not in self._waiting:
            rows = self._items(self._runtime)
            self._waiting[kind] = [row for row in rows if row.get("due_pk") == {"S": kind}]
        return self._waiting[kind]

    def _moment(self, value: Mapping[str, str]) -> float:
        """By the loop's time."""
        there = datetime.fromisoformat(value["S"]).timestamp()
        return self.loop.time() + there - self._clock.now()


class PatientEar(Ear):
    """Waits as long as there is nothing to hear."""

    def __init__(self, quiet: Quiet, table: str, beginning: str, process: str) -> None:
        super().__init__(table, beginning)
        self._quiet, self.process = quiet, process
        self.since = self.looked_at = self.written_at = quiet.loop.time()
        self._context = copy_context()
        self._rest: tuple[float, float] | None = None
        """Since when it waits beyond its time, and how often it would have looked."""

    def forget(self) -> None:
        super().forget()
        self.looked_at = self._quiet.loop.time()

    def disturb(self) -> None:
        """It hears of it when its turn to look would have come."""
        loop = self._quiet.loop
        self.written_at = loop.time()
        if self._rest is not None:
            since, pause = self._rest
            self._rest = None
            loop.call_later(pause - (loop.time() - since) % pause, self._wake, context=self._context)

    def _wake(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)

    async def wait(self, seconds: float) -> bool:
        pause = seconds
        while not await super().wait(pause):
            now, until = self._quiet.loop.time(), self._quiet.until(self)
            if until is None:
                return False
            self._rest = now, max(seconds, 0.01)
            pause = until - now
        self._rest = None
        return True


class Listening(Watched):
    """A process's store, whose rounds wait as long as nothing happens in their world."""

    def __init__(self, store: Store, quiet: Quiet, process: str) -> None:
        super().__init__(store)
        self._quiet, self._process = quiet, process

    def ear(self, table: str, beginning: str = "") -> Ear:
        made = self._quiet.ear(table, beginning, self._process)
        self._ears.setdefault(table, []).append(made)
        return made
