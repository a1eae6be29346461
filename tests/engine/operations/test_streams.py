"""DescribeStream and ListStreams; GetRecords and GetShardIterator have files of their own."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.errors import ResourceNotFoundException, ValidationException
from tests.engine.conftest import DAY, Tables, item
from tests.engine.operations.stream_reading import iterator, read, read_from, shard, stream, stream_arn
from tests.engine.refusals import NO_ARN, SHARD, faults, refusal


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


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"StreamArn": "abc"}, faults(("abc", "streamArn", "Member must have length greater than or equal to 37"))),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("DescribeStream", request_) == text


ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/items/stream/2026-01-01T00:00:00.000"


@pytest.mark.parametrize(
    "request_",
    [
        {"StreamArn": NO_ARN},
        {"StreamArn": ARN, "Limit": 101},
        {"StreamArn": ARN, "ShardFilter": {"Type": "CHILD_SHARDS"}},
        {"StreamArn": ARN, "ShardFilter": {"ShardId": SHARD}},
    ],
)
def test_requests_about_streams_that_are_refused(request_: dict[str, Any]) -> None:
    with pytest.raises(ValidationException):
        operations.check("DescribeStream", request_)


def test_an_arn_of_a_stream_passes() -> None:
    assert operations.check("DescribeStream", {"StreamArn": ARN, "Limit": 100})
    assert operations.check("ListStreams", {"ExclusiveStartStreamArn": ARN, "Limit": 100})


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


@pytest.mark.parametrize(
    "request_",
    [
        {"TableName": "abc"},
    ],
)
def test_requests_that_can_be(request_: dict[str, Any]) -> None:
    assert operations.check("ListStreams", request_).request == request_


@pytest.mark.parametrize(
    "request_",
    [
        {"ExclusiveStartStreamArn": NO_ARN},
        {"Limit": 101},
    ],
)
def test_requests_about_streams_that_are_refused_of_list_streams(request_: dict[str, Any]) -> None:
    with pytest.raises(ValidationException):
        operations.check("ListStreams", request_)
