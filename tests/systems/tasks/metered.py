"""A store that counts: how often it is asked, and how many units that costs by DynamoDB's formula.

    with store.counting() as bill:
        await client.get("/tasks/")
    bill.calls, bill.units

Only what is asked inside counts, and what is begun there; what a worker or the pulse does meanwhile, each in a task of
its own, depends on how fast the machine is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
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


class Bill:
    """What was asked for, and its price."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.by_table: Counter[str] = Counter()

    @property
    def units(self) -> float:
        return sum(self.by_table.values())

    def add(self, operation: str, consumed: Any) -> None:
        self.calls.append(operation)
        for one in consumed if isinstance(consumed, list) else [consumed] if consumed else []:
            self.by_table[one["TableName"]] += one["CapacityUnits"]


_BILL: ContextVar[Bill | None] = ContextVar("bill", default=None)


class Metered:
    """Around any store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    @contextmanager
    def counting(self) -> Iterator[Bill]:
        bill = Bill()
        token = _BILL.set(bill)
        try:
            yield bill
        finally:
            _BILL.reset(token)

    async def call(self, operation: str, request: Request) -> Response:
        bill = _BILL.get()
        if bill is None or operation not in METERED:
            return await self.store.call(operation, request)
        response = await self.store.call(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})
        bill.add(operation, response.pop("ConsumedCapacity", None))
        return response

    async def close(self) -> None:
        await self.store.close()
