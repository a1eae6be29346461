"""Time to live: a hidden index in the order of expiry, filled in parts, and the deletion of what has expired."""

from __future__ import annotations

import copy
import functools

import orjson

from sekkei.engine.history import drops
from sekkei.engine.storage import sql
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Catalogue
from sekkei.engine.storage.transaction import TTL_KEY_BYTES, Part, Transaction, ttl_key
from sekkei.engine.storage.writer import Writer

BACKFILL_ITEMS = 2_000
DELETES_PER_COMMIT = 100
OLDEST_SECONDS = 5 * 365 * 24 * 3600
"""An item whose time is further past than five years is taken for a mistake and kept."""


def enable(transaction: Transaction, table: Table, attribute: str) -> None:
    record = copy.deepcopy(table.record)
    index_id = transaction.take_id()
    transaction.create_index(index_id)
    record["TimeToLive"] = {"AttributeName": attribute, "id": index_id, "Backfilling": True}
    transaction.save_table(table.id, record)
    backfill(transaction, table.name, index_id, b"")


def disable(transaction: Transaction, table: Table) -> None:
    assert table.ttl_index_id is not None
    record = copy.deepcopy(table.record)
    del record["TimeToLive"]
    drops.drop_index(transaction, table.ttl_index_id, is_read=False)
    transaction.save_table(table.id, record)


def backfill(transaction: Transaction, name: str, index_id: int, after: bytes) -> None:
    """Index the items that were there before, a part at a time; the rest follows in later commits."""
    table = transaction.find_table(name)
    if table is None or table.ttl_index_id != index_id or table.ttl_attribute is None:
        return
    part = Part(transaction.connection, table, after, BACKFILL_ITEMS)
    transaction.wrote = True
    for row, key, blob in part:
        expiry = ttl_key(orjson.loads(blob), table.ttl_attribute)
        if expiry is not None:
            transaction.connection.execute(sql.insert_entry(index_id), (expiry, key, row))
    if part.more:
        transaction.afterwards(lambda later: backfill(later, name, index_id, part.last))
        return
    record = copy.deepcopy(table.record)
    del record["TimeToLive"]["Backfilling"]
    transaction.save_table(table.id, record)


def resume_backfills(catalogue: Catalogue, writer: Writer) -> None:
    """A backfill that was cut short starts anew; entries that are there stay."""
    for table in catalogue.tables.values():
        if table.record.get("TimeToLive", {}).get("Backfilling"):
            assert table.ttl_index_id is not None
            writer.schedule(functools.partial(backfill, name=table.name, index_id=table.ttl_index_id, after=b""))


def delete_expired(transaction: Transaction, limit: int) -> int:
    """Delete up to `limit` items whose time has come; tells how many there were."""
    now = int(transaction.now - transaction.settings.ttl_delay_seconds)
    deleted = 0
    for table in list(transaction.catalogue.tables.values()):
        if table.ttl_index_id is not None and table.is_active:
            deleted += _delete_expired_of(transaction, table, now, limit - deleted)
    return deleted


def _delete_expired_of(transaction: Transaction, table: Table, now: int, limit: int) -> int:
    low, high = (max(moment, 0).to_bytes(TTL_KEY_BYTES) for moment in (now - OLDEST_SECONDS, now + 1))
    expired = transaction.rows(
        f"SELECT base FROM index_{table.ttl_index_id} WHERE key >= ? AND key < ? ORDER BY key LIMIT ?",
        (low, high, limit),
    )
    for (key,) in expired:
        stored = transaction.stored(table, key)
        if stored is not None:
            transaction.delete(table, key, stored, by_ttl=True)
    return len(expired)
