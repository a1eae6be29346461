"""BatchWriteItem: up to 25 puts and deletes. Each stands for itself, yet here all of them share one commit."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import Any

from sekkei.engine import capacity, item_collections
from sekkei.engine.catalogue import Table
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Stored
from sekkei.engine.transaction import Transaction
from sekkei.engine.validation import against_table


def batch_write_item(transaction: Transaction, checked: Checked, render: Render) -> Response:
    parts = [(part, transaction.table(part.table)) for part in checked.parts]
    targets = [(table, _checked_key(part, table)) for part, table in parts]
    against_table.check_no_duplicates(targets)
    olds = _olds(transaction, targets)
    how = checked.request.get("ReturnConsumedCapacity")
    consumed = capacity.Consumed() if capacity.wanted(how) else None
    for (part, table), (_, key), old in zip(parts, targets, olds, strict=True):
        item = part.item
        if consumed is not None:
            consumed.add_write(table, old.item if old else None, item)
        if item is not None:
            transaction.put(table, key, item, part.size, old)
        elif old is not None:
            transaction.delete(table, key, old)

    response: Response = {"UnprocessedItems": {}}
    capacity.attach_all(response, consumed, how)
    if checked.request.get("ReturnItemCollectionMetrics") == "SIZE":
        response["ItemCollectionMetrics"] = _collection_metrics(transaction, parts)
    return response


def _checked_key(part: Checked, table: Table) -> bytes:
    if part.item is not None:
        against_table.check_batch_item(table, part.item)
        return table.key_bytes(part.item)
    assert part.key is not None
    against_table.check_key(table, part.key)
    return table.key_bytes(part.key)


def _olds(transaction: Transaction, targets: list[tuple[Table, bytes]]) -> list[Stored | None]:
    """What is there now, all of it read before anything is written."""
    olds: list[Stored | None] = []
    for table, of_table in groupby(targets, key=itemgetter(0)):
        olds += transaction.stored_each(table, [key for _, key in of_table])
    return olds


def _collection_metrics(transaction: Transaction, parts: list[tuple[Checked, Table]]) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for part, table in parts:
        if table.has_local_indexes:
            item = part.item or part.key or {}
            partition = str(item[table.key.hash[0].name])
            found.setdefault(table.name, {})[partition] = item_collections.metrics(transaction, table, item)
    return {name: list(by_partition.values()) for name, by_partition in found.items()}
