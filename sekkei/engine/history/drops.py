"""Dropping a table's items or an index's entries: a small one at once, a large one in parts, by a job.

To drop a gigabyte takes seconds in which nobody else could write.
"""

from __future__ import annotations

from time import perf_counter

from sekkei.engine.history import jobs
from sekkei.engine.history.jobs import JobFailed, Memory, State
from sekkei.engine.storage.transaction import PART_SECONDS, Transaction

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
    jobs.start(transaction, "drop", {"name": f"{kind}_{id}", "key": key}, at_once=False)


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


jobs.KINDS["drop"] = jobs.JobKind(_part, _finish)
