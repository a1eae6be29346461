"""How long others wait while somebody's request is long: the longest requests that can be made, beside quick ones."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from bench.markdown import table
from sekkei.engine import Engine
from sekkei.errors import DynamoDBError

Call = Callable[[str, dict[str, Any]], Awaitable[Any]]

ITEMS = 20_000
TINY = {"L": [{"S": "x"}] * 130_000}
"""A list that fills an item with as many elements as it can hold."""


async def fill(call: Call, items: int = ITEMS) -> None:
    for name in ("busy", "quiet"):
        await call(
            "CreateTable",
            {
                "TableName": name,
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
    for start in range(0, items, 25):
        puts = [{"PutRequest": {"Item": {"pk": {"S": f"k{start + n}"}, "a": {"S": "b"}}}} for n in range(25)]
        await call("BatchWriteItem", {"RequestItems": {"busy": puts}})
    await call("PutItem", {"TableName": "quiet", "Item": {"pk": {"S": "a"}}})


def long_requests() -> dict[str, tuple[str, dict[str, Any]]]:
    tests = " OR ".join(f"contains(a, :v{number})" for number in range(140))
    values = {f":v{number}": {"S": f"nothing {number}"} for number in range(140)}
    filtered = {"TableName": "busy", "FilterExpression": tests, "ExpressionAttributeValues": values}
    named = {
        "TableName": "busy",
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeNames": {f"#n{number}": "a" for number in range(300_000)},
        "ExpressionAttributeValues": {":pk": {"S": "a"}},
    }
    sets = ", ".join(f"a{number} = :l" for number in range(300))
    inner = ", ".join(f"m.a{number} = :l" for number in range(250))
    where = " OR ".join(f"b{number} = 'z'" for number in range(250))

    def update(key: str, text: str) -> dict[str, Any]:
        return {
            "TableName": "busy",
            "Key": {"pk": {"S": key}},
            "UpdateExpression": f"SET {text}",
            "ExpressionAttributeValues": {":l": TINY},
        }

    return {
        "Scan with a long filter": ("Scan", filtered),
        "Scan of a page of small items": ("Scan", {"TableName": "busy"}),
        "SELECT with a long WHERE": ("ExecuteStatement", {"Statement": f"SELECT * FROM busy WHERE {where}"}),
        "Query with 300,000 names": ("Query", named),
        "one list into 300 attributes": ("UpdateItem", update("a", sets)),
        "one list into 250 places of a map": ("UpdateItem", update("with map", inner)),
        "PutItem of 130,000 elements": ("PutItem", {"TableName": "busy", "Item": {"pk": {"S": "big"}, "l": TINY}}),
    }


async def waits(
    call: Call, operation: str, request: dict[str, Any], seconds: float, clock: Callable[[], float] = time.perf_counter
) -> tuple[int, list[float]]:
    """How often the long request was done, and how long each of the quick ones beside it took, by the clock given."""
    over = asyncio.Event()
    done = 0

    async def busy() -> None:
        nonlocal done
        while not over.is_set():
            with suppress(DynamoDBError):
                await call(operation, request)
            done += 1
            # A client has to send its next request first.
            await asyncio.sleep(0.001)

    taken: list[float] = []
    task = asyncio.create_task(busy())
    end = time.perf_counter() + seconds
    number = 0
    while time.perf_counter() < end:
        began = clock()
        await asyncio.sleep(0.001)
        if number % 2:
            await call("GetItem", {"TableName": "quiet", "Key": {"pk": {"S": "a"}}})
        else:
            await call("PutItem", {"TableName": "quiet", "Item": {"pk": {"S": "a"}, "n": {"N": str(number)}}})
        taken.append(clock() - began)
        number += 1
    over.set()
    await task
    return done, taken


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


async def _measure() -> list[list[str]]:
    rows = []
    with Engine(None) as engine:
        await fill(engine.call)
        await engine.call("PutItem", {"TableName": "busy", "Item": {"pk": {"S": "with map"}, "m": {"M": {}}}})
        for name, (operation, request) in long_requests().items():
            done, taken = await waits(engine.call, operation, request, 3)
            figures = (statistics.median(taken), percentile(taken, 0.99), max(taken))
            rows.append([name, str(done), *(f"{figure * 1000:.1f}" for figure in figures)])
    return rows


def run() -> None:
    print("Quick gets and puts beside one long request after the other, in process, ms.\n")
    print(table(["long request", "done", "p50", "p99", "longest"], asyncio.run(_measure())))
