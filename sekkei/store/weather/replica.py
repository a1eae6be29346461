"""A copy of the tables that learns of every write some time late, each item's writes in their order."""

from __future__ import annotations

import asyncio
import heapq
from contextlib import suppress
from typing import Any

from sekkei.clock import Clock
from sekkei.engine.items.values import Item
from sekkei.engine.operation import Render
from sekkei.engine.storage.catalogue import Table
from sekkei.errors import DynamoDBError
from sekkei.store.embedded import Embedded
from sekkei.store.protocol import Request, Response, Store

_LATE_MAX = 10_000
"""News that is kept back before what is due is applied without being asked for."""
_PAGE = 25


class Replica:
    """What a store looked like within the last `lag_seconds`."""

    def __init__(self, store: Store, lag_seconds: float, clock: Clock) -> None:
        self.lag_seconds = lag_seconds
        self._store = store
        self._clock = clock
        self._copy = Embedded(clock=clock)
        self._tables: set[str] = set()
        self._late: list[tuple[float, int, str, Item, Item | None]] = []
        self._arrived = 0
        self._due: dict[tuple[str, bytes], float] = {}
        self._lock = asyncio.Lock()

    async def read(self, operation: str, request: Request, *render: Render) -> Response:
        """Answer from the past."""
        await self.catch_up()
        return await self._copy.engine.call(operation, request, *render)

    async def prepare(self, table: Table) -> None:
        """Have a copy of the table as it is now, unless there is one already."""
        if table.name in self._tables:
            return
        async with self._lock:
            if table.name not in self._tables:
                await self._seed(table)
                self._tables.add(table.name)

    async def forget(self, name: str) -> None:
        async with self._lock:
            self._tables.discard(name)
            self._late = [news for news in self._late if news[2] != name]
            heapq.heapify(self._late)
            self._due = {place: due for place, due in self._due.items() if place[0] != name}
            await self._drop(name)

    async def learn(self, table: Table, key: Item, item: Item | None, lateness: float) -> None:
        """Take note of what an item has become; it will show after `lateness`, a part of the lag between 0 and 1."""
        if table.name not in self._tables:
            return
        place = (table.name, table.key_bytes(key))
        due = max(self._clock.now() + self.lag_seconds * lateness, self._due.get(place, 0.0))
        self._due[place] = due
        self._arrived += 1
        heapq.heappush(self._late, (due, self._arrived, table.name, key, item))
        if len(self._late) > _LATE_MAX:
            await self.catch_up()

    async def catch_up(self) -> None:
        """Apply what has been late for long enough."""
        async with self._lock:
            now = self._clock.now()
            while self._late and self._late[0][0] <= now:
                _, _, name, key, item = heapq.heappop(self._late)
                if item is None:
                    await self._copy.call("DeleteItem", {"TableName": name, "Key": key})
                else:
                    await self._copy.call("PutItem", {"TableName": name, "Item": item})
            if not self._late:
                self._due.clear()

    async def close(self) -> None:
        await self._copy.close()

    # --- copying ------------------------------------------------------------------------------------------------------

    async def _seed(self, table: Table) -> None:
        await self._drop(table.name)
        await self._copy.call("CreateTable", _creation(table))
        start: dict[str, Any] = {}
        while True:
            page = await self._store.call("Scan", {"TableName": table.name, "ConsistentRead": True, **start})
            items = page["Items"]
            for at in range(0, len(items), _PAGE):
                puts = [{"PutRequest": {"Item": item}} for item in items[at : at + _PAGE]]
                await self._copy.call("BatchWriteItem", {"RequestItems": {table.name: puts}})
            if "LastEvaluatedKey" not in page:
                break
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
        await self._copy_time_to_live(table.name)

    async def _copy_time_to_live(self, name: str) -> None:
        """What expires is deleted without a call, so that the copy has to do it by itself."""
        with suppress(DynamoDBError):
            described = await self._store.call("DescribeTimeToLive", {"TableName": name})
            attribute = described["TimeToLiveDescription"].get("AttributeName")
            if attribute is not None:
                wish = {"Enabled": True, "AttributeName": attribute}
                await self._copy.call("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": wish})

    async def _drop(self, name: str) -> None:
        with suppress(DynamoDBError):
            await self._copy.call("DeleteTable", {"TableName": name})


def _creation(table: Table) -> Request:
    """The request that creates a table like this one."""
    record = table.record
    request = {member: record[member] for member in ("TableName", "KeySchema", "AttributeDefinitions")}
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        if record.get(member):
            request[member] = [
                {name: index[name] for name in ("IndexName", "KeySchema", "Projection")} for index in record[member]
            ]
    return {**request, "BillingMode": "PAY_PER_REQUEST"}
