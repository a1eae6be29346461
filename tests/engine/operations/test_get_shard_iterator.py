"""GetShardIterator."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.errors import (
    ExpiredIteratorException,
    ResourceNotFoundException,
    ValidationException,
)
from tests.engine.conftest import Tables, item
from tests.engine.operations.stream_reading import iterator, read, read_from, shard, stream_arn
from tests.engine.refusals import ARN, NO_ARN, SHARD, refusal


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


async def test_an_iterator_is_good_for_a_quarter_of_an_hour(streamed: Tables) -> None:
    place = await iterator(streamed.engine, await stream_arn(streamed.engine))
    streamed.clock.advance(15 * 60 - 1)
    await streamed("GetRecords", ShardIterator=place)
    streamed.clock.advance(2)
    with pytest.raises(ExpiredIteratorException):
        await streamed("GetRecords", ShardIterator=place)


async def test_what_is_refused(streamed: Tables) -> None:
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


STREAM = ARN + "/stream/2026-01-01T00:00:00.000"


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (
            {"StreamArn": STREAM, "ShardId": SHARD, "ShardIteratorType": "AT_SEQUENCE_NUMBER"},
            "SequenceNumber is required when ShardIteratorType is AT_SEQUENCE_NUMBER",
        ),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("GetShardIterator", request_) == text


@pytest.mark.parametrize(
    "request_",
    [
        {"StreamArn": STREAM, "ShardId": SHARD, "ShardIteratorType": "LATEST"},
    ],
)
def test_requests_that_can_be(request_: dict[str, Any]) -> None:
    assert operations.check("GetShardIterator", request_).request == request_


@pytest.mark.parametrize(
    "request_",
    [
        {"StreamArn": NO_ARN, "ShardId": SHARD, "ShardIteratorType": "LATEST"},
    ],
)
def test_requests_about_streams_that_are_refused(request_: dict[str, Any]) -> None:
    with pytest.raises(ValidationException):
        operations.check("GetShardIterator", request_)
