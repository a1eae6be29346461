"""A store that remembers what each call cost, read and carried."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sekkei.store.protocol import Request, Response, Store

READS = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"})
WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})


@dataclass
class Tally:
    """What a run of calls came to."""

    calls: int = 0
    read_units: float = 0.0
    write_units: float = 0.0
    indexes: dict[tuple[str, str], float] = field(default_factory=dict)
    """Units by table and index; part of the two above."""
    items_read: int = 0
    items_returned: int = 0
    response_bytes: int = 0

    def add(self, operation: str, response: Response) -> None:
        self.calls += 1
        self.response_bytes += len(json.dumps(response, default=str))
        for consumed in _list(response.get("ConsumedCapacity")):
            self._capacity(consumed, operation in WRITES)
        returned = _returned(operation, response)
        self.items_returned += returned
        self.items_read += response.get("ScannedCount", returned)

    def _capacity(self, consumed: Mapping[str, Any], writing: bool) -> None:
        units = float(consumed.get("CapacityUnits", 0.0))
        if writing:
            self.write_units += units
        else:
            self.read_units += units
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            for index, part in consumed.get(kind, {}).items():
                place = (consumed["TableName"], index)
                self.indexes[place] = self.indexes.get(place, 0.0) + float(part["CapacityUnits"])


class Recording:
    """Passes calls on, asks for the units of each, and adds them up in `tally`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.tally = Tally()

    async def call(self, operation: str, request: Request) -> Response:
        if operation not in READS | WRITES:
            return await self._store.call(operation, request)
        response = await self._store.call(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})
        self.tally.add(operation, response)
        return response

    async def close(self) -> None:
        await self._store.close()


def _list(found: Any) -> list[Mapping[str, Any]]:
    return found if isinstance(found, list) else [found] if found else []


def _returned(operation: str, response: Response) -> int:
    if operation == "GetItem":
        return int("Item" in response)
    if operation == "BatchGetItem":
        return sum(len(items) for items in response.get("Responses", {}).values())
    if operation == "TransactGetItems":
        return sum("Item" in one for one in response.get("Responses", ()))
    return int(response.get("Count", 0))
