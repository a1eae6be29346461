"""Copying a table as it was at one moment, in parts, while it goes on being written to.

A backup, a restore and an export are jobs that do this. What a table was at a moment is what it is now with the changes
since then undone: for a key that has changed, the old item of its first change. `undo_N` holds those keys; it is filled
from the moment of the request backwards to the moment that is wanted, and forwards as new changes come in. An
incremental export looks back further, to the beginning of its time, and keeps what it sees there in `window_N`.

A table that is being copied logs its changes, and they are not trimmed before the copy is done.
"""

from __future__ import annotations

import copy as copying
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from sekkei.engine.history import jobs, streams
from sekkei.engine.history.jobs import State
from sekkei.engine.storage import sql
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import checksum
from sekkei.engine.storage.transaction import COLUMNS, ChangeRecord, Transaction

CHANGES_PER_COMMIT = 5_000


class CopiedItem(NamedTuple):
    """An item as it was stored. If it was damaged, its checksum still says so."""

    key: bytes
    blob: bytes
    size: int
    crc: int

    @property
    def is_sound(self) -> bool:
        return checksum(self.key, self.blob) == self.crc


_Keyed = Iterator[tuple[bytes, CopiedItem | None]]
"""Keys in order, each with its item; None where there was none."""


@dataclass(slots=True)
class Copy:
    """The state of a copy."""

    target: dict[str, Any]
    """What the kind of job needs to know."""
    source_id: int
    """The id under which the items lie: a table's or a backup's."""
    table: str | None
    """The table's name; None when the source is a backup, which does not change."""
    until_ms: int | None = None
    """The moment that is copied; None for the moment at which the copy was begun."""
    since_ms: int | None = None
    """The beginning of an incremental export's time."""
    back: int | None = None
    """Changes from this one backwards are still to be looked at; None when that is done."""
    seen: int = 0
    """Newer changes up to this one have been looked at."""
    after: str = ""
    """The last key copied, as hexadecimal text."""
    parts: int = 0


def start(
    transaction: Transaction,
    kind: str,
    source: Table | int,
    target: dict[str, Any],
    until_ms: int | None = None,
    since_ms: int | None = None,
    *,
    at_once: bool = True,
) -> None:
    """Begin to copy a table, or a backup by its id."""
    if not isinstance(source, Table):
        jobs.start(transaction, kind, asdict(Copy(target, source, None)), source, at_once=at_once)
        return
    now = streams.last_sequence(transaction)
    copy = Copy(target, source.id, source.name, until_ms, since_ms, back=None if until_ms is None else now, seen=now)
    _count_copy(transaction, source, 1)
    jobs.start(transaction, kind, asdict(copy), source.id, at_once=at_once)


def finish(transaction: Transaction, id: int, copy: Copy) -> None:
    """Let go of what only the copying needed."""
    if copy.table is None:
        return
    transaction.connection.execute(f"DROP TABLE IF EXISTS undo_{id}")
    transaction.connection.execute(f"DROP TABLE IF EXISTS window_{id}")
    table = transaction.find_table(copy.table)
    assert table is not None, "a table that is being copied cannot be deleted"
    _count_copy(transaction, table, -1)


def _count_copy(transaction: Transaction, table: Table, more: int) -> None:
    """Note in the table's record how many copies of it are under way: it logs its changes while there is one."""
    record = copying.deepcopy(table.record)
    record["Copies"] = record.get("Copies", 0) + more
    if not record["Copies"]:
        del record["Copies"]
    transaction.save_table(table.id, record)


def next_items(
    transaction: Transaction,
    id: int,
    state: State,
    write: Callable[[Transaction, Copy, list[CopiedItem]], None],
    items_max: int,
    bytes_max: int,
) -> bool:
    """Hand the next items, in key order, to `write`; tells whether those were the last."""
    copy = Copy(**state)
    done = False
    if undo_is_complete(transaction, id, copy):
        part: list[CopiedItem] = []
        done = True
        size = 0
        for looked_at, (key, item) in enumerate(_items_then(transaction, id, copy), start=1):
            copy.after = key.hex()
            if item is not None:
                part.append(item)
                size += item.size
            if looked_at == items_max or size >= bytes_max:
                done = False
                break
        copy.parts += 1
        write(transaction, copy, part)
    state.update(asdict(copy))
    return done


def undo_is_complete(transaction: Transaction, id: int, copy: Copy) -> bool:
    """Look at some more changes; tells whether there are none left to look at now."""
    if copy.table is None:
        return True
    for name in ("undo",) if copy.since_ms is None else ("undo", "window"):
        transaction.connection.execute(f"CREATE TABLE IF NOT EXISTS {name}_{id}{sql.NOTED_COLUMNS}")
    if copy.back is not None:
        _look_back(transaction, id, copy, copy.back)
        return copy.back is None
    newer = transaction.rows(
        "SELECT key, seq, time_ms FROM changes WHERE table_id = ? AND seq > ? ORDER BY seq LIMIT ?",
        (copy.source_id, copy.seen, CHANGES_PER_COMMIT),
    )
    # The first change of a key is the one whose old item counts.
    transaction.connection.executemany(f"INSERT OR IGNORE INTO undo_{id} VALUES (?, ?, ?)", newer)
    if newer:
        copy.seen = newer[-1][1]
    return len(newer) < CHANGES_PER_COMMIT


def _look_back(transaction: Transaction, id: int, copy: Copy, back: int) -> None:
    """Backwards to the last change that happened in time: a clock that once went wrong does not hide later ones."""
    assert copy.until_ms is not None
    stop_ms = copy.until_ms if copy.since_ms is None else copy.since_ms
    older = transaction.rows(
        "SELECT key, seq, time_ms FROM changes WHERE table_id = ? AND seq <= ? ORDER BY seq DESC LIMIT ?",
        (copy.source_id, back, CHANGES_PER_COMMIT),
    )
    copy.back = older[-1][1] - 1 if len(older) == CHANGES_PER_COMMIT else None
    for key, seq, time_ms in older:
        if time_ms <= stop_ms:
            copy.back = None
            return
        name = "undo" if time_ms > copy.until_ms else "window"
        # An older change takes the place of a newer one; the time stays that of the newest.
        transaction.connection.execute(
            f"INSERT INTO {name}_{id} VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET seq = excluded.seq",
            (key, seq, time_ms),
        )


def _items_then(transaction: Transaction, id: int, copy: Copy) -> _Keyed:
    """The keys beyond the last one copied, each with the item it had then."""
    after = bytes.fromhex(copy.after)
    present = _present(transaction, copy.source_id, after)
    return present if copy.table is None else _merged(present, undone(transaction, f"undo_{id}", after))


def _present(transaction: Transaction, source_id: int, after: bytes) -> _Keyed:
    cursor = transaction.connection.cursor()
    try:
        for row in cursor.execute(
            f"SELECT key, item, size, crc FROM items_{source_id} WHERE key > ? ORDER BY key", (after,)
        ):
            yield row[0], CopiedItem(*row)
    finally:
        cursor.close()


def undone(transaction: Transaction, name: str, after: bytes) -> _Keyed:
    """The keys of an undo or a window, each with the item it had before the change noted there."""
    cursor = transaction.connection.cursor()
    try:
        for row in cursor.execute(_select_noted(name) + " WHERE noted.key > ? ORDER BY noted.key", (after,)):
            change = ChangeRecord(*row)
            yield change.key, _item_before(change)
    finally:
        cursor.close()


def item_then(transaction: Transaction, id: int, copy: Copy, key: bytes) -> CopiedItem | None:
    """One key's item at the moment that is copied."""
    noted = transaction.rows(_select_noted(f"undo_{id}") + " WHERE noted.key = ?", (key,))
    if noted:
        return _item_before(ChangeRecord(*noted[0]))
    found = transaction.rows(f"SELECT key, item, size, crc FROM items_{copy.source_id} WHERE key = ?", (key,))
    return CopiedItem(*found[0]) if found else None


def _select_noted(name: str) -> str:
    return f"SELECT {COLUMNS} FROM {name} AS noted JOIN changes USING (seq)"


def _item_before(change: ChangeRecord) -> CopiedItem | None:
    """The item before a change. A damaged change gives one with a wrong checksum, so that damage is not forgotten."""
    if change.old is None and change.is_sound:
        return None
    crc = checksum(change.key, change.old or b"")
    return CopiedItem(change.key, change.old or b"", change.old_size or 0, crc if change.is_sound else ~crc)


def _merged(present: _Keyed, undone: _Keyed) -> _Keyed:
    """Both in key order; where a key is in both, the item that was there then."""
    now, then = next(present, None), next(undone, None)
    while now is not None or then is not None:
        if then is None or (now is not None and now[0] < then[0]):
            assert now is not None
            yield now
            now = next(present, None)
            continue
        yield then
        if now is not None and now[0] == then[0]:
            now = next(present, None)
        then = next(undone, None)
