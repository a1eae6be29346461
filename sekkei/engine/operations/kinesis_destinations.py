"""Kinesis destinations of a table. There is no Kinesis here, so enabling one fails as it does without permission."""

from __future__ import annotations

import copy
from typing import Any

from sekkei.engine.operation import Checked, Read, Render, Response, Write
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.table_record import described_table
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import CONTROL_TABLE_NAME, TableOperation, about_table, only_a_table
from sekkei.engine.validation.shapes import String, Structure
from sekkei.errors import ValidationException

_MEMBER = "KinesisDataStreamDestinations"
_NOT_VALID = "Table is not in a valid state to enable Kinesis Streaming Destination: "

DESCRIBE = only_a_table("DescribeKinesisStreamingDestinationInput")
DISABLE = TableOperation(
    "DisableKinesisStreamingDestinationInput",
    "StreamArn",
    TableName=CONTROL_TABLE_NAME,
    StreamArn=fields.ARN,
    EnableKinesisStreamingConfiguration=Structure(
        "EnableKinesisStreamingConfiguration",
        ApproximateCreationDateTimePrecision=String(one_of="MILLISECOND MICROSECOND"),
    ),
)
ENABLE = TableOperation(
    "EnableKinesisStreamingDestinationInput",
    "StreamArn",
    TableName=CONTROL_TABLE_NAME,
    StreamArn=fields.ARN,
    EnableKinesisStreamingConfiguration=Structure(
        "EnableKinesisStreamingConfiguration",
        ApproximateCreationDateTimePrecision=String(one_of="MILLISECOND MICROSECOND"),
    ),
)
UPDATE = TableOperation(
    "UpdateKinesisStreamingDestinationInput",
    "StreamArn",
    TableName=CONTROL_TABLE_NAME,
    StreamArn=fields.ARN,
    UpdateKinesisStreamingConfiguration=Structure(
        "UpdateKinesisStreamingConfiguration",
        ApproximateCreationDateTimePrecision=String(one_of="MILLISECOND MICROSECOND"),
    ),
)


def describe_kinesis_streaming_destination(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    table = described_table(snapshot, checked.table)
    return {"TableName": table.name, "KinesisDataStreamDestinations": destinations(table)}


def disable_kinesis_streaming_destination(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    described_table(snapshot, checked.table)
    if checked.request.get("EnableKinesisStreamingConfiguration"):
        raise ValidationException("Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters")
    raise not_active_to_disable()


def enable_kinesis_streaming_destination(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = described_table(transaction, checked.table)
    return enable(transaction, table, checked.request)


def update_kinesis_streaming_destination(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    table = described_table(snapshot, checked.table)
    if not checked.request.get("UpdateKinesisStreamingConfiguration"):
        raise ValidationException(
            "Streaming destination cannot be updated with given parameters: "
            "UpdateKinesisStreamingConfiguration cannot be null or contain only null values"
        )
    raise not_active_to_update(table, checked.request["StreamArn"])


def destinations(table: Table) -> list[dict[str, Any]]:
    """The latest first."""
    found: list[dict[str, Any]] = table.record.get(_MEMBER, [])
    return found


def enable(transaction: Transaction, table: Table, request: dict[str, Any]) -> dict[str, Any]:
    destination = {
        "StreamArn": request["StreamArn"],
        "DestinationStatus": "ENABLE_FAILED",
        "DestinationStatusDescription": "User does not have a permission to use kinesis stream",
    }
    configuration = request.get("EnableKinesisStreamingConfiguration") or {}
    if "ApproximateCreationDateTimePrecision" in configuration:
        destination["ApproximateCreationDateTimePrecision"] = configuration["ApproximateCreationDateTimePrecision"]
    record = copy.deepcopy(table.record)
    others = [one for one in destinations(table) if one["StreamArn"] != request["StreamArn"]]
    record[_MEMBER] = [destination, *others]
    transaction.save_table(table.id, record)
    answer: dict[str, Any] = {
        "TableName": table.name,
        "StreamArn": request["StreamArn"],
        "DestinationStatus": "ENABLING",
    }
    if configuration:
        answer["EnableKinesisStreamingConfiguration"] = configuration
    return answer


def not_active_to_disable() -> ValidationException:
    return ValidationException(f"{_NOT_VALID}KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.")


def not_active_to_update(table: Table, stream_arn: str) -> ValidationException:
    return ValidationException(
        f"{_NOT_VALID}Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. "
        f"TableName: {table.name}, StreamArn: {stream_arn}"
    )


OPERATIONS = (
    Read("DescribeKinesisStreamingDestination", DESCRIBE, about_table, describe_kinesis_streaming_destination),
    Read("DisableKinesisStreamingDestination", DISABLE, about_table, disable_kinesis_streaming_destination),
    Write("EnableKinesisStreamingDestination", ENABLE, about_table, enable_kinesis_streaming_destination),
    Read("UpdateKinesisStreamingDestination", UPDATE, about_table, update_kinesis_streaming_destination),
)
