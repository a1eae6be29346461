"""Work that takes many commits: a part in each, so that it never stands in the way of writes for long.

How far a job has come is written in the commit of each part. A job that was cut short goes on where it was, in
whichever process has the file open; two processes that advance the same job take turns and do no harm.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sekkei.engine.storage.sealed import seal, unseal
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.storage.writer import Writer

STALLED_SECONDS = 60

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
    since = int((transaction.now - STALLED_SECONDS) * 1000)
    return [id for (id,) in transaction.connection.execute("SELECT id FROM jobs WHERE touched_ms <= ?", (since,))]


def resume(snapshot: Snapshot, writer: Writer) -> None:
    """Go on with the jobs that were under way when the file was last closed."""
    for (id,) in snapshot.rows("SELECT id FROM jobs"):
        writer.schedule(functools.partial(advance, id=id))
