"""Is the file sound? Every checksum, every index against its table, every count, and SQLite's own check."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import orjson

from sekkei.engine.items import values
from sekkei.engine.storage import file
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Catalogue, Snapshot, checksum
from sekkei.engine.storage.transaction import ttl_key
from sekkei.engine.upkeep.verify_history import verify_history


def verify_file(path: str) -> Iterator[str]:
    """One sentence for each thing that is wrong; none when all is well. The file may be in use, and is not changed."""
    connection = file.connect_to_read(path)
    try:
        yield from _whats_lost(connection, path)
        yield from verify(connection)
    finally:
        connection.close()


def _whats_lost(connection: apsw.Connection, path: str) -> Iterator[str]:
    try:
        lost = file.whats_lost(connection, path)
    except apsw.Error as error:
        machine_in_trouble(error)
        lost = f"What was acknowledged cannot be asked for: {error}"
    if lost is not None:
        yield lost


def verify(connection: apsw.Connection) -> Iterator[str]:
    catalogue = Catalogue()
    snapshot = Snapshot(connection, catalogue)
    try:
        with snapshot.at_one_moment():
            catalogue.refresh(connection)
            for (finding,) in connection.execute("PRAGMA integrity_check").fetchall():
                if finding != "ok":
                    yield f"SQLite: {finding}"
            for table in catalogue.tables.values():
                yield from _verify_table(snapshot, table)
            yield from verify_history(snapshot)
    except Exception as error:
        # Whatever damage makes go wrong, of whatever type, is a finding.
        machine_in_trouble(error)
        yield f"The file cannot be read to its end: {error}"


def machine_in_trouble(error: Exception) -> None:
    """Raise again what says nothing of the file: it is no finding."""
    if isinstance(error, apsw.FullError | apsw.BusyError | apsw.NoMemError | apsw.CantOpenError | MemoryError):
        raise error


def _verify_table(snapshot: Snapshot, table: Table) -> Iterator[str]:
    expected: dict[int, int] = {index.id: 0 for index in table.indexes.values()}
    items = size_total = expiring = 0
    cursor = snapshot.connection.cursor()
    for row, key, blob, size, crc in cursor.execute(f"SELECT row, key, item, size, crc FROM items_{table.id}"):
        items += 1
        size_total += size
        if checksum(key, blob) != crc:
            yield f"Table {table.name}: the item with key {key.hex()} does not match its checksum."
            continue
        item = orjson.loads(blob)
        if table.key_bytes(item) != key:
            yield f"Table {table.name}: the item with key {key.hex()} is not at its own key."
        if values.item_size(item) != size:
            yield f"Table {table.name}: the item with key {key.hex()} is of another size than recorded."
        for index in table.indexes.values():
            index_key = index.key.bytes_of(item)
            if index_key is not None and index.ready:
                expected[index.id] += 1
                if not _has_entry(snapshot, index.id, index_key, key, row):
                    yield f"Table {table.name}: index {index.name} lacks the entry of the item with key {key.hex()}."
        if table.ttl_attribute is not None and table.ttl_index_id is not None and table.ttl_ready:
            expiry = ttl_key(item, table.ttl_attribute)
            if expiry is not None:
                expiring += 1
                if not _has_entry(snapshot, table.ttl_index_id, expiry, key, row):
                    yield f"Table {table.name}: the order of expiry lacks the item with key {key.hex()}."
    if table.ttl_index_id is not None and table.ttl_ready:
        expected[table.ttl_index_id] = expiring
    yield from _verify_counts(snapshot, table, expected, items, size_total)


def _has_entry(snapshot: Snapshot, index_id: int, index_key: bytes, key: bytes, row: int) -> bool:
    found = snapshot.connection.execute(
        f"SELECT row FROM index_{index_id} WHERE key = ? AND base = ?", (index_key, key)
    ).fetchall()
    return found == [(row,)]


def _verify_counts(snapshot: Snapshot, table: Table, expected: dict[int, int], items: int, size: int) -> Iterator[str]:
    names = {index.id: f"index {index.name}" for index in table.indexes.values() if index.ready}
    if table.ttl_index_id is not None and table.ttl_ready:
        names[table.ttl_index_id] = "the order of expiry"
    for index_id, name in names.items():
        found = snapshot.connection.execute(f"SELECT count(*) FROM index_{index_id}").get
        if found != expected[index_id]:
            yield f"Table {table.name}: {name} has {found} entries where the items make {expected[index_id]}."
    if snapshot.statistics(table.id) != (items, size):
        yield f"Table {table.name}: its count of items or bytes is wrong."
