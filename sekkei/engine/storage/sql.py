"""Every SQL text of the engine that is not tied to one operation's file, and the file format's migrations.

The file, format 1:

    catalogue    one row: the version that every change of a table's record increases
    tables       a table's id, name and record (JSON)
    statistics   items and bytes per table and per index, by id; under 0 commits, and the store's own number
    items_N      a table's items: key bytes, the item as the JSON a read returns, its DynamoDB size, a checksum
    index_N      an index's entries: index key bytes, the item's key bytes, the item's row
    changes      what happened to items of tables with a stream or continuous backups, in commit order
    streams      every stream a table has or had in the last day
    tokens       transactions already done, by ClientRequestToken
    backups      on-demand backups; items_N holds a backup's items too, under the backup's id
    jobs         work under way that takes many commits (backups, restores, exports, imports), and how far it is;
                 undo_N and window_N hold the changes that such a job has looked at
    documents    small records that other operations keep, by kind and id (exports, imports, policies)

Records, states, answers and documents are sealed with a checksum (`snapshot.seal`). Ids come from one sequence and are
never used again, and what outlives its table or index goes on under another id, so a stale id finds nothing instead
of something else.
"""

from __future__ import annotations

from functools import lru_cache

APPLICATION_ID = 0x53454B4B
"""'SEKK', in the header of every file of ours."""

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE catalogue(version INTEGER NOT NULL, next_id INTEGER NOT NULL);
    INSERT INTO catalogue VALUES (1, 1);
    CREATE TABLE tables(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, record BLOB NOT NULL);
    CREATE TABLE statistics(id INTEGER PRIMARY KEY, items INTEGER NOT NULL, bytes INTEGER NOT NULL);
    CREATE TABLE changes(
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        table_id INTEGER NOT NULL,
        time_ms INTEGER NOT NULL,
        event TEXT NOT NULL,
        by_ttl INTEGER NOT NULL,
        key BLOB NOT NULL,
        keys BLOB NOT NULL,
        old BLOB,
        old_size INTEGER,
        new BLOB,
        new_size INTEGER,
        crc INTEGER NOT NULL
    );
    CREATE INDEX changes_by_table ON changes(table_id);
    CREATE TABLE streams(
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL,
        arn TEXT NOT NULL UNIQUE,
        record BLOB NOT NULL,
        first_seq INTEGER NOT NULL,
        last_seq INTEGER,
        closed_ms INTEGER
    );
    CREATE TABLE tokens(token TEXT PRIMARY KEY, digest BLOB NOT NULL, answer BLOB NOT NULL, time_ms INTEGER NOT NULL);
    CREATE TABLE backups(
        id INTEGER PRIMARY KEY, arn TEXT NOT NULL UNIQUE, record BLOB NOT NULL
    );
    CREATE TABLE jobs(
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, source_id INTEGER, state BLOB NOT NULL, touched_ms INTEGER NOT NULL
    );
    CREATE TABLE documents(
        kind TEXT NOT NULL, id TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (kind, id)
    ) WITHOUT ROWID;
    """,
)
FORMAT = len(MIGRATIONS)

READ_VERSION = "SELECT version FROM catalogue"
RAISE_VERSION = "UPDATE catalogue SET version = version + 1"
TAKE_ID = "UPDATE catalogue SET next_id = next_id + 1 RETURNING next_id - 1"
READ_TABLES = "SELECT id, name, record FROM tables ORDER BY name"
INSERT_TABLE = "INSERT INTO tables(id, name, record) VALUES (?, ?, ?)"
UPDATE_TABLE = "UPDATE tables SET record = ? WHERE id = ?"
DELETE_TABLE = "DELETE FROM tables WHERE id = ?"

INSERT_STATISTICS = "INSERT INTO statistics(id, items, bytes) VALUES (?, 0, 0)"
ADD_STATISTICS = "UPDATE statistics SET items = items + ?, bytes = bytes + ? WHERE id = ?"
READ_STATISTICS = "SELECT items, bytes FROM statistics WHERE id = ?"
READ_COMMITS = "SELECT items, bytes FROM statistics WHERE id = 0"
FIRST_COMMIT = "INSERT INTO statistics(id, items, bytes) VALUES (0, 1, ?)"
COUNT_COMMIT = "UPDATE statistics SET items = ? WHERE id = 0"
"""The row of nobody's id counts commits; its bytes say which store it is, by a number drawn once. Read and written by
two statements, because one with RETURNING makes a table for its answer, which takes three times as long as both."""
DELETE_STATISTICS = "DELETE FROM statistics WHERE id = ?"
MOVE_STATISTICS = "UPDATE statistics SET id = ? WHERE id = ?"

INSERT_CHANGE = (
    "INSERT INTO changes(table_id, time_ms, event, by_ttl, key, keys, old, old_size, new, new_size, crc) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)

_text = lru_cache(8192)
"""A statement's text is made once: SQLite's cache of statements then finds it by a hash that is known already."""


NOTED_COLUMNS = "(key BLOB PRIMARY KEY, seq INTEGER NOT NULL, time_ms INTEGER NOT NULL) WITHOUT ROWID"
"""Of `undo_N` and `window_N`."""


def create_items(id: int) -> str:
    return (
        f"CREATE TABLE items_{id}(row INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, item BLOB NOT NULL, "
        "size INTEGER NOT NULL, crc INTEGER NOT NULL)"
    )


def create_index(id: int) -> str:
    return (
        f"CREATE TABLE index_{id}(key BLOB NOT NULL, base BLOB NOT NULL, row INTEGER NOT NULL, "
        "PRIMARY KEY (key, base)) WITHOUT ROWID"
    )


def rename(kind: str, id: int, fresh: int) -> str:
    return f"ALTER TABLE {kind}_{id} RENAME TO {kind}_{fresh}"


@_text
def read_item(id: int) -> str:
    return f"SELECT row, item, size, crc FROM items_{id} WHERE key = ?"


@_text
def read_items(id: int, count: int) -> str:
    return f"SELECT key, row, item, size, crc FROM items_{id} WHERE key IN ({', '.join('?' * count)})"


@_text
def insert_item(id: int) -> str:
    return f"INSERT INTO items_{id}(key, item, size, crc) VALUES (?, ?, ?, ?)"


@_text
def update_item(id: int) -> str:
    return f"UPDATE items_{id} SET item = ?, size = ?, crc = ? WHERE row = ?"


@_text
def delete_item(id: int) -> str:
    return f"DELETE FROM items_{id} WHERE row = ?"


@_text
def insert_entry(id: int) -> str:
    return f"INSERT OR REPLACE INTO index_{id}(key, base, row) VALUES (?, ?, ?)"


@_text
def delete_entry(id: int) -> str:
    return f"DELETE FROM index_{id} WHERE key = ? AND base = ?"


@_text
def walk_items(id: int, forward: bool, bounded: bool) -> str:
    """Items of a table in key order, from one key (included) up to another (excluded, if there is one)."""
    upper = " AND key < ?2" if bounded else ""
    order = "ASC" if forward else "DESC"
    return f"SELECT key, item, size, crc FROM items_{id} WHERE key >= ?1{upper} ORDER BY key {order}"


@_text
def walk_index(index_id: int, table_id: int, forward: bool, bounded: bool, started: bool) -> str:
    """Items in an index's order, in the same range. `started` goes on strictly beyond one entry, by its two keys."""
    upper = " AND entry.key < ?2" if bounded else ""
    beyond = f" AND (entry.key, entry.base) {'>' if forward else '<'} (?3, ?4)" if started else ""
    order = "ASC" if forward else "DESC"
    return (
        f"SELECT entry.base, item, size, crc FROM index_{index_id} AS entry "
        f"JOIN items_{table_id} AS items ON items.row = entry.row "
        f"WHERE entry.key >= ?1{upper}{beyond} ORDER BY entry.key {order}, entry.base {order}"
    )
