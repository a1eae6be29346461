"""A table's stream: opened, closed, and found again by its ARN.

The records themselves are the table's rows in `changes`; a stream is a range of them with a view.
"""

from __future__ import annotations

import datetime
from typing import Any

import orjson

from sekkei.engine.transaction import Transaction

Record = dict[str, Any]


def open_stream(transaction: Transaction, table_id: int, record: Record) -> None:
    """Give the table's record a stream that begins with the next change."""
    moment = datetime.datetime.fromtimestamp(transaction.now, datetime.UTC)
    label = moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}"
    record["LatestStreamLabel"] = label
    record["LatestStreamArn"] = f"{record['TableArn']}/stream/{label}"
    stream = {
        "TableName": record["TableName"],
        "StreamLabel": label,
        "StreamArn": record["LatestStreamArn"],
        "StreamViewType": record["StreamSpecification"]["StreamViewType"],
        "KeySchema": record["KeySchema"],
        "CreationRequestDateTime": transaction.now,
    }
    transaction.wrote = True
    transaction.connection.execute(
        "INSERT INTO streams(id, table_id, arn, record, first_seq) VALUES (?, ?, ?, ?, ?)",
        (
            transaction.take_id(),
            table_id,
            record["LatestStreamArn"],
            orjson.dumps(stream),
            last_sequence_number(transaction) + 1,
        ),
    )


def close_stream(transaction: Transaction, table_id: int) -> None:
    """Close the table's open stream; its records can be read until they are a day old."""
    transaction.wrote = True
    transaction.connection.execute(
        "UPDATE streams SET last_seq = ?, closed_ms = ? WHERE table_id = ? AND closed_ms IS NULL",
        (last_sequence_number(transaction), int(transaction.now * 1000), table_id),
    )


def last_sequence_number(transaction: Transaction) -> int:
    """The newest change of all tables; kept by SQLite even when old changes are trimmed away."""
    return transaction.connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'changes'").get or 0
