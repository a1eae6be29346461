"""An engine in memory with one table of each common shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.engine import Engine

DAY = 24 * 3600


class Tables:
    """Short ways to say what the tests say often."""

    def __init__(self, engine: Engine, clock: ManualClock) -> None:
        self.engine = engine
        self.clock = clock

    async def __call__(self, operation: str, **request: Any) -> dict[str, Any]:
        return await self.engine.call(operation, request)

    async def create(self, name: str = "items", **more: Any) -> None:
        """A table with partition key pk (S) and sort key sk (N), a global index by g and a local one by l."""
        types = {"pk": "S", "sk": "N", "g": "S", "l": "S"}
        request: dict[str, Any] = {
            "TableName": name,
            "AttributeDefinitions": [{"AttributeName": n, "AttributeType": t} for n, t in types.items()],
            "KeySchema": key("pk", "sk"),
            "BillingMode": "PAY_PER_REQUEST",
            "GlobalSecondaryIndexes": [
                {"IndexName": "by_g", "KeySchema": key("g", "sk"), "Projection": {"ProjectionType": "ALL"}}
            ],
            "LocalSecondaryIndexes": [
                {"IndexName": "by_l", "KeySchema": key("pk", "l"), "Projection": {"ProjectionType": "KEYS_ONLY"}}
            ],
        }
        await self("CreateTable", **{**request, **more})

    async def create_plain(self, name: str = "plain", **more: Any) -> None:
        """A table with nothing but a partition key."""
        await self(
            "CreateTable",
            TableName=name,
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            KeySchema=key("pk"),
            BillingMode="PAY_PER_REQUEST",
            **more,
        )

    async def put(self, table: str = "items", **attributes: Any) -> dict[str, Any]:
        return await self("PutItem", TableName=table, Item=item(**attributes))

    async def get(self, table: str = "items", **attributes: Any) -> dict[str, Any] | None:
        response = await self("GetItem", TableName=table, Key=item(**attributes))
        return response.get("Item")

    async def all(self, table: str = "items", index: str | None = None) -> list[dict[str, Any]]:
        request: dict[str, Any] = {"TableName": table, **({"IndexName": index} if index else {})}
        return (await self.engine.call("Scan", request))["Items"]  # type: ignore[no-any-return]


def key(partition: str, sort: str | None = None) -> list[dict[str, str]]:
    schema = [{"AttributeName": partition, "KeyType": "HASH"}]
    return [*schema, {"AttributeName": sort, "KeyType": "RANGE"}] if sort else schema


def item(**attributes: Any) -> dict[str, Any]:
    """Plain Python values as AttributeValues; a dict is taken as one already."""
    return {name: value(content) for name, content in attributes.items()}


def value(content: Any) -> dict[str, Any]:
    if isinstance(content, dict):
        return content
    if isinstance(content, bool):
        return {"BOOL": content}
    if isinstance(content, int):
        return {"N": str(content)}
    if isinstance(content, set):
        return {"SS": sorted(content)}
    if isinstance(content, list):
        return {"L": [value(element) for element in content]}
    return {"S": content}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def engine(clock: ManualClock) -> Iterator[Engine]:
    with Engine(None, clock=clock) as engine:
        yield engine


@pytest.fixture
def tables(engine: Engine, clock: ManualClock) -> Tables:
    return Tables(engine, clock)
