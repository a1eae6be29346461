"""The store that the programmes write to: transactions that leave a trace in every part of the file.

Transaction number n puts an item into `first` (an index, a stream, history) and one into `second` (time to live), and
adds one to `counter`. So whatever a crash leaves, the three must agree. Beside that, items of `moving` come, change
their place in the indexes, and go: deleted, or because their time has come.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sekkei.clock import SYSTEM
from sekkei.engine import Engine
from sekkei.engine.upkeep.verify import verify_file
from tests.engine.conftest import Tables, item, key
from tests.engine.operations.stream_reading import read, replay, stream_arn

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
BOTH_IMAGES = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
FAR = 4_000_000_000
"""A time that does not come while this is tested."""


async def create(engine: Engine) -> None:
    """Make what is not there yet: whoever was here before may have been cut short."""
    existing = (await engine.call("ListTables", {}))["TableNames"]
    tables = Tables(engine, engine.clock)  # type: ignore[arg-type]
    if "first" not in existing:
        await tables(
            "CreateTable",
            TableName="first",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")],
            KeySchema=key("pk"),
            BillingMode="PAY_PER_REQUEST",
            StreamSpecification=STREAM,
            GlobalSecondaryIndexes=[
                {"IndexName": "by_g", "KeySchema": key("g"), "Projection": {"ProjectionType": "ALL"}}
            ],
        )
    recovery = {"PointInTimeRecoveryEnabled": True}
    await tables("UpdateContinuousBackups", TableName="first", PointInTimeRecoverySpecification=recovery)
    if "second" not in existing:
        await tables.create_plain("second")
    if "counter" not in existing:
        await tables.create_plain("counter")
    if "moving" not in existing:
        await tables.create("moving", StreamSpecification=BOTH_IMAGES)
    for name in ("first", "second", "moving"):
        await _let_expire(tables, name)


async def _let_expire(tables: Tables, name: str) -> None:
    described = await tables("DescribeTimeToLive", TableName=name)
    if described["TimeToLiveDescription"]["TimeToLiveStatus"] == "DISABLED":
        specification = {"Enabled": True, "AttributeName": "expires"}
        await tables("UpdateTimeToLive", TableName=name, TimeToLiveSpecification=specification)


async def move(engine: Engine, number: int) -> None:
    """An item that comes, changes its place in the indexes, and goes: what all else tells of it must agree."""
    key = item(pk=f"m{number % 3}", sk=number)
    await engine.call("PutItem", {"TableName": "moving", "Item": {**key, **item(g="here", l="a", expires=FAR)}})
    moved = {"UpdateExpression": "SET g = :g, l = :l", "ExpressionAttributeValues": item(**{":g": "there", ":l": "b"})}
    await engine.call("UpdateItem", {"TableName": "moving", "Key": key, **moved})
    if number % 2:
        await engine.call("DeleteItem", {"TableName": "moving", "Key": key})
        return
    over = {"UpdateExpression": "SET expires = :now", "ExpressionAttributeValues": item(**{":now": expired()})}
    await engine.call("UpdateItem", {"TableName": "moving", "Key": key, **over})


def expired() -> int:
    return int(SYSTEM.now()) - 60


async def transact(engine: Engine, number: int, token: str | None = None) -> None:
    name = f"n{number}"
    add = {
        "TableName": "counter",
        "Key": item(pk="total"),
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
    request: dict[str, Any] = {
        "TransactItems": [
            {"Put": {"TableName": "first", "Item": item(pk=name, g=f"g{number % 5}", padding="x" * 100)}},
            {"Put": {"TableName": "second", "Item": item(pk=name, expires=FAR)}},
            {"Update": add},
        ]
    }
    if token is not None:
        request["ClientRequestToken"] = token
    await engine.call("TransactWriteItems", request)


async def committed(engine: Engine) -> set[int]:
    """The numbers of the transactions that the file holds; each must be there wholly or not at all."""
    if not {"first", "second", "counter"} <= set((await engine.call("ListTables", {}))["TableNames"]):
        return set()
    first, second = [await _numbers(engine, name) for name in ("first", "second")]
    assert first == second, f"torn transactions: {first ^ second}"
    assert await _numbers(engine, "first", IndexName="by_g") == first, "the index is not the table"
    total = await engine.call("GetItem", {"TableName": "counter", "Key": item(pk="total")})
    count = int(total["Item"]["n"]["N"]) if "Item" in total else 0
    assert count == len(first), f"{len(first)} transactions were counted as {count}"
    return first


async def _numbers(engine: Engine, table: str, **more: Any) -> set[int]:
    found: set[int] = set()
    start: dict[str, Any] = {}
    while True:
        page = await engine.call("Scan", {"TableName": table, **more, **start})
        found |= {int(each["pk"]["S"][1:]) for each in page["Items"]}
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


async def check(path: Path) -> set[int]:
    """Everything that must be true of a file, whatever has happened to the process that wrote it."""
    with Engine(path, housekeeping_seconds=None) as engine:
        numbers = await committed(engine)
        if numbers:
            streamed = replay(await read(engine, await stream_arn(engine, "first")))
            assert len(streamed) == len(numbers), "the stream does not rebuild the table"
            await _check_moving(engine)
    # Afterwards, since what is left of a store's very first commit may be no file yet, or one to be rolled back.
    assert list(verify_file(str(path))) == []
    return numbers


async def _check_moving(engine: Engine) -> None:
    items = (await engine.call("Scan", {"TableName": "moving"}))["Items"]
    records = await read(engine, await stream_arn(engine, "moving"))
    assert sorted(map(repr, replay(records).values())) == sorted(map(repr, items)), "the stream tells of other items"
    for record in records:
        if "userIdentity" in record:
            assert record["dynamodb"]["OldImage"]["expires"] != {"N": str(FAR)}, "expired before its time"
