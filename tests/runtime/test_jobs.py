from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.runtime.jobs import Job, Jobs, Progress


class Killed(BaseException):
    """As if the process had been killed: nobody catches it."""


class Work:
    """Two steps over ten and three items; may be killed after any step."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.kill_at: int | None = None

    async def step(self, name: str, total: int, cursor: str | None) -> Progress:
        number = int(cursor or 0)
        if self.kill_at is not None and len(self.done) == self.kill_at:
            raise Killed
        self.done.append(f"{name}{number}")
        return Progress(1, str(number + 1) if number + 1 < total else None)

    def job(self) -> Job:
        async def first(payload: Mapping[str, Any], cursor: str | None) -> Progress:
            return await self.step("a", 10, cursor)

        async def second(payload: Mapping[str, Any], cursor: str | None) -> Progress:
            return await self.step("b", 3, cursor)

        return Job([("first", first), ("second", second)])


EXPECTED = [f"a{n}" for n in range(10)] + [f"b{n}" for n in range(3)]


async def test_a_job_runs_its_steps_in_order_and_starts_once(runtime: Database, clock: ManualClock) -> None:
    work, jobs = Work(), Jobs(runtime, clock, "tasks")
    assert await jobs.start("rename", {"team": "t"}, id="rename/t/1")
    assert not await jobs.start("rename", {"team": "t"}, id="rename/t/1")
    while await jobs.run_once({"rename": work.job()}):
        pass
    assert work.done == EXPECTED
    run = await jobs.get("rename/t/1")
    assert run is not None
    assert (run.finished, run.done) == (True, 13)


@pytest.mark.parametrize("kill_at", range(13))
async def test_a_job_killed_anywhere_goes_on(runtime: Database, clock: ManualClock, kill_at: int) -> None:
    work, jobs = Work(), Jobs(runtime, clock, "tasks")
    await jobs.start("rename", {}, id="1")
    work.kill_at = kill_at
    for _ in range(kill_at):
        await jobs.run_once({"rename": work.job()})
    with pytest.raises(Killed):
        await jobs.run_once({"rename": work.job()})
    work.kill_at = None
    assert await jobs.run_once({"rename": work.job()}) == 0, "the dead worker's lease still holds"
    clock.advance(61)
    while await jobs.run_once({"rename": work.job()}):
        pass
    assert work.done == EXPECTED


async def test_a_step_that_was_overtaken_does_not_turn_the_job_back(runtime: Database, clock: ManualClock) -> None:
    work, jobs = Work(), Jobs(runtime, clock, "tasks", "w1")
    other = Jobs(runtime, clock, "tasks", "w2")
    await jobs.start("rename", {}, id="1")

    async def slow(payload: Mapping[str, Any], cursor: str | None) -> Progress:
        clock.advance(61)
        for _ in range(5):
            await other.run_once({"rename": work.job()})
        return Progress(1, "1")

    await jobs.run_once({"rename": Job([("first", slow), ("second", slow)])})
    run = await jobs.get("1")
    assert run is not None
    assert (run.step, run.cursor, run.done) == ("first", "5", 5)


async def test_jobs_that_nobody_here_knows_do_not_stand_in_the_way(runtime: Database, clock: ManualClock) -> None:
    work, jobs = Work(), Jobs(runtime, clock, "tasks")
    for number in range(30):
        await Jobs(runtime, clock, "bot").start("rename", {}, id=str(number))
        await jobs.start("gone", {}, id=f"gone/{number}")
    clock.advance(1)
    await jobs.start("rename", {}, id="1")
    assert await jobs.run_once({"rename": work.job()}) == 1


def test_steps_have_names_of_their_own() -> None:
    """A job saves the name of the step it stands at; of two that share one, the second would never come."""
    steps = Work().job().steps
    with pytest.raises(ValueError, match="first, second, first"):
        Job([*steps, steps[0]])
