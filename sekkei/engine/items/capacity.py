"""What an operation costs, by DynamoDB's formulas, and the size of the item collection it wrote to.

A read unit is 4 KB read consistently once, half of one read eventually consistently, two of one in a transaction.
A write unit is 1 KB; an index entry put, deleted or changed is a write of its own.

A transaction writes each item twice, to prepare and to commit (developerguide/transaction-apis.html, "Capacity
management for transactions"), and its changes reach the indexes once it is complete (the same page): so the item counts
double and its index entries do not. DynamoDB's answers say the same (nubo-db/dynoxide, pull request 188).

An item collection is all items of a table with local indexes that share a partition key.
"""

from __future__ import annotations

from typing import Any

from sekkei.engine.items import keys
from sekkei.engine.items.values import Item, equal_items, item_size
from sekkei.engine.storage.catalogue import Index, Table
from sekkei.engine.storage.snapshot import Snapshot

_GIB = 1 << 30


def attach_metrics(response: dict[str, Any], snapshot: Snapshot, table: Table, item: Item, how: str | None) -> None:
    """ItemCollectionMetrics of an operation on one item, as ReturnItemCollectionMetrics asks."""
    if how == "SIZE" and table.has_local_indexes:
        response["ItemCollectionMetrics"] = metrics(snapshot, table, item)


def metrics(snapshot: Snapshot, table: Table, item: Item) -> dict[str, Any]:
    hash_name = table.key.hash[0].name
    low = keys.partition_bytes((item[hash_name],))
    total = sum(size for _, _, size, _ in snapshot.walk(table, low, keys.after(low)))
    # DynamoDB answers with the whole gigabytes around the size.
    floor = total // _GIB
    return {
        "ItemCollectionKey": {hash_name: item[hash_name]},
        "SizeEstimateRangeGB": [float(floor), float(floor + 1)],
    }


_READ_BLOCK = 4 * 1024
_WRITE_BLOCK = 1024


def _blocks(size: int, block: int) -> int:
    return max(1, -(-size // block))


def read_units(size: int, consistent: bool) -> float:
    return _blocks(size, _READ_BLOCK) * (1.0 if consistent else 0.5)


def _write_units(old_size: int, new_size: int) -> float:
    return float(_blocks(max(old_size, new_size), _WRITE_BLOCK))


def _index_write_units(index: Index, old: Item | None, new: Item | None) -> float:
    """Nothing for an entry that stays as it is; two writes for one that moves."""
    old_key = index.key.bytes_of(old) if old is not None else None
    new_key = index.key.bytes_of(new) if new is not None else None
    old_entry = index.project(old) if old is not None and old_key is not None else None
    new_entry = index.project(new) if new is not None and new_key is not None else None
    if old_entry is None and new_entry is None:
        return 0.0
    if old_entry is None or new_entry is None or old_key == new_key:
        if equal_items(old_entry, new_entry):
            return 0.0
        return _write_units(item_size(old_entry or {}), item_size(new_entry or {}))
    return _write_units(item_size(old_entry), 0) + _write_units(0, item_size(new_entry))


class Consumed:
    """The units one operation has used so far, by table and index. `factor` is for items, not for index entries."""

    def __init__(self, factor: float = 1.0) -> None:
        self._factor = factor
        self._tables: dict[str, tuple[Table, dict[str, float]]] = {}

    def add(self, table: Table, units: float, index: str = "") -> None:
        _, used = self._tables.setdefault(table.name, (table, {"": 0.0}))
        used[index] = used.get(index, 0.0) + units * (1.0 if index else self._factor)

    def add_read(self, table: Table, size: int, consistent: bool, index: str = "") -> None:
        self.add(table, read_units(size, consistent), index)

    def add_write(self, table: Table, old: Item | None, new: Item | None) -> None:
        """One item's write with those of its index entries."""
        self.add(table, _write_units(item_size(old or {}), item_size(new or {})))
        for index in table.indexes.values():
            units = _index_write_units(index, old, new)
            if units:
                self.add(table, units, index.name)

    def describe(self, how: str | None, split: str | None = None) -> list[dict[str, Any]]:
        """As ReturnConsumedCapacity asks. `split` names the member that transactions repeat the units under."""
        if how not in ("TOTAL", "INDEXES"):
            return []
        return [self._describe(table, used, how, split) for table, used in self._tables.values()]

    def _describe(self, table: Table, used: dict[str, float], how: str, split: str | None) -> dict[str, Any]:
        def units(amount: float) -> dict[str, float]:
            return {"CapacityUnits": amount, **({split: amount} if split else {})}

        answer: dict[str, Any] = {"TableName": table.name, **units(sum(used.values()))}
        if how == "INDEXES":
            answer["Table"] = units(used[""])
            for kind, member in (("LSI", "LocalSecondaryIndexes"), ("GSI", "GlobalSecondaryIndexes")):
                entries = {
                    name: units(amount) for name, amount in used.items() if name and table.indexes[name].kind == kind
                }
                if entries:
                    answer[member] = entries
        return answer


def attach(response: dict[str, Any], consumed: Consumed | None, how: str | None) -> None:
    """ConsumedCapacity of an operation on one table."""
    if consumed is not None:
        for description in consumed.describe(how):
            response["ConsumedCapacity"] = description


def attach_all(response: dict[str, Any], consumed: Consumed | None, how: str | None, split: str | None = None) -> None:
    """ConsumedCapacity of an operation on several tables."""
    if consumed is not None and how in ("TOTAL", "INDEXES"):
        response["ConsumedCapacity"] = consumed.describe(how, split)


def wanted(how: str | None) -> bool:
    return how in ("TOTAL", "INDEXES")
