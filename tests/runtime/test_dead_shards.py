"""A part of a stream that cannot be read: shown, skipped, kept, taken up again; who did so is written down."""

from __future__ import annotations

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.errors import InternalServerError
from sekkei.runtime.acts import NOBODY, Acts
from sekkei.runtime.alarms import Alarms
from sekkei.runtime.dead_letters import DeadLetter, DeadLetterKind, DeadLetters
from sekkei.runtime.design import newest_acts
from sekkei.runtime.pump import SHARDS_KNOWN, UNREAD_MAX, UNREAD_PAUSE, Pump
from sekkei.runtime.refusals import NotThere
from sekkei.store.protocol import Request, Response
from tests.runtime.test_pump import Reader, db, pump, write
from tests.scripted_store import ScriptedStore

__all__ = ["db"]


async def ringing(runtime: Database, clock: ManualClock) -> list[str]:
    return sorted(one.name for one in await Alarms(runtime, clock).all())


async def unread(runtime: Database, clock: ManualClock) -> list[DeadLetter]:
    return (await DeadLetters(runtime, clock).page(DeadLetterKind.SHARD, size=10))[0]


class Reshard(ScriptedStore):
    """A store whose one shard ended and has a child, as DynamoDB's do every few hours; the first may be dead."""

    def __init__(self, db: Database) -> None:
        super().__init__(db.store, before=self._read_old, after=self._add_old)
        self.dead = True

    def _add_old(self, operation: str, request: Request, answer: Response) -> None:
        if operation == "DescribeStream":
            (shard,) = answer["StreamDescription"]["Shards"]
            old = {"ShardId": "shardId-old", "SequenceNumberRange": {}}
            answer["StreamDescription"]["Shards"] = [old, {**shard, "ParentShardId": "shardId-old"}]

    def _read_old(self, operation: str, request: Request) -> Response | None:
        if operation == "GetShardIterator" and request["ShardId"] == "shardId-old":
            return {"ShardIterator": "old"}
        if operation == "GetRecords" and request["ShardIterator"] == "old":
            if self.dead:
                raise InternalServerError("this shard is broken")
            image = {"id": {"S": "0"}, "text": {"S": "of before"}}
            data = {"SequenceNumber": "1", "NewImage": image, "Keys": {"id": {"S": "0"}}}
            return {"Records": [{"eventName": "INSERT", "dynamodb": data}]}
        return None


async def dead_stream(db: Database, clock: ManualClock) -> tuple[Reader, Reshard, Pump, DeadLetter]:
    reader, store = Reader(), Reshard(db)
    runtime = pump(db, clock, reader)._runtime
    reading = Pump(store, runtime, clock, "notes", "test", reader.handle, "w")
    await write(db, "a")
    for _ in range(UNREAD_MAX):
        await reading.run_once()
        clock.advance(UNREAD_PAUSE.total_seconds() + 1)
    (shard,) = await unread(runtime, clock)
    assert reader.seen == [], "what comes after it waits"
    return reader, store, reading, shard


async def test_a_dead_shard_is_skipped_and_stays_to_be_read(db: Database, clock: ManualClock) -> None:
    reader, store, reading, shard = await dead_stream(db, clock)
    runtime = reading._runtime
    letters = DeadLetters(runtime, clock)  # of another process than the one that reads
    with pytest.raises(NotThere):
        await letters.drop(DeadLetterKind.SHARD, shard.id)
    await letters.skip(DeadLetterKind.SHARD, shard.id, by="aoi@example.com")
    for _ in range(2):
        await reading.run_once()
    assert reader.seen == ["a"]
    assert await ringing(runtime, clock) == []
    (kept,) = await unread(runtime, clock)
    assert not kept.waits
    with pytest.raises(NotThere):
        await letters.skip(DeadLetterKind.SHARD, shard.id)
    (act,) = await runtime.all(newest_acts())
    assert (act.by, act.what, act.subject) == ("aoi@example.com", "skip", shard.name)
    assert "this shard is broken" in act.detail
    store.dead = False
    await letters.retry(DeadLetterKind.SHARD, shard.id, by="aoi@example.com")
    clock.advance(SHARDS_KNOWN.total_seconds() + 1)  # the reader looks again
    for _ in range(2):
        await reading.run_once()
    assert reader.seen == ["a", "of before"]
    assert await unread(runtime, clock) == []


async def test_a_skipped_shard_is_taken_up_here_at_once(db: Database, clock: ManualClock) -> None:
    reader, store, reading, shard = await dead_stream(db, clock)
    runtime = reading._runtime
    letters = DeadLetters(runtime, clock, [reading])
    await letters.skip(DeadLetterKind.SHARD, shard.id)
    await reading.run_once()
    await letters.retry(DeadLetterKind.SHARD, shard.id)
    store.dead = False
    await reading.run_once()
    assert "of before" in reader.seen
    assert await unread(runtime, clock) == []


async def test_a_skipped_shard_is_dropped(db: Database, clock: ManualClock) -> None:
    _, _, reading, shard = await dead_stream(db, clock)
    letters = DeadLetters(reading._runtime, clock)
    await letters.skip(DeadLetterKind.SHARD, shard.id, by="a")
    await letters.drop(DeadLetterKind.SHARD, shard.id, by="b")
    assert await unread(reading._runtime, clock) == []
    acts = await reading._runtime.all(newest_acts())
    assert {(act.by, act.what) for act in acts} == {("a", "skip"), ("b", "drop")}


async def test_after_a_restart_a_shard_that_is_read_again_is_no_longer_listed(db: Database, clock: ManualClock) -> None:
    reader, store, reading, _ = await dead_stream(db, clock)
    store.dead = False
    clock.advance(61)
    await Pump(store, reading._runtime, clock, "notes", "test", reader.handle, "other").run_once()
    assert reader.seen[0] == "of before"
    assert await unread(reading._runtime, clock) == []


async def test_whoever_leaves_is_no_longer_named(runtime: Database, clock: ManualClock) -> None:
    acts = Acts(runtime, clock)
    for by in ("ren@example.com", "u-ren", "aoi@example.com"):
        await runtime.write(acts.row(by, "drop", f"message:{by[:1]}"))
    cursor: str | None = None
    while True:
        cursor = (await acts.forget({"user_id": "u-ren", "email": "ren@example.com"}, cursor)).cursor
        if cursor is None:
            break
    found = await runtime.all(newest_acts())
    assert sorted(act.by for act in found) == ["aoi@example.com", NOBODY, NOBODY]
