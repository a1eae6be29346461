from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

import sekkei.testing
from sekkei.clock import ManualClock
from sekkei.design import Attr, Database, Design, Key, attr, model, tables
from sekkei.runtime.design import design as runtime_design
from sekkei.runtime.design import newest_set_aside
from sekkei.runtime.pump import ATTEMPTS_MAX, Pump
from sekkei.runtime.wakeups import WRITES, Watched

design = Design("notes")
table = design.table("notes", "id", stream="NEW_AND_OLD_IMAGES")


@model
class Note:
    id: Attr[str] = attr()
    text: Attr[str] = attr()


@table.entity(Note)
def notes(id: str) -> Key:
    return Key(f"{id}")


class Reader:
    """Remembers the texts it saw; fails on those it is told to."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.poison: set[str] = set()
        self.raises: set[str] = set()

    async def handle(self, event: Mapping[str, Any]) -> dict[str, Any]:
        failed = []
        for record in event["Records"]:
            text = record["dynamodb"]["NewImage"]["text"]["S"]
            if text in self.raises:
                raise RuntimeError("boom")
            if text in self.poison:
                failed.append({"itemIdentifier": record["dynamodb"]["SequenceNumber"]})
            else:
                self.seen.append(text)
        return {"batchItemFailures": failed}


@pytest.fixture
async def db(clock: ManualClock) -> AsyncIterator[Database]:
    async with sekkei.testing.store(design, clock=clock) as opened:
        await tables.create(opened.store, runtime_design, "test", clock)
        yield opened


def pump(db: Database, clock: ManualClock, reader: Reader, worker: str = "w") -> Pump:
    runtime = runtime_design.open(db.store, env="test", clock=clock)
    return Pump(db.store, runtime, clock, "notes", "test", reader.handle, worker)


async def write(db: Database, *texts: str) -> None:
    for number, text in enumerate(texts):
        await db.write(notes.put(Note(id=f"{number}", text=text)))


async def test_records_arrive_in_order_and_once_when_all_is_well(db: Database, clock: ManualClock) -> None:
    reader = Reader()
    reading = pump(db, clock, reader)
    await write(db, "a", "b")
    await reading.run_once()
    await write(db, "c", "d")
    await reading.run_once()
    await reading.run_once()
    assert reader.seen == ["a", "b", "c", "d"]


async def test_a_new_worker_goes_on_from_the_checkpoint(db: Database, clock: ManualClock) -> None:
    reader = Reader()
    await write(db, "a", "b")
    await pump(db, clock, reader).run_once()
    await write(db, "c")
    other = pump(db, clock, reader, "other")
    assert await other.run_once() == 0, "the first worker's lease holds"
    clock.advance(61)
    await other.run_once()
    assert reader.seen == ["a", "b", "c"]


@pytest.mark.parametrize("way", ["poison", "raises"])
async def test_a_record_that_keeps_failing_is_set_aside(db: Database, clock: ManualClock, way: str) -> None:
    reader = Reader()
    getattr(reader, way).add("bad")
    reading = pump(db, clock, reader)
    await write(db, "a", "bad", "c")
    for _ in range(ATTEMPTS_MAX - 1):
        await reading.run_once()
        assert "c" not in reader.seen or way == "poison"
    for _ in range(3):
        await reading.run_once()
    assert "c" in reader.seen
    assert "bad" not in reader.seen
    runtime = runtime_design.open(db.store, env="test", clock=clock)
    (aside,) = await runtime.all(newest_set_aside())
    assert aside.attempts == ATTEMPTS_MAX
    assert not await reading.replay(aside), "it still fails"
    getattr(reader, way).clear()
    assert await reading.replay(aside)
    assert reader.seen[-1] == "bad"
    assert await runtime.all(newest_set_aside()) == []


async def test_a_failure_in_passing_loses_nothing(db: Database, clock: ManualClock) -> None:
    reader = Reader()
    reader.poison.add("b")
    reading = pump(db, clock, reader)
    await write(db, "a", "b", "c")
    await reading.run_once()
    reader.poison.clear()
    await reading.run_once()
    assert reader.seen.index("b") > reader.seen.index("a")
    assert set(reader.seen) == {"a", "b", "c"}
    assert reader.seen[-2:] == ["b", "c"], "what came behind the failed one is handled again in its turn"


async def test_a_record_larger_than_an_item_is_set_aside_without_its_images(db: Database, clock: ManualClock) -> None:
    reader = Reader()
    reading = pump(db, clock, reader)
    bad = "あ" * 100_000
    reader.poison.add(bad)
    await write(db, "い" * 100_000)
    await write(db, bad, "c")
    for _ in range(ATTEMPTS_MAX + 1):
        await reading.run_once()
    assert reader.seen[-1] == "c"
    (aside,) = await runtime_design.open(db.store, env="test", clock=clock).all(newest_set_aside())
    assert aside.record["dynamodb"]["Keys"] == {"id": {"S": "0"}}
    assert "NewImage" not in aside.record["dynamodb"]


async def test_an_idle_stream_costs_two_writes_a_minute_and_no_descriptions(db: Database, clock: ManualClock) -> None:
    store = Watched(db.store)
    runtime = runtime_design.open(store, env="test", clock=clock)
    reading = Pump(store, runtime, clock, "notes", "test", Reader().handle, "w")
    await reading.run_once()
    store.calls.clear()
    for _ in range(60):
        clock.advance(1)
        await reading.run_once()
    assert store.calls == {"GetRecords": 60, "UpdateItem": 2}


async def test_a_second_worker_waits_without_writing(db: Database, clock: ManualClock) -> None:
    reader = Reader()
    first = pump(db, clock, reader)
    await write(db, "a")
    await first.run_once()
    store = Watched(db.store)
    second = Pump(
        store, runtime_design.open(store, env="test", clock=clock), clock, "notes", "test", reader.handle, "other"
    )
    for _ in range(10):
        assert await second.run_once() == 0
    assert not set(store.calls) & WRITES
    await first.put_down()
    await write(db, "b")
    assert await second.run_once() == 1, "what was put down is taken at once"


async def test_a_stream_that_was_replaced_is_found_again(db: Database, clock: ManualClock) -> None:
    reader = Reader()
    reading = pump(db, clock, reader)
    await write(db, "a")
    await reading.run_once()
    await db.store.call("DeleteTable", {"TableName": "notes"})
    await tables.create(db.store, design, "test", clock)
    await write(db, "b")
    clock.advance(301)
    for _ in range(3):
        await reading.run_once()
    assert reader.seen == ["a", "b"]
