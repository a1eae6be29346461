"""Capacity that can be used up: provisioned units of tables and indexes, and what one partition can do.

A call is let through while there is anything left where it goes, and then pays what it cost, if need be on credit: so
does DynamoDB, which knows the cost of a read only when it has read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sekkei.clock import Clock
from sekkei.engine.items.keys import HASH_BYTES
from sekkei.engine.items.values import Item
from sekkei.engine.storage.catalogue import Table
from sekkei.errors import DynamoDBError, ProvisionedThroughputExceededException, ThrottlingException
from sekkei.store.weather.requests import Act, partition_of

_PARTITION_UNITS = {"Read": 3000.0, "Write": 1000.0}
"""What one partition can do in a second."""
_ON_DEMAND_PARTITIONS = 4
"""Of a new table without provisioned capacity."""
_BURST_SECONDS = 300
"""Provisioned capacity that was not used is kept this long."""

ON_DEMAND_MESSAGE = (
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or "
    "index so please try again shortly. If exceptions persist, check if you have a hot key: "
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
)
_INDEX_MESSAGE = (
    "The level of configured provisioned throughput for one or more global secondary indexes of the table was "
    "exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with the "
    "UpdateTable API"
)


@dataclass(frozen=True, slots=True)
class _Place:
    """Something that has a capacity of its own: a table or index, or one of its partitions."""

    table: str
    index: str
    kind: str
    """Read or Write."""
    partition: int | None


class Bucket:
    """Units that flow in steadily, up to a level, and are taken out."""

    def __init__(self, rate: float, level: float, now: float) -> None:
        self._rate = rate
        self._level = level
        self._left = level
        self._at = now

    def left(self, now: float) -> float:
        if now > self._at:
            self._left = min(self._level, self._left + (now - self._at) * self._rate)
        self._at = now
        return self._left

    def take(self, units: float, now: float) -> None:
        self._left = self.left(now) - units


class Capacity:
    """Every bucket that has been used."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._buckets: dict[_Place, Bucket] = {}

    def refusal(self, act: Act, table: Table, item: Item | None) -> DynamoDBError | None:
        """The error for an act that goes where nothing is left. `item` is what is put, or what is there now."""
        now = self._clock.now()
        for place in _places(act, table, item):
            bucket = self._bucket(place, table, now)
            if bucket is not None and bucket.left(now) <= 0:
                return _refusal_at(place, table)
        return None

    def charge(self, acts: list[tuple[Act, Item | None]], tables: Mapping[str, Table], consumed: Any) -> None:
        """Take what a response says it consumed, in equal shares from where its acts went."""
        now = self._clock.now()
        for used in consumed if isinstance(consumed, list) else [consumed]:
            table = tables.get(used["TableName"])
            if table is None:
                continue
            mine = [(act, item) for act, item in acts if act.table == table.name]
            for act, item in mine:
                for place in _places(act, table, item):
                    bucket = self._bucket(place, table, now)
                    if bucket is not None:
                        bucket.take(_units(used, place.index) / len(mine), now)

    def forget(self, table: str) -> None:
        self._buckets = {place: bucket for place, bucket in self._buckets.items() if place.table != table}

    def _bucket(self, place: _Place, table: Table, now: float) -> Bucket | None:
        bucket = self._buckets.get(place)
        if bucket is None:
            rate = _PARTITION_UNITS[place.kind] if place.partition is not None else _provisioned(place, table)
            if rate is None:
                return None
            level = rate if place.partition is not None else rate * _BURST_SECONDS
            bucket = self._buckets[place] = Bucket(rate, level, now)
        return bucket


def _places(act: Act, table: Table, item: Item | None) -> Iterator[_Place]:
    """Where an act uses capacity. A write does so in every index that its item is in, too."""
    kind = "Write" if act.writes else "Read"
    index = table.indexes.get(act.index) if act.index else None
    own = index.name if index is not None and index.is_global else ""
    yield _Place(table.name, own, kind, None)
    partition = act.partition or partition_of(table.key, act.item)
    if partition is not None:
        yield _Place(table.name, own, kind, _number(partition, table))
    if not act.writes or not act.changes:
        return
    for index in table.indexes.values():
        partition = partition_of(index.key, item) if index.is_global else None
        if partition is not None:
            yield _Place(table.name, index.name, kind, None)
            yield _Place(table.name, index.name, kind, _number(partition, table))


def _number(partition: bytes, table: Table) -> int:
    """The partition that a partition key's hash falls into."""
    return int.from_bytes(partition[:HASH_BYTES]) * _partitions(table) >> 8 * HASH_BYTES


def _partitions(table: Table) -> int:
    units = table.record.get("ProvisionedThroughput") or {}
    reads: int = units.get("ReadCapacityUnits", 0)
    writes: int = units.get("WriteCapacityUnits", 0)
    if not reads and not writes:
        return _ON_DEMAND_PARTITIONS
    return math.ceil(reads / _PARTITION_UNITS["Read"] + writes / _PARTITION_UNITS["Write"])


def _provisioned(place: _Place, table: Table) -> float | None:
    """Units a second of a table or index; None when they are not limited."""
    record = table.record
    if place.index:
        record = next(index for index in record["GlobalSecondaryIndexes"] if index["IndexName"] == place.index)
    units = (record.get("ProvisionedThroughput") or {}).get(f"{place.kind}CapacityUnits")
    most = (record.get("OnDemandThroughput") or {}).get(f"Max{place.kind}RequestUnits")
    found = units or (most if most and most > 0 else None)
    return None if found is None else float(found)


def _units(used: Mapping[str, Any], index: str) -> float:
    if not index:
        part = used.get("Table", used)
        local = sum(each["CapacityUnits"] for each in used.get("LocalSecondaryIndexes", {}).values())
        return float(part["CapacityUnits"] + local)
    part = used.get("GlobalSecondaryIndexes", {}).get(index, {"CapacityUnits": 0})
    return float(part["CapacityUnits"])


def _refusal_at(place: _Place, table: Table) -> DynamoDBError:
    """DynamoDB's error for a place with nothing left."""
    what = "Index" if place.index else "Table"
    resource = f"{table.arn}/index/{place.index}" if place.index else table.arn
    is_provisioned = bool((table.record.get("ProvisionedThroughput") or {}).get("WriteCapacityUnits"))
    whole = "Provisioned" if is_provisioned else "MaxOnDemand"
    limit = whole if place.partition is None else "KeyRange"
    reasons = [{"reason": f"{what}{place.kind}{limit}ThroughputExceeded", "resource": resource}]
    if not is_provisioned:
        return ThrottlingException(ON_DEMAND_MESSAGE, reasons)
    if place.index:
        return ProvisionedThroughputExceededException(_INDEX_MESSAGE, reasons)
    return ProvisionedThroughputExceededException(reasons=reasons)


def as_asked(response: dict[str, Any], how: str | None) -> None:
    """Leave of a response's full ConsumedCapacity what the caller's ReturnConsumedCapacity asked for."""
    if how == "INDEXES" or "ConsumedCapacity" not in response:
        return
    if how != "TOTAL":
        del response["ConsumedCapacity"]
        return
    consumed = response["ConsumedCapacity"]
    if isinstance(consumed, list):
        response["ConsumedCapacity"] = [_total(used) for used in consumed]
    else:
        response["ConsumedCapacity"] = _total(consumed)


def _total(used: Mapping[str, Any]) -> dict[str, Any]:
    parts = ("Table", "GlobalSecondaryIndexes", "LocalSecondaryIndexes")
    return {name: value for name, value in used.items() if name not in parts}
