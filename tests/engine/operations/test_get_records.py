"""GetRecords."""

from __future__ import annotations

import re
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sekkei.clock import ManualClock
from sekkei.engine import Engine
from sekkei.errors import (
    ConditionalCheckFailedException,
    InternalServerError,
    TransactionCanceledException,
    TrimmedDataAccessException,
)
from tests.engine.conftest import DAY, Tables, item
from tests.engine.operations.stream_reading import iterator, read, read_from, replay, stream, stream_arn
from tests.engine.refusals import NOT_NULL, faults, refusal

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}


class Killed(BaseException):
    """The consumer's process has gone."""


class Consumer:
    """What survives a kill is what it has written: the records it has acted on, and its checkpoint."""

    def __init__(self, engine: Engine, arn: str) -> None:
        self._engine = engine
        self._arn = arn
        self._steps_left = 0
        self.seen: list[tuple[str, int]] = []
        self.checkpoint: str | None = None

    async def run(self, steps: int, page: int) -> bool:
        """Consume up to the end of the stream; False when killed before."""
        self._steps_left = steps
        try:
            await self._consume(page)
        except Killed:
            return False
        return True

    async def _consume(self, page: int) -> None:
        if self.checkpoint is None:
            place = await iterator(self._engine, self._arn)
        else:
            place = await iterator(self._engine, self._arn, "AFTER_SEQUENCE_NUMBER", SequenceNumber=self.checkpoint)
        while True:
            self._step()
            answer = await self._engine.call("GetRecords", {"ShardIterator": place, "Limit": page})
            if not answer["Records"]:
                return
            for record in answer["Records"]:
                self._step()
                self._act_on(record)
            self._step()
            self.checkpoint = answer["Records"][-1]["dynamodb"]["SequenceNumber"]
            place = answer["NextShardIterator"]

    def _act_on(self, record: dict[str, Any]) -> None:
        image = record["dynamodb"]["NewImage"]
        self.seen.append((image["pk"]["S"], int(image["n"]["N"])))

    def _step(self) -> None:
        if not self._steps_left:
            raise Killed
        self._steps_left -= 1


@settings(max_examples=60, deadline=None)
@given(
    rounds=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 12)), max_size=8),
    page=st.integers(1, 5),
)
async def test_every_record_at_least_once_and_in_order(rounds: list[tuple[int, int]], page: int) -> None:
    clock = ManualClock()
    with Engine(None, clock=clock, housekeeping_seconds=None) as engine:
        tables = Tables(engine, clock)
        await tables.create_plain(StreamSpecification=STREAM)
        consumer = Consumer(engine, await stream_arn(engine, "plain"))
        written: list[tuple[str, int]] = []
        for puts, steps in rounds:
            for _ in range(puts):
                change = (f"item-{len(written) % 3}", len(written))
                await tables.put("plain", pk=change[0], n=change[1])
                written.append(change)
            await consumer.run(steps, page)
            # Iterators do not survive this; the checkpoint does.
            clock.advance(16 * 60)
        assert await consumer.run(10_000, page)

        first_seen = list(dict.fromkeys(consumer.seen))
        assert first_seen == written, "nothing is missed, and what is seen again was seen before"
        for name in {name for name, _ in written}:
            numbers = [number for seen, number in consumer.seen if seen == name]
            newest = -1
            for number in numbers:
                # A repetition may go back, but never ahead of the next record.
                assert number <= newest or number == min(n for s, n in written if s == name and n > newest)
                newest = max(newest, number)


async def change_one_item(tables: Tables) -> None:
    await tables.put(pk="a", sk=1, n=1)
    await tables.put(pk="a", sk=1, n=2)
    await tables("DeleteItem", TableName="items", Key=item(pk="a", sk=1))


@pytest.mark.parametrize(
    ("view", "images"),
    [
        ("KEYS_ONLY", [set(), set(), set()]),
        ("NEW_IMAGE", [{"NewImage"}, {"NewImage"}, set()]),
        ("OLD_IMAGE", [set(), {"OldImage"}, {"OldImage"}]),
        ("NEW_AND_OLD_IMAGES", [{"NewImage"}, {"NewImage", "OldImage"}, {"OldImage"}]),
    ],
)
@pytest.mark.parametrize("with_history", [False, True])
async def test_a_view_shows_its_images_and_no_others(
    tables: Tables, view: str, images: list[set[str]], with_history: bool
) -> None:
    await tables.create(StreamSpecification=stream(view))
    if with_history:
        # Point-in-time recovery needs images that the stream must not show.
        recovery = {"PointInTimeRecoveryEnabled": True}
        await tables("UpdateContinuousBackups", TableName="items", PointInTimeRecoverySpecification=recovery)
    await change_one_item(tables)
    records = await read(tables.engine, await stream_arn(tables.engine))
    assert [record["eventName"] for record in records] == ["INSERT", "MODIFY", "REMOVE"]
    assert [{"NewImage", "OldImage"} & record["dynamodb"].keys() for record in records] == images
    assert all(record["dynamodb"]["Keys"] == item(pk="a", sk=1) for record in records)
    assert all(record["dynamodb"]["StreamViewType"] == view for record in records)


async def test_a_record_says_what_dynamodb_says(streamed: Tables) -> None:
    await change_one_item(streamed)
    record = (await read(streamed.engine, await stream_arn(streamed.engine)))[1]
    body = record["dynamodb"]
    assert re.fullmatch("[0-9a-f]{32}", record["eventID"])
    assert {name: record[name] for name in ("eventVersion", "eventSource", "awsRegion")} == {
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": "us-east-1",
    }
    assert body["OldImage"] == item(pk="a", sk=1, n=1)
    assert body["NewImage"] == item(pk="a", sk=1, n=2)
    assert body["ApproximateCreationDateTime"] == int(streamed.clock.now())
    # Two images of pk, sk and n, and the keys.
    assert body["SizeBytes"] == 2 * (3 + 4 + 3) + (3 + 4)
    assert "userIdentity" not in record


async def test_sequence_numbers_grow_and_sort_as_text(streamed: Tables) -> None:
    for number in range(25):
        await streamed.put(pk="a", sk=number)
    records = await read(streamed.engine, await stream_arn(streamed.engine))
    numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
    assert len({len(number) for number in numbers}) == 1
    assert 21 <= len(numbers[0]) <= 40
    assert numbers == sorted(set(numbers))


async def test_a_write_that_changes_nothing_leaves_no_record(streamed: Tables) -> None:
    await streamed.put(pk="a", sk=1, tags={"x", "y"})
    before = len(await read(streamed.engine, await stream_arn(streamed.engine)))
    await streamed.put(pk="a", sk=1, tags={"SS": ["y", "x"]})
    await streamed("UpdateItem", TableName="items", Key=item(pk="a", sk=1))
    await streamed("DeleteItem", TableName="items", Key=item(pk="none", sk=1))
    with pytest.raises(ConditionalCheckFailedException):
        await streamed(
            "DeleteItem", TableName="items", Key=item(pk="a", sk=1), ConditionExpression="attribute_exists(z)"
        )
    put = {"TableName": "items", "Item": item(pk="b", sk=1)}
    check = {"TableName": "items", "Key": item(pk="none", sk=1), "ConditionExpression": "attribute_exists(pk)"}
    with pytest.raises(TransactionCanceledException):
        await streamed("TransactWriteItems", TransactItems=[{"Put": put}, {"ConditionCheck": check}])
    assert len(await read(streamed.engine, await stream_arn(streamed.engine))) == before


async def test_pages_end_at_the_limit_and_at_a_megabyte(streamed: Tables) -> None:
    arn = await stream_arn(streamed.engine)
    for number in range(5):
        await streamed.put(pk="a", sk=number, text="x" * 300_000)
    place = await iterator(streamed.engine, arn)
    two = await streamed("GetRecords", ShardIterator=place, Limit=2)
    assert len(two["Records"]) == 2
    page = await streamed("GetRecords", ShardIterator=place)
    assert len(page["Records"]) == 3
    rest = await streamed("GetRecords", ShardIterator=page["NextShardIterator"])
    assert [record["dynamodb"]["Keys"]["sk"]["N"] for record in rest["Records"]] == ["3", "4"]


@pytest.mark.parametrize("swept", [False, True])
async def test_records_are_trimmed_after_a_day(streamed: Tables, swept: bool) -> None:
    """It makes no difference whether the file still has them."""
    engine, clock = streamed.engine, streamed.clock
    arn = await stream_arn(engine)
    await streamed.put(pk="a", sk=1)
    clock.advance(DAY / 2)
    await streamed.put(pk="a", sk=2)
    first, second = (record["dynamodb"]["SequenceNumber"] for record in await read(engine, arn))
    clock.advance(DAY / 2 - 60)
    early = await iterator(engine, arn)
    clock.advance(61)
    if swept:
        await engine.sweep()
    assert [record["dynamodb"]["SequenceNumber"] for record in await read(engine, arn)] == [second]
    with pytest.raises(TrimmedDataAccessException):
        await streamed("GetRecords", ShardIterator=early)
    with pytest.raises(TrimmedDataAccessException):
        await read(engine, arn, "AT_SEQUENCE_NUMBER", SequenceNumber=first)
    # Nothing was missed after the first record, so whoever has read it can go on.
    after = await read(engine, arn, "AFTER_SEQUENCE_NUMBER", SequenceNumber=first)
    assert [record["dynamodb"]["SequenceNumber"] for record in after] == [second]


async def test_a_damaged_record_is_not_handed_out(streamed: Tables) -> None:
    await streamed.put(pk="a", sk=1, text="abc")
    file = apsw.Connection(streamed.engine.path)
    file.execute("UPDATE changes SET new = CAST(replace(new, 'abc', 'abd') AS BLOB)")
    file.close()
    with pytest.raises(InternalServerError, match="checksum"):
        await read(streamed.engine, await stream_arn(streamed.engine))


writes = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 5), st.integers(0, 3)),
        st.tuples(st.just("update"), st.integers(0, 5), st.integers(0, 3)),
        st.tuples(st.just("delete"), st.integers(0, 5), st.just(0)),
        st.tuples(st.just("transact"), st.integers(0, 4), st.integers(0, 3)),
    ),
    max_size=30,
)


async def perform(tables: Tables, kind: str, key: int, number: int) -> None:
    if kind == "put":
        await tables.put("plain", pk=str(key), n=number)
    elif kind == "update":
        values = {":n": {"N": str(number)}}
        await tables(
            "UpdateItem",
            TableName="plain",
            Key=item(pk=str(key)),
            UpdateExpression="ADD n :n",
            ExpressionAttributeValues=values,
        )
    elif kind == "delete":
        await tables("DeleteItem", TableName="plain", Key=item(pk=str(key)))
    else:
        put = {"Put": {"TableName": "plain", "Item": item(pk=str(key), n=number)}}
        delete = {"Delete": {"TableName": "plain", "Key": item(pk=str(key + 1))}}
        await tables("TransactWriteItems", TransactItems=[put, delete])


@settings(max_examples=60, deadline=None)
@given(writes=writes, page=st.integers(1, 7))
async def test_a_stream_replayed_from_the_start_rebuilds_the_table(
    writes: list[tuple[str, int, int]], page: int
) -> None:
    with Engine(None, clock=ManualClock(), housekeeping_seconds=None) as engine:
        tables = Tables(engine, ManualClock())
        await tables.create_plain(StreamSpecification=stream("NEW_IMAGE"))
        for write in writes:
            await perform(tables, *write)
        place = await iterator(engine, await stream_arn(engine, "plain"))
        records, _ = await read_from(engine, place, Limit=page)
        rebuilt = replay(records)
        by_key = {repr([("pk", found["pk"])]): found for found in await tables.all("plain")}
        assert rebuilt == by_key


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({}, faults((None, "shardIterator", NOT_NULL))),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("GetRecords", request_) == text
