"""Rounds that would find nothing are left out, and nothing else is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from sekkei.worlds import CALM, Script, run
from sekkei.worlds.chance import dice_of
from sekkei.worlds.clock import START, WorldClock
from sekkei.worlds.idle_skip import CERTAIN_SECONDS, FAULTY_SECONDS, LONGEST_SECONDS, PatientEar, Quiet
from sekkei.worlds.loop import VirtualLoop, lay_to_rest
from tests.worlds.bank import Bank, script

PAUSE = 1.9
RUNTIME = "sekkei-runtime"


def nobody(hours: float) -> Script:
    found = script(Bank)
    return replace(found, roles={}, operations=[], at_the_end=[], on_commit=[], settle_seconds=hours * 3600)


def looks(rows: list[dict[str, Any]], seconds: float, beginning: str = "JOB#", write_at: float = 0.0) -> list[float]:
    """When a round looks that waits as workers do."""
    loop, found = VirtualLoop(), []
    quiet = Quiet(loop, WorldClock(loop, dice_of(1, "quiet")), "", lambda table: rows, lambda: {"alive", "another"})
    quiet.since = 0.0
    ear = quiet.ear(RUNTIME if beginning else "things", beginning, "alive")

    async def look() -> None:
        while True:
            ear.forget()
            found.append(round(loop.time(), 1))
            await ear.wait(PAUSE)

    async def play() -> None:
        task = asyncio.ensure_future(look())
        if write_at:
            await asyncio.sleep(write_at)
            quiet.written([(ear.table, {"PK": {"S": "JOB#1"}})])
        await asyncio.sleep(seconds - write_at)
        task.cancel()

    loop.run_until_complete(play())
    lay_to_rest(loop)
    return found


def at(seconds: float) -> dict[str, str]:
    return {"S": datetime.fromtimestamp(START + seconds, UTC).isoformat()}


def test_nobody_looks_for_what_nobody_wrote() -> None:
    found = looks([], 20_000)
    assert found[-1] <= CERTAIN_SECONDS + PAUSE


def test_what_is_due_is_looked_for_in_time() -> None:
    found = looks([{"type": {"S": "job"}, "due_pk": {"S": "JOB"}, "due_at": at(5000)}], 5010)
    assert not any(100 < moment < 4990 for moment in found)
    assert any(5000 <= moment <= 5000 + PAUSE for moment in found)


def test_what_is_due_for_somebody_else_is_left_to_them() -> None:
    found = looks([{"type": {"S": "schedule"}, "due_pk": {"S": "SCHEDULE"}, "due_at": at(5000)}], 5010)
    assert found[-1] < 100


def test_what_was_written_elsewhere_is_seen_as_soon_as_ever() -> None:
    found = looks([], 4000, beginning="", write_at=3000)
    assert any(3000 <= moment <= 3000 + PAUSE for moment in found)
    assert found[-1] <= 3000 + PAUSE, "once seen, it has been seen"


def test_soon_after_faults_a_look_is_not_trusted() -> None:
    """Whoever failed just before pauses, and looks at nothing in between."""
    found = looks([], 1000, beginning="", write_at=2.0)
    assert found[-1] >= CERTAIN_SECONDS
    assert found[-1] <= CERTAIN_SECONDS + PAUSE


def test_what_falls_due_is_known_without_a_look() -> None:
    due_later = {"type": {"S": "job"}, "due_pk": {"S": "JOB"}, "due_at": at(5000)}
    assert not any(100 < moment < 4990 for moment in looks([due_later], 5010, write_at=3000))
    due_by_then = {**due_later, "due_at": at(3000)}
    assert any(3000 <= moment <= 3000 + PAUSE for moment in looks([due_by_then], 4000, write_at=3000))


@pytest.mark.parametrize(("holder", "is_looked_for"), [("dead", True), ("alive", False)])
def test_what_the_dead_held_is_looked_for_when_it_is_free(holder: str, is_looked_for: bool) -> None:
    row = {"PK": {"S": "CHECKPOINT#bank/things"}, "type": {"S": "checkpoint"}, "lease_until": at(600)}
    found = looks([{**row, "lease_by": {"S": holder}}], 1000, beginning="")
    assert any(600 <= moment <= 620 for moment in found) is is_looked_for


def test_half_a_day_is_the_longest() -> None:
    found = looks([], 3 * LONGEST_SECONDS)
    assert sum(moment > 100 for moment in found) >= 2


def under_faults(monkeypatch: pytest.MonkeyPatch, **named: Any) -> list[float]:
    before = Quiet.until

    def until(self: Quiet, ear: PatientEar) -> float | None:
        self.since = None
        return before(self, ear)

    monkeypatch.setattr(Quiet, "until", until)
    return looks(seconds=1000, **named)


def test_under_faults_nobody_waits_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look may have been in vain."""
    found = under_faults(monkeypatch, rows=[])
    assert max(later - sooner for sooner, later in pairwise(found)) <= FAULTY_SECONDS + PAUSE


def test_under_faults_what_was_written_is_seen_as_soon_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    found = under_faults(monkeypatch, rows=[], beginning="", write_at=500.5)
    assert any(500.5 <= moment <= 500.5 + PAUSE for moment in found)


@pytest.mark.parametrize(("holder", "looks_again"), [("another", False), ("alive", True), ("dead", True)])
def test_what_another_process_reads_is_left_to_it(
    holder: str, looks_again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else somebody who reads a stream looks until nothing was written for a while."""
    row = {"PK": {"S": "CHECKPOINT#bank/things"}, "type": {"S": "checkpoint"}, "lease_until": at(900)}
    monkeypatch.setattr(Quiet, "_certain_at", lambda self, ear: 1e9)
    found = under_faults(monkeypatch, rows=[{**row, "lease_by": {"S": holder}}], beginning="")
    assert (len([moment for moment in found if moment < 800]) > 400) is looks_again


def test_idle_hours_cost_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in store calls, which is what an hour costs."""
    start = run(nobody(0.01), 1, faults=CALM).calls
    idle: Callable[[float], float] = lambda hours: (run(nobody(hours), 1, faults=CALM).calls - start) / hours  # noqa: E731
    patient = idle(48)
    monkeypatch.setattr(Quiet, "until", lambda self, ear: None)
    assert patient < 15
    assert idle(2) > 20 * patient
