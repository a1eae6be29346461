"""Pages of items that cost the same wherever they are: a page is full, or a few calls were made for it.

A filter drops items after they were read, so a page of few matches may take several calls; it ends after `CALLS_MAX`
and says how many it has looked through. Nothing ever reads a whole table.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from sekkei.store.protocol import Store
from sekkei.web.console.asking import Schema

PAGE_ITEMS = 50
LOOKED_THROUGH = 1000
"""Items that one call of a filtered page looks through."""
CALLS_MAX = 5
COUNT_CALLS_MAX = 20


@dataclass(slots=True)
class Found:
    items: list[dict[str, Any]] = field(default_factory=list)
    last: dict[str, Any] | None = None
    """Where the next page begins; None at the end."""
    scanned: int = 0
    units: float = 0.0
    calls: int = 0
    milliseconds: float = 0.0


async def read_page(
    store: Store, operation: str, asked: Mapping[str, Any], schema: Schema, start: dict[str, Any] | None
) -> Found:
    found, began = Found(last=start), perf_counter()
    limit = LOOKED_THROUGH if "FilterExpression" in asked else PAGE_ITEMS
    while found.calls < (CALLS_MAX if "FilterExpression" in asked else 1):
        await _call(store, operation, {**asked, "Limit": limit}, found)
        if len(found.items) >= PAGE_ITEMS or found.last is None:
            break
    if len(found.items) > PAGE_ITEMS:
        del found.items[PAGE_ITEMS:]
        found.last = {name: found.items[-1][name] for name in schema.keys}
    found.milliseconds = (perf_counter() - began) * 1000
    return found


async def _call(store: Store, operation: str, asked: dict[str, Any], found: Found) -> None:
    if found.last is not None:
        asked["ExclusiveStartKey"] = found.last
    answer = await store.call(operation, {**asked, "ReturnConsumedCapacity": "TOTAL"})
    found.items += answer["Items"]
    found.last = answer.get("LastEvaluatedKey")
    found.calls += 1
    found.scanned += answer.get("ScannedCount", len(answer["Items"]))
    found.units += float(answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0))


@dataclass(frozen=True, slots=True)
class Counted:
    items: int
    scanned: int
    finished: bool
    """Or were there more than may be looked through for a count?"""
    units: float


async def count(store: Store, operation: str, asked: Mapping[str, Any]) -> Counted:
    """How many there are, as far as a limited number of calls reaches."""
    wanted = {name: value for name, value in asked.items() if name != "ProjectionExpression"}
    if "ProjectionExpression" in asked:
        wanted = _without_unused_names(wanted)
    items = scanned = calls = 0
    units, start = 0.0, None
    while calls == 0 or (start is not None and calls < COUNT_CALLS_MAX):
        further: dict[str, Any] = {"ExclusiveStartKey": start} if start else {}
        answer = await store.call(
            operation, {**wanted, **further, "Select": "COUNT", "ReturnConsumedCapacity": "TOTAL"}
        )
        items, scanned, calls = items + answer["Count"], scanned + answer["ScannedCount"], calls + 1
        units += float(answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0))
        start = answer.get("LastEvaluatedKey")
    return Counted(items, scanned, start is None, units)


def _without_unused_names(asked: dict[str, Any]) -> dict[str, Any]:
    """DynamoDB refuses names that no expression uses."""
    text = f"{asked.get('KeyConditionExpression', '')} {asked.get('FilterExpression', '')} "
    used = {short: name for short, name in asked.get("ExpressionAttributeNames", {}).items() if _in(short, text)}
    rest = {name: value for name, value in asked.items() if name != "ExpressionAttributeNames"}
    return {**rest, "ExpressionAttributeNames": used} if used else rest


def _in(short: str, text: str) -> bool:
    return any(short + end in text for end in (" ", ")", ",", ".", "["))


async def each_page(store: Store, operation: str, asked: Mapping[str, Any]) -> AsyncIterator[list[dict[str, Any]]]:
    """Page after page until the end, for an export that is written while it is read."""
    further: dict[str, Any] = {}
    while True:
        answer = await store.call(operation, {**asked, **further})
        yield answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        further = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
