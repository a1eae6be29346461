"""What was given up: found, tried again, dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.runtime import days, jobs, schedules
from sekkei.runtime.dead_letters import DeadLetterKind, DeadLetters, NobodyReads
from sekkei.runtime.design import SetAside, set_aside
from sekkei.runtime.failures import error_line
from sekkei.runtime.jobs import Job, Jobs, Progress
from sekkei.runtime.refusals import NotThere
from sekkei.runtime.schedules import StoredSchedules
from tests.runtime.test_schedules import Calls, worker_of


async def test_a_schedule_that_was_given_up_says_why_and_fires_again(runtime: Database, clock: ManualClock) -> None:
    job, dead_letters = Calls(failures=schedules.ATTEMPTS_MAX), DeadLetters(runtime, clock)
    worker = worker_of(runtime, clock, job)
    for name in ("a", "b"):
        await StoredSchedules(runtime, clock, "bot").put(name, "remind", {"n": name}, at=days.now(clock))
        job.failures = schedules.ATTEMPTS_MAX
        for _ in range(schedules.ATTEMPTS_MAX):
            await worker.fire_due()
            clock.advance(4_000)
    found, cursor = await dead_letters.page(DeadLetterKind.SCHEDULE, size=10)
    assert ([one.name for one in found], cursor) == (["schedule:b", "schedule:a"], None)
    assert found[0].error.startswith("RuntimeError: not now (test_schedules.py:")
    assert await dead_letters.retry(DeadLetterKind.SCHEDULE, "a")
    await dead_letters.drop(DeadLetterKind.SCHEDULE, "b")
    await worker.run_until_idle()
    assert job.payloads == [{"n": "a"}]
    assert await dead_letters.page(DeadLetterKind.SCHEDULE, size=10) == ([], None)


async def test_a_recurring_one_that_fails_says_why_until_it_succeeds(runtime: Database, clock: ManualClock) -> None:
    job = Calls(failures=schedules.ATTEMPTS_MAX)
    worker = worker_of(runtime, clock, job)
    await StoredSchedules(runtime, clock, "bot").put("a", "remind", {}, cron="5 0 * * *")
    clock.advance(86_400)
    for _ in range(schedules.ATTEMPTS_MAX):
        await worker.fire_due()
        clock.advance(4_000)
    row = await runtime.need(schedules.schedules("a").consistent())
    assert "not now" in str(row.last_error)
    clock.advance(86_400)
    await worker.fire_due()
    row = await runtime.need(schedules.schedules("a").consistent())
    assert (row.last_error, len(job.payloads)) == (None, 1)


async def test_a_job_that_stopped_goes_on_where_it_stood(
    runtime: Database, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "ATTEMPTS_MAX", 2)
    broken = True

    async def step(payload: Mapping[str, Any], cursor: str | None) -> Progress:
        if cursor == "1" and broken:
            raise KeyError("team")
        return Progress(1, "1" if cursor is None else None)

    definitions = {"recount": Job([("all", step)])}
    dead_letters, work = DeadLetters(runtime, clock), Jobs(runtime, clock, "tasks")
    for id in ("1", "2"):
        await work.start("recount", {}, id=id)
    for _ in range(4):
        await work.run_once(definitions)
        clock.advance(4_000)
    found, _ = await dead_letters.page(DeadLetterKind.JOB, size=10)
    assert {one.name for one in found} == {"job:tasks/1", "job:tasks/2"}
    assert "KeyError: 'team'" in found[0].error
    broken = False
    await dead_letters.retry(DeadLetterKind.JOB, "tasks/1")
    await dead_letters.drop(DeadLetterKind.JOB, "tasks/2")
    assert await work.run_once(definitions) == 1
    run = await work.get("1")
    assert run is not None
    assert (run.finished, run.done) == (True, 2)
    assert await work.get("2") is None


async def test_what_is_not_set_aside_is_left_alone(runtime: Database, clock: ManualClock) -> None:
    dead_letters = DeadLetters(runtime, clock)
    await StoredSchedules(runtime, clock, "bot").put("a", "remind", {}, at=days.now(clock))
    await Jobs(runtime, clock, "tasks").start("recount", {}, id="1")
    for kind, id in (
        (DeadLetterKind.SCHEDULE, "a"),
        (DeadLetterKind.JOB, "tasks/1"),
        (DeadLetterKind.MESSAGE, "x"),
        (DeadLetterKind.RECORD, "a/1"),
    ):
        with pytest.raises(NotThere):
            await dead_letters.retry(kind, id)
        with pytest.raises(NotThere):
            await dead_letters.drop(kind, id)
    assert await runtime.get(schedules.schedules("a").consistent()) is not None


async def test_a_record_whose_system_is_elsewhere_is_kept(runtime: Database, clock: ManualClock) -> None:
    now = days.now(clock)
    record = {"eventName": "INSERT", "dynamodb": {"Keys": {"id": {"S": "1"}}, "SequenceNumber": "7"}}
    aside = SetAside(consumer="q/dev-q", sequence="7", record=record, error="no", attempts=5, listed_at=now)
    await runtime.write(set_aside.put(aside))
    dead_letters = DeadLetters(runtime, clock)
    ((found,), _) = await dead_letters.page(DeadLetterKind.RECORD, size=10)
    assert (found.name, found.what, found.system) == ("record:q/dev-q/7", "INSERT dev-q id = 1", "q")
    with pytest.raises(NobodyReads):
        await dead_letters.retry(DeadLetterKind.RECORD, found.id)
    await dead_letters.drop(DeadLetterKind.RECORD, found.id)
    assert await dead_letters.page(DeadLetterKind.RECORD, size=10) == ([], None)


def test_an_error_as_one_line() -> None:
    def raised() -> Exception:
        try:
            try:
                raise ConnectionError("the line\nis dead")
            except ConnectionError as cause:
                raise RuntimeError("no mail") from cause
        except RuntimeError as error:
            return error

    line = error_line(raised())
    assert line.startswith("RuntimeError: no mail (test_dead_letters.py:")
    assert ", raised), because of ConnectionError: the line is dead (test_dead_letters.py:" in line
    assert error_line(ValueError("x" * 1_000)) == f"ValueError: {'x' * 1_000}"[:500]
