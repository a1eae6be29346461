"""A store that counts: how often it is asked, and how many units that costs by DynamoDB's formula."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sekkei.store import Store
from sekkei.store.protocol import Request, Response

METERED = {
    "GetItem",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "Query",
    "Scan",
    "BatchGetItem",
    "BatchWriteItem",
    "TransactGetItems",
    "TransactWriteItems",
}


class Metered:
    """Around any store. `start()` before what is measured, then `calls` and `units`."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.calls: list[str] = []
        self.by_table: Counter[str] = Counter()

    @property
    def units(self) -> float:
        return sum(self.by_table.values())

    def start(self) -> None:
        self.calls, self.by_table = [], Counter()

    async def call(self, operation: str, request: Request) -> Response:
        if operation not in METERED:
            return await self.store.call(operation, request)
        response = await self.store.call(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})
        self.calls.append(operation)
        self._count(response.pop("ConsumedCapacity", None))
        return response

    def _count(self, consumed: Any) -> None:
        for one in consumed if isinstance(consumed, list) else [consumed] if consumed else []:
            self.by_table[one["TableName"]] += one["CapacityUnits"]

    async def close(self) -> None:
        await self.store.close()
