"""What every implementation is asked to do: rows of 300 bytes, one global index, the eight operations of the tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bench.load import request_bytes

TABLE = "bench"
PARTITIONS = 100
ROWS = 20
"""In each partition; and 20 rows have the same key in the index."""
TEXT = "x" * 190

Request = dict[str, Any]


def table(name: str = TABLE) -> Request:
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": each, "AttributeType": "S"} for each in ("pk", "sk", "gpk", "gsk")],
        "KeySchema": _key_schema("pk", "sk"),
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "by_gpk",
                "KeySchema": [
                    {"AttributeName": "gpk", "KeyType": "HASH"},
                    {"AttributeName": "gsk", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    }


def _key_schema(partition: str, sort: str) -> list[Request]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]


def key(partition: str, row: int) -> Request:
    return {"pk": {"S": partition}, "sk": {"S": f"row#{row:04}"}}


def item(partition: str, row: int) -> Request:
    """About 300 bytes as they stand on the wire."""
    return {
        **key(partition, row),
        "gpk": {"S": f"g#{partition}"},
        "gsk": {"S": f"{row:04}"},
        "n": {"N": "1"},
        "text": {"S": TEXT},
    }


def puts(rows: list[Request]) -> Request:
    return {"RequestItems": {TABLE: [{"PutRequest": {"Item": row}} for row in rows]}}


def in_batches(rows: Iterator[Request]) -> Iterator[bytes]:
    while batch := list(itertools.islice(rows, 25)):
        yield request_bytes("BatchWriteItem", puts(batch))


def existing() -> Iterator[tuple[str, int]]:
    for row in range(ROWS):
        for partition in range(PARTITIONS):
            yield f"user#{partition:05}", row


def preload() -> Iterator[bytes]:
    return in_batches(item(*place) for place in existing())


@dataclass(frozen=True)
class Operation:
    title: str
    requests: Callable[[], Iterator[bytes]]
    """Endless, but for DeleteItem."""
    writes: bool = False


def _cycle(operation: str, requests: Iterator[Request]) -> Iterator[bytes]:
    return itertools.cycle([request_bytes(operation, request) for request in requests])


def _put() -> Iterator[bytes]:
    return _cycle("PutItem", ({"TableName": TABLE, "Item": item(f"put#{n % 100:05}", n // 100)} for n in range(4000)))


def gets() -> Iterator[bytes]:
    for place in existing():
        yield request_bytes("GetItem", {"TableName": TABLE, "Key": key(*place)})


def _update() -> Iterator[bytes]:
    change = {
        "UpdateExpression": "SET #t = :t, n = n + :one",
        "ConditionExpression": "attribute_exists(pk) AND n >= :zero",
        "ExpressionAttributeNames": {"#t": "text"},
        "ExpressionAttributeValues": {":t": {"S": TEXT}, ":one": {"N": "1"}, ":zero": {"N": "0"}},
    }
    return _cycle("UpdateItem", ({"TableName": TABLE, "Key": key(*place), **change} for place in existing()))


def query(partition: int) -> Request:
    return {
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": f"user#{partition:05}"}},
        "Limit": ROWS,
    }


def _query() -> Iterator[bytes]:
    return _cycle("Query", (query(partition) for partition in range(PARTITIONS)))


def _index_query() -> Iterator[bytes]:
    return _cycle(
        "Query",
        (
            {
                "TableName": TABLE,
                "IndexName": "by_gpk",
                "KeyConditionExpression": "gpk = :gpk",
                "ExpressionAttributeValues": {":gpk": {"S": f"g#user#{partition:05}"}},
                "Limit": ROWS,
            }
            for partition in range(PARTITIONS)
        ),
    )


def _transact() -> Iterator[bytes]:
    return _cycle(
        "TransactWriteItems",
        (
            {
                "TransactItems": [
                    {"Put": {"TableName": TABLE, "Item": item(f"paid#{n % 100:05}", n // 100)}},
                    {
                        "Update": {
                            "TableName": TABLE,
                            "Key": key(f"user#{n % PARTITIONS:05}", n // PARTITIONS % ROWS),
                            "UpdateExpression": "SET n = n + :one",
                            "ConditionExpression": "attribute_exists(pk)",
                            "ExpressionAttributeValues": {":one": {"N": "1"}},
                        }
                    },
                ]
            }
            for n in range(2000)
        ),
    )


def _batch() -> Iterator[bytes]:
    return _cycle("BatchWriteItem", (puts([item(f"batch#{n:05}", row) for row in range(25)]) for n in range(200)))


def deletable(count: int) -> Iterator[bytes]:
    """Puts what `deletes` takes away."""
    return in_batches(item(f"gone#{n % 100:05}", n // 100) for n in range(count))


def deletes(count: int) -> Iterator[bytes]:
    for n in range(count):
        yield request_bytes("DeleteItem", {"TableName": TABLE, "Key": key(f"gone#{n % 100:05}", n // 100)})


DELETE = "DeleteItem"
OPERATIONS = (
    Operation("PutItem", _put, writes=True),
    Operation("GetItem", lambda: itertools.cycle(list(gets()))),
    Operation("UpdateItem + condition", _update, writes=True),
    Operation("Query of 20", _query),
    Operation("Index Query of 20", _index_query),
    Operation("TransactWriteItems of 2", _transact, writes=True),
    Operation("BatchWriteItem of 25", _batch, writes=True),
    Operation(DELETE, lambda: deletes(10), writes=True),
)
