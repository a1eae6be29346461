from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.kit.zones import zone_of
from sekkei.runtime import days
from sekkei.runtime.cron import BadCron, Cron
from sekkei.runtime.design import schedules
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.schedules import ATTEMPTS_MAX, StoredSchedules
from sekkei.runtime.system import Parts, ScheduledJob
from sekkei.runtime.worker import Running, Worker


class Calls:
    def __init__(self, failures: int = 0) -> None:
        self.payloads: list[Mapping[str, Any]] = []
        self.failures = failures

    async def __call__(self, payload: Mapping[str, Any]) -> None:
        if self.failures:
            self.failures -= 1
            raise RuntimeError("not now")
        self.payloads.append(payload)


def worker_of(runtime: Database, clock: ManualClock, job: ScheduledJob, name: str = "w", **parts: Any) -> Worker:
    running = Running(
        "bot",
        runtime,
        Parts(scheduled={"remind": job}, **parts),
        Jobs(runtime, clock, "bot"),
        StoredSchedules(runtime, clock, "bot"),
    )
    return Worker(runtime.store, runtime, clock, [running], {}, name)


async def test_it_fires_when_its_time_has_come_and_once(runtime: Database, clock: ManualClock) -> None:
    job = Calls()
    worker = worker_of(runtime, clock, job)
    schedules = StoredSchedules(runtime, clock, "bot")
    await schedules.put("evt-1-r", "remind", {"event": "1"}, at=days.now(clock) + timedelta(minutes=5))
    await worker.run_until_idle()
    assert job.payloads == []
    clock.advance(301)
    await worker.run_until_idle()
    await worker.run_until_idle()
    assert job.payloads == [{"event": "1"}]


async def test_putting_again_replaces_and_deleting_forgets(runtime: Database, clock: ManualClock) -> None:
    job = Calls()
    worker = worker_of(runtime, clock, job)
    schedules = StoredSchedules(runtime, clock, "bot")
    soon = days.now(clock) + timedelta(minutes=1)
    await schedules.put("a", "remind", {"n": 1}, at=soon)
    await schedules.put("a", "remind", {"n": 2}, at=soon)
    await schedules.put("b", "remind", {"n": 3}, at=soon)
    await schedules.delete("b")
    await schedules.delete("never was there")
    clock.advance(61)
    await worker.run_until_idle()
    assert job.payloads == [{"n": 2}]


async def test_a_recurring_one_catches_up_once(runtime: Database, clock: ManualClock) -> None:
    job = Calls()
    worker = worker_of(runtime, clock, job, recurring={"remind": "5 0 * * *"})
    await worker.start()
    await worker.stop()
    clock.advance(3 * 86_400)
    await worker.run_until_idle()
    assert len(job.payloads) == 1, "three days were missed; it is done once"
    clock.advance(86_400)
    await worker.run_until_idle()
    assert len(job.payloads) == 2


async def test_a_failure_is_tried_again_and_given_up_in_the_end(runtime: Database, clock: ManualClock) -> None:
    job = Calls(failures=1_000)
    worker = worker_of(runtime, clock, job)
    await StoredSchedules(runtime, clock, "bot").put("a", "remind", {}, at=days.now(clock))
    fired = 0
    for _ in range(ATTEMPTS_MAX + 5):
        fired += await worker.fire_due()
        clock.advance(4_000)
    assert fired == ATTEMPTS_MAX


async def test_put_anew_for_the_same_time_while_it_runs_is_not_lost(runtime: Database, clock: ManualClock) -> None:
    schedules, now = StoredSchedules(runtime, clock, "bot"), days.now(clock)
    seen: list[Mapping[str, Any]] = []

    async def job(payload: Mapping[str, Any]) -> None:
        seen.append(payload)
        if payload == {"n": 1}:
            await schedules.put("a", "remind", {"n": 2}, at=now)

    await schedules.put("a", "remind", {"n": 1}, at=now)
    await worker_of(runtime, clock, job).run_until_idle()
    assert seen == [{"n": 1}, {"n": 2}]


async def test_schedules_of_others_do_not_stand_in_the_way(runtime: Database, clock: ManualClock) -> None:
    job = Calls()
    for number in range(30):
        other = StoredSchedules(runtime, clock, "somebody else's")
        await other.put(f"other/{number}", "remind", {}, at=days.now(clock) - timedelta(hours=1))
    await StoredSchedules(runtime, clock, "bot").put("a", "remind", {"n": 1}, at=days.now(clock))
    await worker_of(runtime, clock, job).run_until_idle()
    assert job.payloads == [{"n": 1}]


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        ("5 0 * * *", "2025-11-15T00:05:00+09:00", "2025-11-16T00:05:00+09:00"),
        ("*/15 * * * *", "2025-11-15T10:07:30+09:00", "2025-11-15T10:15:00+09:00"),
        ("0 9 * * 1-5", "2025-11-14T09:00:00+09:00", "2025-11-17T09:00:00+09:00"),
        ("0 0 1 1 *", "2025-11-14T09:00:00+09:00", "2026-01-01T00:00:00+09:00"),
        ("30 8 29 2 *", "2025-11-14T09:00:00+09:00", "2028-02-29T08:30:00+09:00"),
        ("0 0 13 * 5", "2025-11-10T00:00:00+09:00", "2025-11-13T00:00:00+09:00"),
    ],
)
def test_cron(text: str, after: str, expected: str) -> None:
    assert Cron(text).after(datetime.fromisoformat(after)) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        ("0 3 * * *", "2026-01-10T01:00:00Z", "2026-01-10T02:00:00Z"),
        ("0 3 * * *", "2026-07-10T00:30:00Z", "2026-07-10T01:00:00Z"),
        ("30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T01:30:00Z"),  # the clocks go from two to three
        ("30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"),  # they show half past two twice
        ("30 2 * * *", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"),
        ("45 2 * * *", "2026-10-25T01:30:00Z", "2026-10-26T01:45:00Z"),
    ],
)
def test_cron_where_clocks_are_changed(text: str, after: str, expected: str) -> None:
    moment = datetime.fromisoformat(after).astimezone(zone_of("Europe/Berlin"))
    assert Cron(text).after(moment).astimezone(UTC) == datetime.fromisoformat(expected)


async def test_what_recurs_does_so_in_the_zone_of_its_system(runtime: Database, clock: ManualClock) -> None:
    """Also after it ran, whichever worker ran it."""
    clock.set(datetime(2026, 7, 10, 12, tzinfo=UTC).timestamp())
    zone, job = zone_of("Europe/Berlin"), Calls()
    own = StoredSchedules(runtime, clock, "bot", zone=zone)
    running = Running("bot", runtime, Parts(scheduled={"remind": job}), Jobs(runtime, clock, "bot"), own)
    await own.put("nightly", "remind", {}, cron="0 3 * * *")
    for day in (11, 12):
        found = await runtime.need(schedules("nightly").consistent())
        assert found.due_at == datetime(2026, 7, day, 1, tzinfo=UTC)
        clock.set(found.due_at.timestamp() + 1)
        await Worker(runtime.store, runtime, clock, [running], {}, "w").run_until_idle()
    assert len(job.payloads) == 2


@pytest.mark.parametrize("text", ["", "* * * *", "60 * * * *", "a * * * *", "*/0 * * * *", "5-1 * * * *", "0 0 30 2 *"])
def test_a_bad_cron_is_refused(text: str) -> None:
    with pytest.raises(BadCron):
        Cron(text).after(datetime.fromisoformat("2025-11-15T00:00:00+09:00"))
