"""Stub operations: endpoints, limits, global tables of 2017, scaling of replicas, destinations in Kinesis."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import Engine, operations
from sekkei.errors import DynamoDBError, ValidationException
from tests.engine.partiql.running import Running


async def test_endpoints() -> None:
    with Engine(None, region="ap-northeast-1") as engine:
        assert await engine.call("DescribeEndpoints", {}) == {
            "Endpoints": [{"Address": "dynamodb.ap-northeast-1.amazonaws.com", "CachePeriodInMinutes": 1440}]
        }


@pytest.mark.parametrize(
    "request_",
    [
        {},
    ],
)
def test_requests_for_endpoints(request_: dict[str, Any]) -> None:
    assert operations.check("DescribeEndpoints", request_).request == request_


async def test_limits(running: Running) -> None:
    limits = await running.engine.call("DescribeLimits", {})
    assert limits == {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }


@pytest.mark.parametrize(
    "request_",
    [
        {},
    ],
)
def test_requests_for_limits(request_: dict[str, Any]) -> None:
    assert operations.check("DescribeLimits", request_).request == request_


OLD_VERSION = (
    "One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is not supported. "
    "We recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy)."
)
ABSENT = "Global table with name: 'hash' does not exist."


async def test_there_are_no_global_tables(running: Running) -> None:
    assert await running.engine.call("ListGlobalTables", {}) == {"GlobalTables": []}


@pytest.mark.parametrize(
    ("operation", "request_", "code", "message"),
    [
        (
            "CreateGlobalTable",
            {"GlobalTableName": "hash", "ReplicationGroup": [{"RegionName": "us-east-1"}]},
            "ValidationException",
            OLD_VERSION,
        ),
        (
            "CreateGlobalTable",
            {"GlobalTableName": "hash", "ReplicationGroup": []},
            "ValidationException",
            "One or more parameter values were invalid: Global table must have atleast one replica",
        ),
        (
            "UpdateGlobalTable",
            {"GlobalTableName": "hash", "ReplicaUpdates": [{"Create": {"RegionName": "us-east-1"}}]},
            "ValidationException",
            OLD_VERSION,
        ),
        (
            "UpdateGlobalTable",
            {"GlobalTableName": "hash", "ReplicaUpdates": [{"Delete": {"RegionName": "us-east-1"}}]},
            "GlobalTableNotFoundException",
            f"Global table not found: {ABSENT}",
        ),
        (
            "UpdateGlobalTable",
            {"GlobalTableName": "hash", "ReplicaUpdates": []},
            "ValidationException",
            "One or more parameter values were invalid",
        ),
        (
            "DescribeGlobalTable",
            {"GlobalTableName": "hash"},
            "GlobalTableNotFoundException",
            f"Global table not found: {ABSENT}",
        ),
        ("DescribeGlobalTableSettings", {"GlobalTableName": "hash"}, "GlobalTableNotFoundException", ABSENT),
        ("UpdateGlobalTableSettings", {"GlobalTableName": "hash"}, "GlobalTableNotFoundException", ABSENT),
        ("DescribeTableReplicaAutoScaling", {"TableName": "hash"}, "ResourceNotFoundException", ABSENT),
        ("UpdateTableReplicaAutoScaling", {"TableName": "hash"}, "ResourceNotFoundException", ABSENT),
    ],
)
async def test_what_one_file_cannot_do(
    running: Running, operation: str, request_: dict[str, Any], code: str, message: str
) -> None:
    with pytest.raises(DynamoDBError) as raised:
        await running.engine.call(operation, request_)
    assert (raised.value.code, raised.value.message) == (code, message)


FIRST = "arn:aws:kinesis:us-east-1:000000000000:stream/first"
SECOND = "arn:aws:kinesis:us-east-1:000000000000:stream/second"
NOT_VALID = "Table is not in a valid state to enable Kinesis Streaming Destination: "


async def kinesis(running: Running, verb: str, **request: Any) -> dict[str, Any]:
    return await running.engine.call(f"{verb}KinesisStreamingDestination", {"TableName": "hash", **request})


async def test_without_kinesis_enabling_fails_a_moment_later(running: Running) -> None:
    assert await kinesis(running, "Describe") == {"TableName": "hash", "KinesisDataStreamDestinations": []}
    answer = await kinesis(running, "Enable", StreamArn=FIRST)
    assert answer == {"TableName": "hash", "StreamArn": FIRST, "DestinationStatus": "ENABLING"}
    await kinesis(
        running,
        "Enable",
        StreamArn=SECOND,
        EnableKinesisStreamingConfiguration={"ApproximateCreationDateTimePrecision": "MICROSECOND"},
    )
    await kinesis(running, "Enable", StreamArn=SECOND)
    failed = {
        "DestinationStatus": "ENABLE_FAILED",
        "DestinationStatusDescription": "User does not have a permission to use kinesis stream",
    }
    described = await kinesis(running, "Describe")
    assert described["KinesisDataStreamDestinations"] == [
        {"StreamArn": SECOND, **failed},
        {"StreamArn": FIRST, **failed},
    ]


@pytest.mark.parametrize(
    ("verb", "more", "message"),
    [
        ("Disable", {}, f"{NOT_VALID}KinesisStreamingDestination must be ACTIVE to perform DISABLE operation."),
        (
            "Disable",
            {"EnableKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"}},
            "Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters",
        ),
        (
            "Update",
            {},
            "Streaming destination cannot be updated with given parameters: "
            "UpdateKinesisStreamingConfiguration cannot be null or contain only null values",
        ),
        (
            "Update",
            {"UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"}},
            f"{NOT_VALID}Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. ",
        ),
    ],
)
async def test_what_is_not_active_cannot_change(
    running: Running, verb: str, more: dict[str, Any], message: str
) -> None:
    await kinesis(running, "Enable", StreamArn=FIRST)
    with pytest.raises(ValidationException) as raised:
        await kinesis(running, verb, StreamArn=FIRST, **more)
    assert raised.value.message.startswith(message)


@pytest.mark.parametrize("verb", ["Describe", "Enable", "Disable", "Update"])
async def test_a_table_that_is_not_there(running: Running, verb: str) -> None:
    more = {} if verb == "Describe" else {"StreamArn": FIRST}
    with pytest.raises(DynamoDBError) as raised:
        await kinesis(running, verb, TableName="none", **more)
    assert raised.value.code == "ResourceNotFoundException"
    assert raised.value.message == "Requested resource not found: Table: none not found"
