"""What hangs for ever is stopped at its limit, and then counts as failed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

import sekkei.testing
from sekkei.clock import ManualClock
from sekkei.design import Database, tables
from sekkei.runtime import deadlines
from sekkei.runtime.deadlines import TookTooLong, within
from sekkei.runtime.design import Checkpoint, checkpoints, newest_set_aside
from sekkei.runtime.design import design as runtime_design
from sekkei.runtime.design import schedules as stored
from sekkei.runtime.jobs import STEP_SECONDS, Job, Jobs, Progress
from sekkei.runtime.leases import Leases
from sekkei.runtime.pump import ATTEMPTS_MAX, LIMIT_SECONDS, Pump
from sekkei.runtime.schedules import LIMIT_SECONDS as SCHEDULE_SECONDS
from sekkei.runtime.schedules import StoredSchedules
from sekkei.runtime.system import Parts, Payload
from sekkei.runtime.worker import Running, Worker
from tests.runtime.test_pump import Reader, design, write


@pytest.fixture(autouse=True)
def looks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines, "LOOK_SECONDS", 0.001)


@pytest.fixture
async def db(clock: ManualClock) -> AsyncIterator[Database]:
    async with sekkei.testing.store(design, clock=clock) as opened:
        await tables.create(opened.store, runtime_design, "test", clock)
        yield opened


async def hang(clock: ManualClock, seconds: float) -> None:
    """For ever, of which this much has passed."""
    clock.advance(seconds)
    await asyncio.Event().wait()


async def test_work_has_its_time_and_no_more(clock: ManualClock) -> None:
    async def answer() -> int:
        clock.advance(9)
        await asyncio.sleep(0.01)
        return 42

    assert await within(10, answer(), clock) == 42
    with pytest.raises(
        TookTooLong, match=r"no end after 10 seconds, stopped at .*test_deadlines.py:\d+ > locks.py:\d+"
    ):
        await within(10, hang(clock, 10), clock)


async def test_what_does_not_stop_is_left_behind(clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines, "END_SECONDS", 0.0)
    over = asyncio.Event()

    async def stubborn() -> None:
        clock.advance(10)
        while not over.is_set():
            try:
                await over.wait()
            except asyncio.CancelledError:
                continue

    task = asyncio.ensure_future(stubborn())
    with pytest.raises(TookTooLong):
        await within(10, task, clock)
    over.set()
    await task


@pytest.mark.parametrize("keeper", ["limit", "lease"])
async def test_whoever_is_thrown_away_waits_for_nothing_any_more(clock: ManualClock, keeper: str) -> None:
    """As at the end of a program. A pump whose wait failed then tried its records anew, one by one, and nobody awaited
    those tries."""
    task = asyncio.ensure_future(asyncio.Event().wait())
    nobody: Any = None
    leases = Leases(nobody, clock, Checkpoint.lease_until, Checkpoint.lease_by)
    work: Any = within(10, task, clock) if keeper == "limit" else leases.keep(nobody, "token", task)
    work.send(None)
    work.close()
    assert not task.done()
    task.cancel()


async def test_a_record_whose_handler_hangs_is_set_aside_and_the_others_pass(db: Database, clock: ManualClock) -> None:
    reader = Reader()

    async def handle(event: Mapping[str, Any]) -> dict[str, Any]:
        if any(record["dynamodb"]["NewImage"]["text"]["S"] == "hangs" for record in event["Records"]):
            await hang(clock, LIMIT_SECONDS)
        return await reader.handle(event)

    runtime = runtime_design.open(db.store, env="test", clock=clock)
    reading = Pump(db.store, runtime, clock, "notes", "test", handle, "w")
    await write(db, "before", "hangs", "after")
    for _ in range(ATTEMPTS_MAX + 1):
        await reading.run_once()
    assert reader.seen == ["before", "after"]
    (aside,) = await runtime.all(newest_set_aside())
    assert aside.error.startswith(f"TookTooLong: no end after {LIMIT_SECONDS:g} seconds")


async def test_a_handler_may_have_a_limit_of_its_own(db: Database, clock: ManualClock) -> None:
    async def handle(event: Mapping[str, Any]) -> dict[str, Any]:
        clock.advance(LIMIT_SECONDS + 1)
        await asyncio.sleep(0.01)
        return {}

    runtime = runtime_design.open(db.store, env="test", clock=clock)
    reading = Pump(db.store, runtime, clock, "notes", "test", handle, "w", limit_seconds=LIMIT_SECONDS + 2)
    await write(db, "slow")
    assert await reading.run_once() == 1
    shard = next(iter(reading._places))
    assert (await runtime.need(checkpoints(reading.consumer, shard))).sequence is not None


async def test_a_step_that_hangs_is_tried_again(runtime: Database, clock: ManualClock) -> None:
    tries: list[str | None] = []

    async def step(payload: Payload, cursor: str | None) -> Progress:
        tries.append(cursor)
        if len(tries) == 1:
            await hang(clock, STEP_SECONDS)
        return Progress(1)

    jobs = Jobs(runtime, clock, "tasks")
    await jobs.start("slow", {}, id="1")
    await jobs.run_once({"slow": Job([("first", step)])})
    run = await jobs.get("1")
    assert run is not None
    assert (run.last_error or "").startswith(f"TookTooLong: no end after {STEP_SECONDS:g} seconds")
    assert (run.lease_until, run.attempts) == (None, 1)
    clock.advance(3600)
    await jobs.run_once({"slow": Job([("first", step)])})
    run = await jobs.get("1")
    assert run is not None
    assert run.finished


async def test_a_schedule_that_hangs_lets_the_others_fire(runtime: Database, clock: ManualClock) -> None:
    fired: list[str] = []

    async def hanging(payload: Payload) -> None:
        await hang(clock, SCHEDULE_SECONDS)

    async def quick(payload: Payload) -> None:
        fired.append("quick")

    parts = Parts(scheduled={"hanging": hanging, "quick": quick}, recurring={"hanging": "* * * * *"})
    schedules = StoredSchedules(runtime, clock, "tasks")
    working = Worker(
        runtime.store, runtime, clock, [Running("tasks", runtime, parts, Jobs(runtime, clock, "tasks"), schedules)], {}
    )
    await schedules.put("a", "hanging", {}, cron="* * * * *")
    await schedules.put("b", "quick", {}, cron="* * * * *")
    clock.advance(60)
    assert await working.fire_due() == 2
    assert fired == ["quick"]
    hung = await runtime.need(stored("a"))
    assert (hung.last_error or "").startswith(f"TookTooLong: no end after {SCHEDULE_SECONDS:g} seconds")
    assert hung.lease_until is None
