"""Filling a new index with the items that were there before it."""

from __future__ import annotations

import copy
import functools

from sekkei.engine.storage.snapshot import Catalogue
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.storage.writer import Writer

BACKFILL_ITEMS = 2_000
"""Items indexed in one commit, so that a large table's backfill never stands in the way of writes for long."""


def backfill(transaction: Transaction, name: str, index_id: int, after: bytes) -> None:
    """Index the items that were there before the index, a part at a time; the rest follows in later commits."""
    table = transaction.find_table(name)
    index = next((index for index in table.indexes.values() if index.id == index_id), None) if table else None
    if table is None or index is None:
        return
    last = transaction.backfill(table, index, after, BACKFILL_ITEMS)
    if last is not None:
        transaction.afterwards(lambda later: backfill(later, name, index_id, last))
        return
    record = copy.deepcopy(table.record)
    for description in record["GlobalSecondaryIndexes"]:
        if description["id"] == index_id:
            del description["Backfilling"]
    transaction.save_table(table.id, record)


def resume_backfills(catalogue: Catalogue, writer: Writer) -> None:
    """An index whose backfill was cut short is filled from the start; entries that are there stay."""
    for table in catalogue.tables.values():
        for index in table.indexes.values():
            if not index.ready:
                writer.schedule(functools.partial(backfill, name=table.name, index_id=index.id, after=b""))
