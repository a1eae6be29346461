"""Kinesis destinations: asked for, listed, and never active."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.errors import DynamoDBError, ValidationException
from tests.engine.partiql.running import Running

FIRST = "arn:aws:kinesis:us-east-1:000000000000:stream/first"
SECOND = "arn:aws:kinesis:us-east-1:000000000000:stream/second"
NOT_VALID = "Table is not in a valid state to enable Kinesis Streaming Destination: "


async def call(running: Running, verb: str, **request: Any) -> dict[str, Any]:
    return await running.engine.call(f"{verb}KinesisStreamingDestination", {"TableName": "hash", **request})


async def test_without_kinesis_enabling_fails_a_moment_later(running: Running) -> None:
    assert await call(running, "Describe") == {"TableName": "hash", "KinesisDataStreamDestinations": []}
    answer = await call(running, "Enable", StreamArn=FIRST)
    assert answer == {"TableName": "hash", "StreamArn": FIRST, "DestinationStatus": "ENABLING"}
    await call(
        running,
        "Enable",
        StreamArn=SECOND,
        EnableKinesisStreamingConfiguration={"ApproximateCreationDateTimePrecision": "MICROSECOND"},
    )
    await call(running, "Enable", StreamArn=SECOND)
    failed = {
        "DestinationStatus": "ENABLE_FAILED",
        "DestinationStatusDescription": "User does not have a permission to use kinesis stream",
    }
    described = await call(running, "Describe")
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
    await call(running, "Enable", StreamArn=FIRST)
    with pytest.raises(ValidationException) as raised:
        await call(running, verb, StreamArn=FIRST, **more)
    assert raised.value.message.startswith(message)


@pytest.mark.parametrize("verb", ["Describe", "Enable", "Disable", "Update"])
async def test_a_table_that_is_not_there(running: Running, verb: str) -> None:
    more = {} if verb == "Describe" else {"StreamArn": FIRST}
    with pytest.raises(DynamoDBError) as raised:
        await call(running, verb, TableName="none", **more)
    assert raised.value.code == "ResourceNotFoundException"
    assert raised.value.message == "Requested resource not found: Table: none not found"
