"""What only an operator can mend rings, once a day to those who are told, and ends when it is mended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.errors import InternalServerError
from sekkei.runtime import days, jobs, schedules, worker
from sekkei.runtime.alarms import Alarms, destinations
from sekkei.runtime.dead_letters import DeadLetterKind, DeadLetters
from sekkei.runtime.delivery import Delivery
from sekkei.runtime.design import Message, newest_messages
from sekkei.runtime.jobs import Job, Jobs, Progress
from sekkei.runtime.outbox import Outbox, Undeliverable
from sekkei.runtime.pump import ATTEMPTS_MAX, UNREAD_MAX, UNREAD_PAUSE, Pump
from sekkei.runtime.schedules import StoredSchedules
from tests.runtime.test_dead_shards import unread
from tests.runtime.test_pump import Reader, db, pump, write
from tests.runtime.test_schedules import Calls, worker_of
from tests.scripted_store import ScriptedStore, raises

__all__ = ["db"]
HOOK = "https://ops.example.com/hook"


async def ringing(runtime: Database, clock: ManualClock) -> list[str]:
    return sorted(one.name for one in await Alarms(runtime, clock).all())


async def told(runtime: Database) -> list[tuple[str, str]]:
    return sorted((one.kind, one.to) for one in await runtime.all(newest_messages()) if "/alarm/" in one.id)


async def test_everybody_is_told_once_a_day_whoever_rings(runtime: Database, clock: ManualClock) -> None:
    to = f"boss@example.com, {HOOK}"
    assert destinations(to) == [("mail", "boss@example.com"), ("webhook", HOOK)]
    one, other = Alarms(runtime, clock, to, "https://x.example"), Alarms(runtime, clock, to, "https://x.example")
    for _ in range(5):
        await one.ring("job/q/recount", "boom")
        await other.ring("job/q/recount", "boom")
        clock.advance(60)
    assert await told(runtime) == [("mail", "boss@example.com"), ("webhook", HOOK)]
    (mail,) = [message for message in await runtime.all(newest_messages()) if message.kind == "mail"]
    assert "ジョブの処理が繰り返し失敗しています。" in mail.body["text"]
    assert "https://x.example/console/alarms" in mail.body["text"]
    (alarm,) = await one.all()
    assert (alarm.count, alarm.detail) == (10, "boom")
    clock.advance(86_400)
    await other.ring("job/q/recount", "boom")
    assert len(await told(runtime)) == 4


async def test_one_that_rings_all_the_time_is_counted_and_seldom_written(runtime: Database, clock: ManualClock) -> None:
    alarms = Alarms(runtime, clock)
    for _ in range(100):
        await alarms.ring("outbox/line", "401")
    assert (await alarms.all())[0].count == 1
    clock.advance(11)
    await alarms.ring("outbox/line", "401")
    assert (await alarms.all())[0].count == 101
    assert await Alarms(runtime, clock).clear("outbox/line"), "another process finds it mended"
    assert await alarms.all() == []
    await alarms.ring("outbox/line", "401 again")
    assert len(await alarms.all()) == 0, "told ten seconds ago; it may be over"
    clock.advance(11)
    await alarms.ring("outbox/line", "401 again")
    assert len(await alarms.all()) == 1


async def test_dead_letters_ring_until_the_last_is_gone(runtime: Database, clock: ManualClock) -> None:
    class Refusing:
        async def send(self, message: Message) -> str:
            raise Undeliverable(f"550 no such user {message.to}")

    outbox = Outbox(runtime, clock, "tasks")
    for number in range(2):
        await outbox.put("mail", "a@example.com", {}, id=str(number))
    await Delivery(runtime, clock, {"mail": Refusing()}).run_once()
    (alarm,) = await Alarms(runtime, clock).all()
    assert alarm.name == "dead-letters/message"
    assert "a@example.com" not in alarm.detail, "an address is nobody's business"
    letters = DeadLetters(runtime, clock)
    await letters.drop(DeadLetterKind.MESSAGE, "tasks/0")
    assert await ringing(runtime, clock) == ["dead-letters/message"]
    await letters.retry(DeadLetterKind.MESSAGE, "tasks/1")
    assert await ringing(runtime, clock) == []


async def test_a_schedule_that_always_fails(runtime: Database, clock: ManualClock) -> None:
    job = Calls(failures=2 * schedules.ATTEMPTS_MAX)
    working = worker_of(runtime, clock, job)
    await StoredSchedules(runtime, clock, "bot").put("nightly", "remind", {}, cron="* * * * *")
    await StoredSchedules(runtime, clock, "bot").put("once", "remind", {}, at=days.now(clock))
    while job.failures:
        await working.fire_due()
        clock.advance(4_000)
    assert await ringing(runtime, clock) == ["dead-letters/schedule", "schedule/nightly"]
    await working.fire_due()
    assert await ringing(runtime, clock) == ["dead-letters/schedule"]


async def test_a_job_that_always_fails(runtime: Database, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "ATTEMPTS_MAX", jobs.ATTEMPTS_QUIET + 3)
    broken = True

    async def step(payload: Mapping[str, Any], cursor: str | None) -> Progress:
        if broken:
            raise RuntimeError("not now")
        return Progress(1)

    definitions = {"recount": Job([("count", step)])}
    working = worker_of(runtime, clock, Calls(), jobs=definitions)
    for id in ("a", "b"):
        broken = True
        await Jobs(runtime, clock, "bot").start("recount", {}, id=id)
        for attempt in range(jobs.ATTEMPTS_QUIET + 1):
            assert (await ringing(runtime, clock) != []) is (attempt >= jobs.ATTEMPTS_QUIET), attempt
            await working.work_on_jobs()
            clock.advance(4_000)
        assert await ringing(runtime, clock) == ["job/bot/recount"]
        broken = id == "b"
        for _ in range(3):
            await working.work_on_jobs()
            clock.advance(4_000)
        assert await ringing(runtime, clock) == ([] if id == "a" else ["dead-letters/job"])


async def test_a_poison_record(db: Database, clock: ManualClock) -> None:
    reader = Reader()
    reader.poison = {"bad"}
    reading = pump(db, clock, reader)
    await write(db, "bad", "good")
    for _ in range(ATTEMPTS_MAX + 1):
        await reading.run_once()
    assert set(reader.seen) == {"good"}
    assert await ringing(reading._runtime, clock) == ["dead-letters/record"]


async def test_a_dead_shard(db: Database, clock: ManualClock) -> None:
    broken = InternalServerError("this shard is broken")
    reader, store = Reader(), ScriptedStore(db.store, before=raises(*[broken] * 100, operations=["GetRecords"]))
    first = pump(db, clock, reader)
    reading = Pump(store, first._runtime, clock, "notes", "test", reader.handle, "w")
    await write(db, "a")
    for _ in range(UNREAD_MAX):
        assert await ringing(first._runtime, clock) == []
        assert await reading.run_once() == 0
        assert await reading.run_once() == 0, "it is left alone for a while"
        clock.advance(UNREAD_PAUSE.total_seconds() + 1)
    assert await ringing(first._runtime, clock) == ["shard/test/notes"]
    (shown,) = await unread(first._runtime, clock)
    assert (shown.name, shown.attempts, shown.waits) == (f"shard:{shown.id}", UNREAD_MAX, True)
    assert "this shard is broken" in shown.error
    store.before = None
    await reading.run_once()
    assert reader.seen == ["a"]
    assert await ringing(first._runtime, clock) == []
    assert await unread(first._runtime, clock) == []


async def test_a_round_that_always_fails(
    runtime: Database, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    working = worker_of(runtime, clock, Calls())
    tries = 0

    async def once() -> int:
        nonlocal tries
        tries += 1
        if tries <= worker.FAILURES_MAX:
            raise RuntimeError("the store is gone")
        working._stopping.set()
        assert await ringing(runtime, clock) == ["worker/outbox"]
        return 0

    async def pause(self: object, ear: object, seconds: float) -> bool:
        clock.advance(seconds)
        return False

    monkeypatch.setattr(worker.Worker, "_pause", pause)
    first = working.rounds()[0]
    await working._forever(worker.Round(first.name, once, first.ear, first.due, first.idle_seconds))
    assert await ringing(runtime, clock) == []


async def test_a_store_that_is_gone_does_not_make_it_worse(runtime: Database, clock: ManualClock) -> None:
    await runtime.store.close()
    await Alarms(runtime, clock, HOOK).ring("worker/jobs", "the store is gone")
