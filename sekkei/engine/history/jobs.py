"""Work that takes many commits: a part in each, so that it never stands in the way of writes for long.

How far a job has come is written in the commit of each part. A job that was cut short goes on where it was, in
whichever process has the file open; two processes that advance the same job alternate and do no harm. Jobs drop the
items of a large table or the entries of an index (a gigabyte takes seconds in which no other write could run), and
fill a new index with the items that were there before it.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from sekkei.engine.storage.snapshot import Catalogue, Snapshot, seal, unseal
from sekkei.engine.storage.transaction import PART_SECONDS, Transaction
from sekkei.engine.storage.writer import Writer

_STALLED_SECONDS = 60

State = dict[str, Any]
Memory = dict[str, Any]
"""What a part leaves for the next one in this process, such as an open file. It may be gone, or ahead of the state."""


class JobFailed(Exception):
    """A job cannot go on, now or later."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class JobKind:
    part: Callable[[Transaction, int, State, Memory], bool]
    """Do the next part and note in the state how far it went; tells whether that was the last."""
    finish: Callable[[Transaction, int, State, JobFailed | None], None]
    """What remains to be done after the last part, or when a part has failed for good."""


KINDS: dict[str, JobKind] = {}
"""Each kind is entered by the module that knows it."""


def start(
    transaction: Transaction, kind: str, state: State, source_id: int | None = None, *, at_once: bool = True
) -> None:
    """Begin a job. A small one that may begin at once is done in this very commit."""
    id = transaction.take_id()
    transaction.connection.execute(
        "INSERT INTO jobs(id, kind, source_id, state, touched_ms) VALUES (?, ?, ?, ?, ?)",
        (id, kind, source_id, seal(state, kind, id), int(transaction.now * 1000)),
    )
    if at_once:
        advance(transaction, id)
    else:
        transaction.afterwards(functools.partial(advance, id=id))


def advance(transaction: Transaction, id: int, memory: Memory | None = None) -> None:
    """Do the next part; the rest follows in later commits."""
    memory = {} if memory is None else memory
    rows = transaction.rows("SELECT kind, state FROM jobs WHERE id = ?", (id,))
    if not rows:
        return
    name, blob = rows[0]
    kind, state = KINDS[name], unseal(blob, name, id)
    transaction.wrote = True
    failure = None
    try:
        done = kind.part(transaction, id, state, memory)
    except JobFailed as error:
        done, failure = True, error
    if done:
        transaction.connection.execute("DELETE FROM jobs WHERE id = ?", (id,))
        kind.finish(transaction, id, state, failure)
        return
    transaction.connection.execute(
        "UPDATE jobs SET state = ?, touched_ms = ? WHERE id = ?",
        (seal(state, name, id), int(transaction.now * 1000), id),
    )
    transaction.afterwards(functools.partial(advance, id=id, memory=memory))


def is_source(snapshot: Snapshot, source_id: int) -> bool:
    """Whether a job reads from this table or backup."""
    return bool(snapshot.rows("SELECT 1 FROM jobs WHERE source_id = ? LIMIT 1", (source_id,)))


def stalled(transaction: Transaction) -> list[int]:
    """Jobs that nobody has advanced for a while: the process that did has gone, or the disk was full."""
    since = int((transaction.now - _STALLED_SECONDS) * 1000)
    return [id for (id,) in transaction.connection.execute("SELECT id FROM jobs WHERE touched_ms <= ?", (since,))]


def resume(snapshot: Snapshot, writer: Writer) -> None:
    """Go on with the jobs that were under way when the file was last closed."""
    for (id,) in snapshot.rows("SELECT id FROM jobs"):
        writer.schedule(functools.partial(advance, id=id))


AT_ONCE_ITEMS = 2_000
AT_ONCE_BYTES = 4 * 1024 * 1024
ROWS_AT_A_TIME = 50


def drop_items(transaction: Transaction, id: int) -> None:
    _drop(transaction, "items", "row", id, is_read=True)


def drop_index(transaction: Transaction, id: int, *, is_read: bool = True) -> None:
    """An index that goes with its table `is_read` by nobody: whoever reads by it reads the table's items too."""
    _drop(transaction, "index", "key, base", id, is_read)


def _drop(transaction: Transaction, kind: str, key: str, id: int, is_read: bool) -> None:
    transaction.flush_statistics()
    items, size = transaction.statistics(id)
    if items <= AT_ONCE_ITEMS and size <= AT_ONCE_BYTES:
        transaction.drop(f"DROP TABLE {kind}_{id}", id)
        return
    if is_read:
        id = transaction.hide(kind, id)
    transaction.forget_statistics(id)
    start(transaction, "drop", {"name": f"{kind}_{id}", "key": key}, at_once=False)


def _part(transaction: Transaction, id: int, state: State, memory: Memory) -> bool:
    name, key = state["name"], state["key"]
    until = perf_counter() + PART_SECONDS
    while True:
        edge = transaction.rows(f"SELECT {key} FROM {name} ORDER BY {key} LIMIT 1 OFFSET {ROWS_AT_A_TIME}")
        if not edge:
            return True
        places = ", ".join("?" * len(edge[0]))
        transaction.connection.execute(f"DELETE FROM {name} WHERE ({key}) < ({places})", tuple(edge[0]))
        if perf_counter() >= until:
            return False


def _finish(transaction: Transaction, id: int, state: State, failure: JobFailed | None) -> None:
    transaction.connection.execute(f"DROP TABLE {state['name']}")


KINDS["drop"] = JobKind(_part, _finish)


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
