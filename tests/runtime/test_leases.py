"""Work that takes longer than its lease."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.runtime import days, leases
from sekkei.runtime.delivery import Delivery
from sekkei.runtime.design import JobRun, Message, State, checkpoints, job_runs, messages, schedules
from sekkei.runtime.jobs import Job, Jobs, Progress
from sekkei.runtime.leases import LeaseLost, Leases
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.schedules import StoredSchedules
from tests.lost import answer_lost
from tests.runtime.test_pump import Reader, db, pump, write
from tests.runtime.test_schedules import worker_of

__all__ = ["db"]

TURNS_MAX = 20_000


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lease is renewed many times while the test looks on."""
    monkeypatch.setattr(leases, "RENEWALS", 60_000)


class Slow:
    """Work that ends when it is told to; `begun` says that it is under way."""

    def __init__(self) -> None:
        self.begun, self.end = asyncio.Event(), asyncio.Event()
        self.calls = 0
        self.cut_off = False

    async def __call__(self, *_: Any) -> Any:
        self.calls += 1
        self.begun.set()
        try:
            await self.end.wait()
        except asyncio.CancelledError:
            self.cut_off = True
            raise
        return "receipt"

    send = __call__


async def renewed(runtime: Database, clock: ManualClock, row: Any) -> None:
    """Two minutes pass, and the holder has renewed its lease all along."""
    for _ in range(4):
        clock.advance(29)
        enough = days.now(clock) + timedelta(seconds=29)
        for _ in range(TURNS_MAX):
            if (await runtime.need(row.consistent())).lease_until >= enough:
                break
            await asyncio.sleep(0)
        else:
            pytest.fail("The lease was not renewed.")


async def test_a_message_whose_sending_is_slow_is_sent_once(runtime: Database, clock: ManualClock) -> None:
    slow = Slow()
    outbox = Outbox(runtime, clock, "tasks")
    await outbox.put("mail", "a@example.com", {}, id="1")
    sending = asyncio.create_task(Delivery(runtime, clock, {"mail": slow}, "w1").run_once())
    await slow.begun.wait()
    await renewed(runtime, clock, messages("tasks/1"))
    assert await Delivery(runtime, clock, {"mail": slow}, "w2").run_once() == 0
    slow.end.set()
    assert await sending == 1
    kept = await outbox.get("1")
    assert kept is not None
    assert (kept.state, slow.calls) == (State.SENT, 1)


async def test_a_scheduled_job_that_is_slow_runs_once(runtime: Database, clock: ManualClock) -> None:
    slow = Slow()
    await StoredSchedules(runtime, clock, "bot").put("a", "remind", {}, at=days.now(clock))
    firing = asyncio.create_task(worker_of(runtime, clock, slow, "w1").fire_due())
    await slow.begun.wait()
    await renewed(runtime, clock, schedules("a"))
    assert await worker_of(runtime, clock, slow, "w2").fire_due() == 0
    slow.end.set()
    assert await firing == 1
    assert await runtime.get(schedules("a").consistent()) is None
    assert slow.calls == 1


async def test_a_step_that_is_slow_runs_once(runtime: Database, clock: ManualClock) -> None:
    slow = Slow()

    async def step(payload: Mapping[str, Any], cursor: str | None) -> Progress:
        await slow()
        return Progress(1)

    definitions = {"recount": Job([("all", step)])}
    await Jobs(runtime, clock, "tasks").start("recount", {}, id="1")
    working = asyncio.create_task(Jobs(runtime, clock, "tasks", "w1").run_once(definitions))
    await slow.begun.wait()
    await renewed(runtime, clock, job_runs("tasks/1"))
    assert await Jobs(runtime, clock, "tasks", "w2").run_once(definitions) == 0
    slow.end.set()
    assert await working == 1
    run = await Jobs(runtime, clock, "tasks").get("1")
    assert run is not None
    assert (run.finished, run.lease_by, slow.calls) == (True, None, 1)


class SlowReader(Reader):
    def __init__(self) -> None:
        super().__init__()
        self.slow = Slow()

    async def handle(self, event: Mapping[str, Any]) -> dict[str, Any]:
        await self.slow()
        return await super().handle(event)


async def test_records_whose_handler_is_slow_are_handled_once(db: Database, clock: ManualClock) -> None:
    reader, other = SlowReader(), Reader()
    await write(db, "a", "b")
    reading = asyncio.create_task(pump(db, clock, reader, "w1").run_once())
    await reader.slow.begun.wait()
    second = pump(db, clock, other, "w2")
    known = await second._stream()
    assert known is not None
    await renewed(second._runtime, clock, checkpoints("test/notes", known.shards[0]["ShardId"]))
    assert await second.run_once() == 0
    reader.slow.end.set()
    assert await reading == 2
    assert (reader.seen, other.seen) == (["a", "b"], [])


async def test_who_was_overtaken_stops_and_saves_nothing(runtime: Database, clock: ManualClock) -> None:
    """Its machine slept: another worker has taken the message and sends it now."""
    slow = Slow()
    outbox = Outbox(runtime, clock, "tasks")
    await outbox.put("mail", "a@example.com", {}, id="1")
    sending = asyncio.create_task(Delivery(runtime, clock, {"mail": slow}, "w1").run_once())
    await slow.begun.wait()
    await runtime.write(messages.update("tasks/1").set(Message.lease_by, "w2/somebody"))
    await sending
    assert slow.cut_off
    kept = await outbox.get("1")
    assert kept is not None
    assert (kept.state, kept.lease_by, kept.last_error) == (State.QUEUED, "w2/somebody", None)


async def test_who_reads_a_shard_no_longer_saves_no_checkpoint(
    db: Database, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was overtaken between two renewals, and learns of it when it saves."""
    monkeypatch.setattr(leases, "RENEWALS", 1)

    class Overtaken(Reader):
        async def handle(self, event: Mapping[str, Any]) -> dict[str, Any]:
            clock.advance(31)
            await pump(db, clock, Reader(), "w2").run_once()
            await write(db, "c")
            await pump(db, clock, Reader(), "w2").run_once()
            return {"batchItemFailures": [{"itemIdentifier": event["Records"][0]["dynamodb"]["SequenceNumber"]}]}

    await write(db, "a", "b")
    first = pump(db, clock, Overtaken(), "w1")
    await first.run_once()
    third = Reader()
    await pump(db, clock, third, "w2").run_once()
    assert third.seen == [], "w2 has read all of it, and nothing set it back"


async def test_a_store_that_does_not_answer_ends_the_work_when_the_lease_does(
    runtime: Database, clock: ManualClock
) -> None:
    class Silent:
        def __init__(self) -> None:
            self.asked = 0

        async def write(self, action: Any) -> Any:
            self.asked += 1
            clock.advance(10)
            raise ConnectionError("nobody there")

    silent, slow = Silent(), Slow()
    held: Leases[Message] = Leases(silent, clock, Message.lease_until, Message.lease_by)  # type: ignore[arg-type]
    with pytest.raises(LeaseLost):
        await held.keep(messages.update("x"), "w1", slow())
    assert slow.cut_off
    assert silent.asked == 6, "it went on trying for the sixty seconds that it had"


async def test_work_under_way_comes_to_its_end_when_the_worker_stops(runtime: Database, clock: ManualClock) -> None:
    slow = Slow()
    await StoredSchedules(runtime, clock, "bot").put("a", "remind", {}, at=days.now(clock))
    worker = worker_of(runtime, clock, slow)
    await worker.start()
    await slow.begun.wait()
    stopping = asyncio.create_task(worker.stop())
    await asyncio.sleep(0)
    slow.end.set()
    await stopping
    assert not slow.cut_off
    assert await runtime.get(schedules("a").consistent()) is None


async def test_another_worker_reads_on_at_once_after_an_orderly_end(db: Database, clock: ManualClock) -> None:
    first, second = Reader(), Reader()
    ending = pump(db, clock, first, "w1")
    await write(db, "a")
    await ending.run_once()
    await ending.put_down()
    await write(db, "b")
    await pump(db, clock, second, "w2").run_once()
    assert (first.seen, second.seen) == (["a"], ["b"])


async def test_one_takes_what_is_free_and_puts_it_down(runtime: Database, clock: ManualClock) -> None:
    held = Leases(runtime, clock, JobRun.lease_until, JobRun.lease_by)
    row = job_runs.update("tea/brew/1")
    assert await held.take(row, "anybody") is None, "there is nothing to take"
    await Jobs(runtime, clock, "tea").start("brew", {}, id="brew/1")
    token = await held.take(row, "one")
    assert token is not None
    assert await held.take(row, "another") is None
    work = Slow()
    working = asyncio.create_task(held.hold(row, token, work()))
    await work.begun.wait()
    assert (await runtime.need(job_runs("tea/brew/1").consistent())).lease_by == token
    work.end.set()
    assert await working == "receipt"
    assert await held.take(row, "another") is not None
    with pytest.raises(LeaseLost):
        await held.hold(row, token, Slow()())
    assert await held.take(row, "a third") is None, "who has lost it puts nothing down"


async def test_who_took_it_has_it_although_the_answer_was_lost(runtime: Database, clock: ManualClock) -> None:
    """It was refused by its own lease, and nobody did the work until that was over."""
    work = Slow()
    work.end.set()
    await StoredSchedules(runtime, clock, "bot").put("a", "remind", {}, at=days.now(clock))
    with answer_lost(runtime) as store:
        assert await worker_of(runtime, clock, work, "w1").fire_due() == 1
    assert store.operations.count("TransactWriteItems") == 0
    assert work.calls == 1
    await Jobs(runtime, clock, "tea").start("brew", {}, id="brew/1")
    with answer_lost(runtime) as store:
        token = await Leases(runtime, clock, JobRun.lease_until, JobRun.lease_by).take(
            job_runs.update("tea/brew/1"), "one"
        )
    assert token is not None
    assert store.operations == ["UpdateItem"]
    assert (await runtime.need(job_runs("tea/brew/1").consistent())).lease_by == token
