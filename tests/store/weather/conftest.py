from __future__ import annotations

import pytest

from sekkei.clock import ManualClock
from sekkei.store import Embedded
from sekkei.store.weather import Weather

TABLE = {
    "TableName": "orders",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [
        {"AttributeName": "id", "AttributeType": "S"},
        {"AttributeName": "status", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by-status",
            "KeySchema": [{"AttributeName": "status", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def inner(clock):
    store = Embedded(clock=clock)
    yield store
    await store.close()


@pytest.fixture
async def weather(inner, clock, naps):
    """Makes weather over a store that has the table."""
    made: list[Weather] = []

    async def make(seed: int = 7, table: dict | None = TABLE, **settings: float) -> Weather:
        if table is not None:
            await inner.call("CreateTable", table)
        made.append(Weather(inner, seed, clock=clock, sleep=naps, **settings))
        return made[-1]

    yield make
    for store in made:
        await store.close()


def item(number: object, status: str = "open", **more: dict) -> dict:
    return {"id": {"S": str(number)}, "status": {"S": status}, **more}


def key(number: object) -> dict:
    return {"id": {"S": str(number)}}


def put(number: object, status: str = "open", **options: object) -> dict:
    return {"TableName": "orders", "Item": item(number, status), **options}


def get(number: object, **options: object) -> dict:
    return {"TableName": "orders", "Key": key(number), **options}


def by_status(status: str = "open", **options: object) -> dict:
    return {
        "TableName": "orders",
        "IndexName": "by-status",
        "KeyConditionExpression": "#s = :s",
        "ExpressionAttributeNames": {"#s": "status"},
        "ExpressionAttributeValues": {":s": {"S": status}},
        **options,
    }


def ids(response: dict) -> list[str]:
    return sorted(found["id"]["S"] for found in response["Items"])
