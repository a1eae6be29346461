"""Is the file sound? Every checksum, every index against its table, every count, SQLite's own check, and history.

History is backups, change records, streams, and jobs under way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import apsw
import orjson

from sekkei.engine.history import backups, streams
from sekkei.engine.history.backups import Backup
from sekkei.engine.items import values
from sekkei.engine.storage import file
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Catalogue, Snapshot, checksum, unseal
from sekkei.engine.storage.transaction import COLUMNS, ChangeRecord, ttl_key


def _verify_history(snapshot: Snapshot) -> Iterator[str]:
    for backup in backups.all_backups(snapshot):
        yield from _verify_backup(snapshot, backup)
    yield from _verify_changes(snapshot)
    yield from _verify_streams(snapshot)
    yield from _verify_jobs(snapshot)
    yield from _verify_owners(snapshot)
    _open_every_seal(snapshot)


def _verify_backup(snapshot: Snapshot, backup: Backup) -> Iterator[str]:
    items = size_total = 0
    cursor = snapshot.connection.cursor()
    for key, blob, size, crc in cursor.execute(f"SELECT key, item, size, crc FROM items_{backup.id}"):
        items += 1
        size_total += size
        if checksum(key, blob) != crc:
            yield f"Backup {backup.arn}: the item with key {key.hex()} does not match its checksum."
    if snapshot.statistics(backup.id) != (items, size_total):
        yield f"Backup {backup.arn}: its count of items or bytes is wrong."


def _verify_changes(snapshot: Snapshot) -> Iterator[str]:
    cursor = snapshot.connection.cursor()
    for row in cursor.execute(f"SELECT {COLUMNS} FROM changes"):
        change = ChangeRecord(*row)
        if not change.is_sound:
            yield f"Change {change.seq} does not match its checksum."
    last = streams.last_sequence(snapshot)
    ((newest,),) = snapshot.rows("SELECT max(seq) FROM changes")
    if newest is not None and newest > last:
        yield f"The newest change is {newest} but numbers were given out up to {last} only."


def _verify_streams(snapshot: Snapshot) -> Iterator[str]:
    """Each stream is a range of changes, and a table with a stream has one that is open."""
    last = streams.last_sequence(snapshot)
    open_tables: dict[int, str] = {}
    for stream in streams.every_stream(snapshot):
        if stream.first_seq > last + 1 or (stream.last_seq or 0) > last:
            yield f"Stream {stream.arn} reaches beyond the newest change."
        if stream.is_open and stream.table_id in open_tables:
            yield f"Streams {open_tables[stream.table_id]} and {stream.arn} are open for one table."
        if stream.is_open:
            open_tables[stream.table_id] = stream.arn
    for table in snapshot.catalogue.tables.values():
        if (table.stream_view is not None) != (table.id in open_tables):
            yield f"Table {table.name}: its record and its streams disagree on whether it has an open stream."


def _verify_jobs(snapshot: Snapshot) -> Iterator[str]:
    """A table knows how many jobs copy it."""
    copying = Counter(source_id for (source_id,) in snapshot.rows("SELECT source_id FROM jobs"))
    for table in snapshot.catalogue.tables.values():
        if table.record.get("Copies", 0) != copying[table.id]:
            yield f"Table {table.name}: its record does not count the {copying[table.id]} copies under way."


def _verify_owners(snapshot: Snapshot) -> Iterator[str]:
    """Everything in the file belongs to a table, a backup or a job; a piece that nobody owns was torn off something."""
    tables = list(snapshot.catalogue.tables.values())
    backed_up = [backup.id for backup in backups.all_backups(snapshot)]
    job_ids = [id for (id,) in snapshot.rows("SELECT id FROM jobs")]
    indexes = [index.id for table in tables for index in table.indexes.values()]
    indexes += [table.ttl_index_id for table in tables if table.ttl_index_id is not None]
    owned = {f"items_{id}" for id in (*backed_up, *(table.id for table in tables))}
    owned |= {f"index_{id}" for id in indexes}
    owned |= {f"{prefix}_{id}" for id in job_ids for prefix in ("undo", "window")}
    dropping = snapshot.rows("SELECT id, kind, state FROM jobs WHERE kind = 'drop'")
    owned |= {unseal(state, kind, id)["name"] for id, kind, state in dropping}
    for (name,) in snapshot.rows("SELECT name FROM sqlite_schema WHERE type = 'table'"):
        prefix, _, id = name.partition("_")
        if prefix in ("items", "index", "undo", "window") and id.isdigit() and name not in owned:
            yield f"Nothing owns {name}."


def _open_every_seal(snapshot: Snapshot) -> None:
    """Raise if a record that nothing above has read is damaged."""
    for id, kind, state in snapshot.rows("SELECT id, kind, state FROM jobs"):
        unseal(state, kind, id)
    for kind, id, body in snapshot.rows("SELECT kind, id, body FROM documents"):
        unseal(body, kind, id)
    for token, digest, answer, time_ms in snapshot.rows("SELECT token, digest, answer, time_ms FROM tokens"):
        unseal(answer, "token", token, digest, time_ms)


def verify_file(path: str) -> Iterator[str]:
    """One sentence for each thing that is wrong; none when all is well. The file may be in use, and is not changed."""
    connection = file.connect_to_read(path)
    try:
        yield from _whats_lost(connection, path)
        yield from _verify(connection)
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


def _verify(connection: apsw.Connection) -> Iterator[str]:
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
            yield from _verify_history(snapshot)
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
