"""Reading: one connection's view of the tables and their items.

A `Snapshot` belongs to one thread. Each read is one SQLite statement, which sees everything committed before it; a
group of reads that must agree runs inside `Snapshot.at_one_moment()`.

SQLite would hand out a record with a flipped bit as if nothing were wrong. So records are sealed with a checksum over
themselves and the rest of their row (`seal`, `unseal`), and items have one in their row (`checksum`).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any
from zlib import crc32

import apsw
import orjson

from sekkei.engine.items.values import Item
from sekkei.engine.settings import DEFAULTS, Settings
from sekkei.engine.storage import sql
from sekkei.engine.storage.catalogue import Index, Table, table_name
from sekkei.errors import InternalServerError, ResourceNotFoundException

CRC_BYTES = 4


def seal(document: Any, *row: object) -> bytes:
    """The document as bytes; `row` holds the other columns that must not change without it."""
    body = orjson.dumps(document)
    return _crc(body, row) + body


def unseal(blob: bytes, *row: object) -> Any:
    try:
        body = blob[CRC_BYTES:]
        if blob[:CRC_BYTES] == _crc(body, row):
            return orjson.loads(body)
    except TypeError:
        # Damage can turn bytes into something else.
        pass
    raise InternalServerError(
        f"The record of {' '.join(map(str, row[:2]))} does not match its checksum: the file is damaged. "
        "Run `sekkei verify` on it and restore it from a backup."
    )


def _crc(body: bytes, row: tuple[object, ...]) -> bytes:
    return crc32(body, crc32(repr(row).encode())).to_bytes(CRC_BYTES)


_Rows = list[tuple[Any, ...]]
"""What a query gives: its columns have the types that the statement's text says."""

Row = tuple[bytes, bytes, int, int]
"""One step of a walk through a table or an index: the item's key, its bytes, its size and its checksum."""

_READ_TOGETHER = 25
"""One statement for so many items costs less than half of one for each; more would only hold more in memory."""


class Catalogue:
    """All tables as of one version of the file.

    The readers of one engine share one and the writer has its own, because the writer's may hold what is not committed.
    """

    def __init__(self) -> None:
        self.version = 0
        self.tables: dict[str, Table] = {}
        self._rows: dict[tuple[Any, ...], Table] = {}
        """The same tables by their rows in the file: of a thousand tables, a change makes only one anew."""
        self._lock = threading.Lock()

    def refresh(self, connection: apsw.Connection) -> None:
        """Read the tables again if the file has another version."""
        # Under a lock, so that a slow thread cannot put older tables in the place of newer ones.
        with self._lock:
            version = connection.execute(sql.READ_VERSION).get
            if version == self.version:
                return
            rows: _Rows = connection.execute(sql.READ_TABLES).fetchall()
            known = self._rows
            self._rows = {row: known.get(row) or _table(*row) for row in rows}
            self.tables = {table.name: table for table in self._rows.values()}
            self.version = version


def _table(id: int, name: str, record: bytes) -> Table:
    return Table(id, unseal(record, "table", name, id))


class Stored:
    """An item as it lies in the file, decoded only when somebody looks inside."""

    __slots__ = ("_item", "blob", "row", "size")

    def __init__(self, row: int, blob: bytes, size: int) -> None:
        self.row = row
        self.blob = blob
        self.size = size
        self._item: Item | None = None

    @property
    def item(self) -> Item:
        if self._item is None:
            self._item = orjson.loads(self.blob)
        return self._item


def checksum(key: bytes, blob: bytes) -> int:
    """Over the key too, so that a row that lost its place is found out."""
    try:
        return crc32(blob, crc32(key))
    except TypeError:
        # Damage can turn bytes into something else, which matches no checksum.
        return -1


def _damaged(table: Table) -> InternalServerError:
    return InternalServerError(
        f"An item of table {table.name} does not match its checksum: the file is damaged. "
        "Run `sekkei verify` on it and restore the table from a backup."
    )


class Snapshot:
    """What an operation that only reads gets to work with."""

    def __init__(self, connection: apsw.Connection, catalogue: Catalogue, settings: Settings = DEFAULTS) -> None:
        self.connection = connection
        self.catalogue = catalogue
        self.settings = settings
        self.clock = settings.clock
        self.region = settings.region
        self._cursor = connection.cursor()

    def find_table(self, name_or_arn: str) -> Table | None:
        name = table_name(name_or_arn)
        table = self.catalogue.tables.get(name)
        if table is None:
            self.catalogue.refresh(self.connection)
            table = self.catalogue.tables.get(name)
        return table

    def table(self, name_or_arn: str) -> Table:
        table = self.catalogue.tables.get(name_or_arn) or self.find_table(name_or_arn)
        if table is None or not table.is_active:
            raise ResourceNotFoundException("Requested resource not found")
        return table

    def get(self, table: Table, key: bytes) -> bytes | None:
        """The stored bytes of one item."""
        row = self._cursor.execute(table.sql_get, (key,)).get
        if row is None:
            return None
        blob, crc = row
        if checksum(key, blob) != crc:
            raise _damaged(table)
        found: bytes = blob
        return found

    def stored(self, table: Table, key: bytes) -> Stored | None:
        """One item with what a writer needs to know of it."""
        found = self._cursor.execute(sql.read_item(table.id), (key,)).get
        if found is None:
            return None
        row, blob, size, crc = found
        if checksum(key, blob) != crc:
            raise _damaged(table)
        return Stored(row, blob, size)

    def stored_each(self, table: Table, keys: Sequence[bytes]) -> Iterator[Stored | None]:
        """Several items with the same, in the order of their keys."""
        for start in range(0, len(keys), _READ_TOGETHER):
            some = tuple(keys[start : start + _READ_TOGETHER])
            found = {}
            rows: _Rows = self._cursor.execute(sql.read_items(table.id, len(some)), some).fetchall()
            for key, row, blob, size, crc in rows:
                if checksum(key, blob) != crc:
                    raise _damaged(table)
                found[key] = Stored(row, blob, size)
            yield from map(found.get, some)

    def walk(self, table: Table, low: bytes, high: bytes | None, forward: bool = True) -> Iterator[Row]:
        """Items with low <= key < high, in key order or against it."""
        text = sql.walk_items(table.id, forward, high is not None)
        return self._verified(table, text, (low,) if high is None else (low, high))

    def walk_index(
        self,
        table: Table,
        index: Index,
        low: bytes,
        high: bytes | None,
        forward: bool = True,
        start: tuple[bytes, bytes] | None = None,
    ) -> Iterator[Row]:
        """Items with low <= index key < high in the index's order, beyond the entry `start` if one is given."""
        text = sql.walk_index(index.id, table.id, forward, high is not None, start is not None)
        if start is not None:
            return self._verified(table, text, (low, high, *start))
        return self._verified(table, text, (low,) if high is None else (low, high))

    def _verified(self, table: Table, text: str, bindings: tuple[bytes | None, ...]) -> Iterator[Row]:
        cursor = self.connection.cursor()
        try:
            rows: Iterator[Row] = cursor.execute(text, bindings)
            for row in rows:
                base, blob, _, crc = row
                if checksum(base, blob) != crc:
                    raise _damaged(table)
                yield row
        finally:
            # A statement left half-way would hold the past open and keep the log from shrinking.
            cursor.close()

    def rows(self, text: str, bindings: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement."""
        return self.connection.execute(text, bindings).fetchall()

    def statistics(self, id: int) -> tuple[int, int]:
        """Items and bytes of a table or an index."""
        return self.connection.execute(sql.READ_STATISTICS, (id,)).get or (0, 0)

    @contextlib.contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Reads inside see one and the same state."""
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            # Nothing was written. To end it needs no schema, which damage can have made unreadable by now.
            self.connection.execute("ROLLBACK")
