"""Writing: item, index entries and change record together, inside the commit of the batch they belong to.

A `ChangeRecord` is one row of the change log: an item's change, with the images that a stream or recovery needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, NamedTuple
from zlib import crc32

import apsw
import orjson

from sekkei.engine.items import values
from sekkei.engine.items.values import Item
from sekkei.engine.settings import Settings
from sekkei.engine.storage import sql
from sekkei.engine.storage.catalogue import Index, Table
from sekkei.engine.storage.snapshot import Catalogue, Snapshot, Stored, checksum, seal


class ChangeRecord(NamedTuple):
    """The columns of `changes`."""

    seq: int
    table_id: int
    time_ms: int
    event: str
    by_ttl: int
    key: bytes
    keys: bytes
    old: bytes | None
    old_size: int | None
    new: bytes | None
    new_size: int | None
    crc: int

    @property
    def is_sound(self) -> bool:
        return change_checksum(*self[1:-1]) == self.crc


COLUMNS = ", ".join(f"changes.{name}" for name in ChangeRecord._fields)


def change_checksum(
    table_id: int,
    time_ms: int,
    event: str,
    by_ttl: int,
    key: bytes,
    keys: bytes,
    old: bytes | None,
    old_size: int | None,
    new: bytes | None,
    new_size: int | None,
) -> int:
    """Over all of a row but its number, which nobody knows before it is written."""
    if (old is None) != (old_size is None) or (new is None) != (new_size is None):
        return -1  # damage: an image has a size
    head = f"{table_id} {time_ms} {event} {by_ttl} {old_size} {new_size}".encode()
    old, new = b"" if old is None else old, b"" if new is None else new
    try:
        return crc32(new, crc32(old, crc32(keys, crc32(key, crc32(head)))))
    except TypeError:
        # Damage can turn bytes into something else, which matches no checksum.
        return -1


TTL_KEY_BYTES = 8

_Sized = tuple[Item | None, int]
"""An item with its size, which is known wherever an item is written; None where there is no item."""
ABSENT: _Sized = (None, 0)

PART_SECONDS = 0.02
"""How long a part of long work may keep others from writing."""


class Transaction(Snapshot):
    """The transaction of a batch of writes, in the thread that holds the writer's connection.

    An operation checks everything first and writes last: an error raised after a write makes the writer roll the whole
    batch back and run its jobs one by one.
    """

    def __init__(self, connection: apsw.Connection, catalogue: Catalogue, settings: Settings) -> None:
        super().__init__(connection, catalogue, settings)
        self.now = settings.clock.now()
        self.uuid = settings.clock.uuid
        self.wrote = False
        self.follow_ups: list[Callable[[Transaction], None]] = []
        self._statistics: dict[int, list[int]] = {}

    def put(self, table: Table, key: bytes, item: Item, size: int, old: Stored | None) -> bool:
        """Write an item, whose size has been measured and found good, over `old`; tells whether anything changed."""
        blob = orjson.dumps(item)
        # Equal items have the same bytes, but for the order of members and of sets.
        if old is not None and len(old.blob) == len(blob) and (old.blob == blob or values.equal_items(old.item, item)):
            return False
        self.wrote = True
        crc = checksum(key, blob)
        if old is None:
            self._cursor.execute(sql.insert_item(table.id), (key, blob, size, crc))
            self._count(table.id, 1, size)
        else:
            self._cursor.execute(sql.update_item(table.id), (blob, size, crc, old.row))
            self._count(table.id, 0, size - old.size)
        if table.indexes or table.ttl_attribute:
            row = old.row if old else self.connection.last_insert_rowid()
            self.index(table, key, row, (old.item, old.size) if old else ABSENT, (item, size))
        if table.logs_changes:
            self._log(table, key, item, old, blob, size, by_ttl=False)
        return True

    def load(self, table_id: int, key: bytes, blob: bytes, size: int, crc: int) -> int:
        """Put a stored item where there is none, as it is. Its checksum comes along, so that damage stays visible."""
        self.wrote = True
        self._cursor.execute(sql.insert_item(table_id), (key, blob, size, crc))
        self._count(table_id, 1, size)
        return self.connection.last_insert_rowid()

    def delete(self, table: Table, key: bytes, old: Stored, by_ttl: bool = False) -> None:
        self.wrote = True
        self._cursor.execute(sql.delete_item(table.id), (old.row,))
        self._count(table.id, -1, -old.size)
        if table.indexes or table.ttl_attribute:
            self.index(table, key, old.row, (old.item, old.size), ABSENT)
        if table.logs_changes:
            self._log(table, key, old.item, old, None, 0, by_ttl)

    def index(self, table: Table, base: bytes, row: int, old: _Sized, new: _Sized) -> None:
        """Move an item's entries from where the old item had them to where the new one has them."""
        for index in table.indexes.values():
            self._move_entry(index, base, row, old, new)
        if table.ttl_attribute is not None and table.ttl_index_id is not None:
            attribute = table.ttl_attribute
            self._move(table.ttl_index_id, base, row, ttl_key(old[0], attribute), ttl_key(new[0], attribute))

    def _move_entry(self, index: Index, base: bytes, row: int, old: _Sized, new: _Sized) -> None:
        schema, old_item, new_item = index.key, old[0], new[0]
        old_key = schema.bytes_of(old_item) if old_item is not None else None
        if old_item is not None and new_item is not None and schema.is_same_in(old_item, new_item):
            new_key = old_key
        else:
            new_key = schema.bytes_of(new_item) if new_item is not None else None
        self._move(index.id, base, row, old_key, new_key)
        bytes_more = (_entry_size(index, new) if new_key is not None else 0) - (
            _entry_size(index, old) if old_key is not None else 0
        )
        self._count(index.id, (new_key is not None) - (old_key is not None), bytes_more)

    def _move(self, index_id: int, base: bytes, row: int, old_key: bytes | None, new_key: bytes | None) -> None:
        if old_key == new_key:
            return
        if old_key is not None:
            self._cursor.execute(sql.delete_entry(index_id), (old_key, base))
        if new_key is not None:
            self._cursor.execute(sql.insert_entry(index_id), (new_key, base, row))

    def _log(
        self, table: Table, key: bytes, item: Item, old: Stored | None, new: bytes | None, new_size: int, by_ttl: bool
    ) -> None:
        """One change record serves the stream and point-in-time recovery; it holds the images that either needs."""
        event = "REMOVE" if new is None else "INSERT" if old is None else "MODIFY"
        kept_old = old if table.logs_old else None
        old_blob, old_size = (kept_old.blob, kept_old.size) if kept_old is not None else (None, None)
        new_blob, size = (new, new_size) if table.logs_new and new is not None else (None, None)
        keys = orjson.dumps(table.key_of(item))
        # Rounded up, so that what happened after a second began is after it.
        now_ms = math.ceil(self.now * 1000)
        change = (table.id, now_ms, event, int(by_ttl), key, keys, old_blob, old_size, new_blob, size)
        self._cursor.execute(sql.INSERT_CHANGE, (*change, change_checksum(*change)))

    def _count(self, id: int, items: int, size: int) -> None:
        if items or size:
            total = self._statistics.setdefault(id, [0, 0])
            total[0] += items
            total[1] += size

    def flush_statistics(self) -> None:
        """The last thing before the commit."""
        for id, (items, size) in self._statistics.items():
            self._cursor.execute(sql.ADD_STATISTICS, (items, size, id))
        self._statistics.clear()

    def afterwards(self, work: Callable[[Transaction], None]) -> None:
        """Have `work` done in a later commit, if this one succeeds."""
        self.follow_ups.append(work)

    # The catalogue.

    def take_id(self) -> int:
        self.wrote = True
        return self.connection.execute(sql.TAKE_ID).get  # type: ignore[no-any-return]

    def save_table(self, table_id: int, record: dict[str, Any], *, new: bool = False) -> Table:
        """Write a table's record and make it the one in force."""
        self.wrote = True
        blob = seal(record, "table", record["TableName"], table_id)
        if new:
            self.connection.execute(sql.INSERT_TABLE, (table_id, record["TableName"], blob))
        else:
            self.connection.execute(sql.UPDATE_TABLE, (blob, table_id))
        self._catalogue_changed()
        return self.catalogue.tables[record["TableName"]]

    def forget_table(self, table_id: int) -> None:
        self.wrote = True
        self.connection.execute(sql.DELETE_TABLE, (table_id,))
        self._catalogue_changed()

    def _catalogue_changed(self) -> None:
        self.connection.execute(sql.RAISE_VERSION)
        self.catalogue.refresh(self.connection)

    def create_items(self, id: int) -> None:
        self.wrote = True
        self.connection.execute(sql.create_items(id))
        self.connection.execute(sql.INSERT_STATISTICS, (id,))

    def create_index(self, id: int) -> None:
        self.wrote = True
        self.connection.execute(sql.create_index(id))
        self.connection.execute(sql.INSERT_STATISTICS, (id,))

    def drop(self, statement: str, id: int) -> None:
        """Drop a table's items or an index's entries, by the statement from `sql`."""
        self.wrote = True
        self.flush_statistics()
        self.connection.execute(statement)
        self.forget_statistics(id)

    def hide(self, kind: str, id: int) -> int:
        """Give what outlives its table or index, `items` or `index`, another id; gives that.

        Who reads looks at the tables it knows until a read fails. Under the old id it must find nothing at once.
        """
        fresh = self.take_id()
        self.flush_statistics()
        self.connection.execute(sql.rename(kind, id, fresh))
        self.connection.execute(sql.MOVE_STATISTICS, (fresh, id))
        return fresh

    def forget_statistics(self, id: int) -> None:
        self.connection.execute(sql.DELETE_STATISTICS, (id,))

    def backfill(self, table: Table, index: Index, after: bytes, limit: int) -> bytes | None:
        """Index the next items whose key lies beyond `after`; gives the last key seen, None at the end."""
        self.wrote = True
        part = Part(self.connection, table, after, limit)
        for row, key, blob in part:
            item = orjson.loads(blob)
            index_key = index.key.bytes_of(item)
            if index_key is not None and self._is_new_entry(index.id, index_key, key):
                self._cursor.execute(sql.insert_entry(index.id), (index_key, key, row))
                self._count(index.id, 1, values.item_size(index.project(item)))
        return part.last if part.more else None

    def _is_new_entry(self, index_id: int, index_key: bytes, base: bytes) -> bool:
        found = self._cursor.execute(
            f"SELECT 1 FROM index_{index_id} WHERE key = ? AND base = ?", (index_key, base)
        ).fetchall()
        return not found


class Part:
    """The next items of a table in key order: at most `limit`, and no more than one commit has time for."""

    def __init__(self, connection: apsw.Connection, table: Table, after: bytes, limit: int) -> None:
        self._connection = connection
        self._text = f"SELECT row, key, item FROM items_{table.id} WHERE key > ? ORDER BY key LIMIT ?"
        self._limit = limit
        self.last = after
        self.more = True

    def __iter__(self) -> Iterator[tuple[int, bytes, bytes]]:
        until = perf_counter() + PART_SECONDS
        cursor = self._connection.cursor()
        rows: Iterator[Any] = cursor.execute(self._text, (self.last, self._limit))
        taken = 0
        try:
            for row, key, blob in rows:
                self.last = key
                taken += 1
                yield row, key, blob
                if perf_counter() > until:
                    return
            self.more = taken == self._limit
        finally:
            cursor.close()


def _entry_size(index: Index, sized: _Sized) -> int:
    """An entry that holds the whole item is as large as the item, and need not be measured again."""
    item, size = sized
    return size if index.projected is None or item is None else values.item_size(index.project(item))


def ttl_key(item: Item | None, attribute: str) -> bytes | None:
    """Where an item stands in its table's order of expiry; None when its value is one that DynamoDB ignores."""
    value = item.get(attribute) if item is not None else None
    number = value.get("N") if value is not None else None
    if number is None:
        return None
    whole = number.partition(".")[0]
    if whole.startswith("-") or len(whole) > 15:
        return None
    return int(whole or "0").to_bytes(TTL_KEY_BYTES)
