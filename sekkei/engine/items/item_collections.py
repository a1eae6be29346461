"""Item collections: all items of a table with local indexes that share a partition key."""

from __future__ import annotations

from typing import Any

from sekkei.engine.items import keys
from sekkei.engine.items.values import Item
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Snapshot

GIB = 1 << 30


def attach(response: dict[str, Any], snapshot: Snapshot, table: Table, item: Item, how: str | None) -> None:
    """ItemCollectionMetrics of an operation on one item, as ReturnItemCollectionMetrics asks."""
    if how == "SIZE" and table.has_local_indexes:
        response["ItemCollectionMetrics"] = metrics(snapshot, table, item)


def metrics(snapshot: Snapshot, table: Table, item: Item) -> dict[str, Any]:
    hash_name = table.key.hash[0].name
    low = keys.partition_bytes((item[hash_name],))
    total = sum(size for _, _, size, _ in snapshot.walk(table, low, keys.after(low)))
    # DynamoDB answers with the whole gigabytes around the size.
    floor = total // GIB
    return {
        "ItemCollectionKey": {hash_name: item[hash_name]},
        "SizeEstimateRangeGB": [float(floor), float(floor + 1)],
    }
