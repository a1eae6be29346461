"""BatchWriteItem: up to 25 puts and deletes. Each stands for itself, yet here all of them share one commit."""

from __future__ import annotations

from typing import Any

from sekkei.engine import capacity, item_collections
from sekkei.engine.catalogue import Table
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.transaction import Transaction
from sekkei.engine.validation import against_table

Target = tuple[Table, bytes]
"""An item's table and its key."""


def batch_write_item(transaction: Transaction, checked: Checked, render: Render) -> Response:
    parts = [(part, transaction.table(part.table)) for part in checked.parts]
    targets = [_checked_target(part, table) for part, table in parts]
    against_table.check_no_duplicates(targets)
    how = checked.request.get("ReturnConsumedCapacity")
    consumed = capacity.Consumed() if capacity.wanted(how) else None
    for part, target in zip(checked.parts, targets, strict=True):
        _write(transaction, part, target, consumed)

    response: Response = {"UnprocessedItems": {}}
    capacity.attach_all(response, consumed, how)
    if checked.request.get("ReturnItemCollectionMetrics") == "SIZE":
        response["ItemCollectionMetrics"] = _collection_metrics(transaction, parts)
    return response


def _checked_target(part: Checked, table: Table) -> Target:
    if part.item is not None:
        against_table.check_batch_item(table, part.item)
        return table, table.key_bytes(part.item)
    assert part.key is not None
    against_table.check_key(table, part.key)
    return table, table.key_bytes(part.key)


def _write(transaction: Transaction, part: Checked, target: Target, consumed: capacity.Consumed | None) -> None:
    item = part.item
    table, key = target
    old = transaction.stored(table, key)
    if consumed is not None:
        consumed.add_write(table, old.item if old else None, item)
    if item is not None:
        transaction.put(table, key, item, part.size, old)
    elif old is not None:
        transaction.delete(table, key, old)


def _collection_metrics(transaction: Transaction, parts: list[tuple[Checked, Table]]) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for part, table in parts:
        if table.has_local_indexes:
            item = part.item or part.key or {}
            partition = str(item[table.key.hash[0].name])
            found.setdefault(table.name, {})[partition] = item_collections.metrics(transaction, table, item)
    return {name: list(by_partition.values()) for name, by_partition in found.items()}
