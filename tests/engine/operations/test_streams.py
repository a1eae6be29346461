"""ListStreams, DescribeStream, GetShardIterator, GetRecords."""

from __future__ import annotations

import re

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sekkei.clock import ManualClock
from sekkei.engine import Engine
from sekkei.errors import (
    ConditionalCheckFailedException,
    ExpiredIteratorException,
    InternalServerError,
    ResourceNotFoundException,
    TransactionCanceledException,
    TrimmedDataAccessException,
    ValidationException,
)
from tests.engine.conftest import Tables, item
from tests.engine.operations.stream_reading import iterator, read, read_from, replay, shard, stream_arn

DAY = 24 * 3600


def stream(view: str) -> dict[str, object]:
    return {"StreamEnabled": True, "StreamViewType": view}


@pytest.fixture
async def streamed(tables: Tables) -> Tables:
    await tables.create(StreamSpecification=stream("NEW_AND_OLD_IMAGES"))
    return tables


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


async def test_every_kind_of_iterator_begins_where_it_says(streamed: Tables) -> None:
    engine, clock = streamed.engine, streamed.clock
    arn = await stream_arn(engine)
    for number in range(4):
        await streamed.put(pk="a", sk=number)
        clock.advance(10)
    everything = await read(engine, arn)
    third = everything[2]["dynamodb"]
    assert await read(engine, arn, "AT_SEQUENCE_NUMBER", SequenceNumber=third["SequenceNumber"]) == everything[2:]
    assert await read(engine, arn, "AFTER_SEQUENCE_NUMBER", SequenceNumber=third["SequenceNumber"]) == everything[3:]
    since = third["ApproximateCreationDateTime"]
    assert await read(engine, arn, "AT_TIMESTAMP", Timestamp=since) == everything[2:]
    assert await read(engine, arn, "AT_TIMESTAMP", Timestamp=since - 5) == everything[2:]
    latest = await iterator(engine, arn, "LATEST")
    assert await read_from(engine, latest) == ([], latest)
    await streamed.put(pk="b", sk=1)
    records, _ = await read_from(engine, latest)
    assert [record["dynamodb"]["Keys"] for record in records] == [item(pk="b", sk=1)]


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


async def test_a_disabled_stream_has_an_end(streamed: Tables) -> None:
    engine = streamed.engine
    await streamed.put(pk="a", sk=1)
    first = await stream_arn(engine)
    waiting = await iterator(engine, first, "LATEST")
    await streamed("UpdateTable", TableName="items", StreamSpecification={"StreamEnabled": False})
    await streamed.put(pk="a", sk=2)
    await streamed("UpdateTable", TableName="items", StreamSpecification=stream("KEYS_ONLY"))
    await streamed.put(pk="a", sk=3)
    second = await stream_arn(engine)

    assert second != first
    assert [record["dynamodb"]["Keys"] for record in await read(engine, first)] == [item(pk="a", sk=1)]
    assert [record["dynamodb"]["Keys"] for record in await read(engine, second)] == [item(pk="a", sk=3)]
    assert await read_from(engine, waiting) == ([], None)
    description = (await streamed("DescribeStream", StreamArn=first))["StreamDescription"]
    assert description["StreamStatus"] == "DISABLED"
    numbers = description["Shards"][0]["SequenceNumberRange"]
    assert numbers["EndingSequenceNumber"] == numbers["StartingSequenceNumber"]
    assert "EndingSequenceNumber" not in (await shard(engine, second))["SequenceNumberRange"]


async def test_a_deleted_table_s_stream_can_be_read_for_a_day(streamed: Tables) -> None:
    engine = streamed.engine
    await streamed.put(pk="a", sk=1)
    arn = await stream_arn(engine)
    await streamed("DeleteTable", TableName="items")
    place = await iterator(engine, arn)
    page = await streamed("GetRecords", ShardIterator=place)
    assert len(page["Records"]) == 1
    assert "NextShardIterator" not in page
    streamed.clock.advance(DAY - 1)
    assert len(await read(engine, arn)) == 1
    streamed.clock.advance(2)
    with pytest.raises(ResourceNotFoundException):
        await shard(engine, arn)
    assert (await streamed("ListStreams"))["Streams"] == []


async def test_streams_are_listed_in_pages_and_by_table(tables: Tables) -> None:
    for name in ("aaa", "bbb", "ccc"):
        await tables.create(name, StreamSpecification=stream("KEYS_ONLY"))
    first = await tables("ListStreams", Limit=2)
    assert [found["TableName"] for found in first["Streams"]] == ["aaa", "bbb"]
    second = await tables("ListStreams", ExclusiveStartStreamArn=first["LastEvaluatedStreamArn"])
    assert [found["TableName"] for found in second["Streams"]] == ["ccc"]
    assert "LastEvaluatedStreamArn" not in second
    only = await tables("ListStreams", TableName="bbb")
    assert only["Streams"] == [
        {
            "TableName": "bbb",
            "StreamArn": await stream_arn(tables.engine, "bbb"),
            "StreamLabel": (await stream_arn(tables.engine, "bbb")).rpartition("/")[2],
        }
    ]


async def test_the_one_shard_has_dynamodb_s_form_and_nothing_after_it(streamed: Tables) -> None:
    arn = await stream_arn(streamed.engine)
    shard_id = (await shard(streamed.engine, arn))["ShardId"]
    assert re.fullmatch(r"shardId-\d{20}-[0-9a-f]{8}", shard_id)
    beyond = await streamed("DescribeStream", StreamArn=arn, ExclusiveStartShardId=shard_id)
    assert beyond["StreamDescription"]["Shards"] == []
    children = await streamed(
        "DescribeStream", StreamArn=arn, ShardFilter={"Type": "CHILD_SHARDS", "ShardId": shard_id}
    )
    assert children["StreamDescription"]["Shards"] == []


async def test_an_iterator_is_good_for_a_quarter_of_an_hour(streamed: Tables) -> None:
    place = await iterator(streamed.engine, await stream_arn(streamed.engine))
    streamed.clock.advance(15 * 60 - 1)
    await streamed("GetRecords", ShardIterator=place)
    streamed.clock.advance(2)
    with pytest.raises(ExpiredIteratorException):
        await streamed("GetRecords", ShardIterator=place)


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


async def test_refusals(streamed: Tables) -> None:
    arn = await stream_arn(streamed.engine)
    other = arn.replace("items", "other")
    shard_id = (await shard(streamed.engine, arn))["ShardId"]
    with pytest.raises(ResourceNotFoundException, match=f"Requested resource not found: Stream: {other} not found"):
        await streamed("DescribeStream", StreamArn=other)
    wrong = "shardId-00000000000000000000-00000000"
    with pytest.raises(ResourceNotFoundException):
        await streamed("GetShardIterator", StreamArn=arn, ShardId=wrong, ShardIteratorType="LATEST")
    for number in ("1" * 40, "0" * 21, "x" * 21, "-" + "1" * 21):
        with pytest.raises(ValidationException, match="Invalid SequenceNumber"):
            await iterator(streamed.engine, arn, "AT_SEQUENCE_NUMBER", SequenceNumber=number)
    with pytest.raises(ValidationException):
        await streamed("GetShardIterator", StreamArn=arn, ShardId=shard_id, ShardIteratorType="AT_SEQUENCE_NUMBER")
    place = await iterator(streamed.engine, arn)
    for broken in ("x", place[:-4], place[:-8] + "AAAAAAA=", arn, "|||", "é"):
        with pytest.raises(ValidationException, match="Invalid ShardIterator"):
            await streamed("GetRecords", ShardIterator=broken)


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
