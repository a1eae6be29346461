"""Kinesis destinations of a table. There is no Kinesis here, so enabling one fails as it does without permission."""

from __future__ import annotations

import copy
from typing import Any

from sekkei.engine.catalogue import Table
from sekkei.engine.transaction import Transaction
from sekkei.errors import ValidationException

_MEMBER = "KinesisDataStreamDestinations"
_NOT_VALID = "Table is not in a valid state to enable Kinesis Streaming Destination: "


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
