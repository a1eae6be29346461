"""What is done between batches, by the clock: items that have expired, records that no reader may use any more.

Each step does a bounded amount of work in the commit it is part of. Everything is decided by the content of the file in
that commit, so several processes may keep one file in order at the same time. Time to live is a hidden index in the
order of expiry, filled in parts.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
from collections.abc import Callable
from time import perf_counter

import orjson

from sekkei.engine.history import backups, jobs, streams
from sekkei.engine.storage import documents, sql
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.documents import TOKEN_SECONDS
from sekkei.engine.storage.snapshot import Catalogue
from sekkei.engine.storage.transaction import PART_SECONDS, TTL_KEY_BYTES, Part, Transaction, ttl_key
from sekkei.engine.storage.writer import Writer

BACKFILL_ITEMS = 2_000
_DELETES_PER_COMMIT = 100
OLDEST_SECONDS = 5 * 365 * 24 * 3600
"""An item whose time is further past than five years is taken for a mistake and kept."""


def enable(transaction: Transaction, table: Table, attribute: str) -> None:
    record = copy.deepcopy(table.record)
    index_id = transaction.take_id()
    transaction.create_index(index_id)
    record["TimeToLive"] = {"AttributeName": attribute, "id": index_id, "Backfilling": True}
    transaction.save_table(table.id, record)
    _backfill(transaction, table.name, index_id, b"")


def disable(transaction: Transaction, table: Table) -> None:
    assert table.ttl_index_id is not None
    record = copy.deepcopy(table.record)
    del record["TimeToLive"]
    jobs.drop_index(transaction, table.ttl_index_id, is_read=False)
    transaction.save_table(table.id, record)


def _backfill(transaction: Transaction, name: str, index_id: int, after: bytes) -> None:
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
        transaction.afterwards(lambda later: _backfill(later, name, index_id, part.last))
        return
    record = copy.deepcopy(table.record)
    del record["TimeToLive"]["Backfilling"]
    transaction.save_table(table.id, record)


def resume_backfills(catalogue: Catalogue, writer: Writer) -> None:
    """A backfill that was cut short starts anew; entries that are there stay."""
    for table in catalogue.tables.values():
        if table.record.get("TimeToLive", {}).get("Backfilling"):
            assert table.ttl_index_id is not None
            writer.schedule(functools.partial(_backfill, name=table.name, index_id=table.ttl_index_id, after=b""))


def _delete_expired(transaction: Transaction, limit: int) -> int:
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


ROWS_PER_COMMIT = 2_000
ROWS_AT_A_TIME = 50
_DOCUMENT_SECONDS = 90 * 24 * 3600
"""How long exports and imports are remembered."""


def is_needed(catalogue: Catalogue) -> bool:
    """Whether any table has something that ends with time."""
    return any(table.ttl_index_id is not None or table.logs_changes for table in catalogue.tables.values())


def run(transaction: Transaction, deletes_left: int | None = None) -> None:
    """One round: a step now, and the next ones in later commits until nothing is left to do."""
    left = transaction.settings.ttl_deletes_max if deletes_left is None else deletes_left
    deleted = _delete_expired(transaction, min(left, _DELETES_PER_COMMIT))
    more = deleted == _DELETES_PER_COMMIT and deleted < left
    if _tidy(transaction) or more:
        transaction.afterwards(functools.partial(run, deletes_left=left - deleted))


def step(transaction: Transaction) -> bool:
    """As much as one commit should hold; tells whether there is more."""
    deleted = _delete_expired(transaction, _DELETES_PER_COMMIT)
    return _tidy(transaction) or deleted == _DELETES_PER_COMMIT


def _tidy(transaction: Transaction) -> bool:
    """Let go of what is too old; tells whether there is more."""
    tasks: tuple[Callable[[Transaction], bool], ...] = (
        _trim_streams,
        _trim_changes,
        _forget_tokens,
        _forget_backups,
        _forget_documents,
    )
    for id in jobs.stalled(transaction):
        jobs.advance(transaction, id)
    more = False
    for task in tasks:
        more = task(transaction) or more
    return more


def _trim_streams(transaction: Transaction) -> bool:
    """Move the beginning of each stream up to its first record that is younger than a day."""
    horizon = streams.horizon_ms(transaction)
    more = False
    gone = transaction.rows("DELETE FROM streams WHERE closed_ms <= ? RETURNING id", (horizon,))
    transaction.wrote |= bool(gone)
    for stream in streams.all_streams(transaction):
        old = _older_than(transaction, stream.table_id, stream.first_seq, horizon)
        if old:
            streams.save(transaction, dataclasses.replace(stream, first_seq=old[-1] + 1))
            more = more or len(old) == ROWS_PER_COMMIT
    return more


def _trim_changes(transaction: Transaction) -> bool:
    """Delete the change records that neither a stream nor point-in-time recovery needs."""
    tables = {table.id: table for table in transaction.catalogue.tables.values()}
    streamed = {stream.table_id for stream in streams.all_streams(transaction)}
    more = False
    for table_id in _tables_with_changes(transaction):
        horizon = _needed_since_ms(transaction, tables.get(table_id), table_id in streamed)
        old = _older_than(transaction, table_id, 0, horizon)
        if old:
            transaction.wrote = True
            more = not _delete_changes(transaction, table_id, old) or more or len(old) == ROWS_PER_COMMIT
    return more


def _delete_changes(transaction: Transaction, table_id: int, seqs: list[int]) -> bool:
    """Delete the first changes of a table; tells whether there was time for all of them."""
    until = perf_counter() + PART_SECONDS
    for start in range(0, len(seqs), ROWS_AT_A_TIME):
        if start and perf_counter() > until:
            return False
        transaction.connection.execute(
            "DELETE FROM changes WHERE seq IN (SELECT seq FROM changes WHERE table_id = ? AND seq <= ?)",
            (table_id, seqs[start : start + ROWS_AT_A_TIME][-1]),
        )
    return True


def _needed_since_ms(transaction: Transaction, table: Table | None, is_streamed: bool) -> int:
    moments = [transaction.now]
    if is_streamed:
        moments.append(transaction.now - streams.RETENTION_SECONDS)
    if table is not None and "PointInTimeRecovery" in table.record:
        moments.append(backups.since(table.record["PointInTimeRecovery"], transaction.now))
    if table is not None and table.record.get("Copies"):
        moments.append(0.0)
    return int(min(moments) * 1000)


def _tables_with_changes(transaction: Transaction) -> list[int]:
    """Each id by one look into the index, instead of a walk over all changes."""
    ids: list[int] = []
    while True:
        found = transaction.connection.execute(
            "SELECT table_id FROM changes WHERE table_id > ? ORDER BY table_id LIMIT 1", (ids[-1] if ids else -1,)
        ).get
        if found is None:
            return ids
        ids.append(found)


def _older_than(transaction: Transaction, table_id: int, first: int, horizon_ms: int) -> list[int]:
    """The first changes up to the last one that is not younger; one from a clock that was fast goes with the rest."""
    rows = transaction.rows(
        "SELECT seq, time_ms FROM changes WHERE table_id = ? AND seq >= ? ORDER BY seq LIMIT ?",
        (table_id, first, ROWS_PER_COMMIT),
    )
    last = max((index for index, (_, time_ms) in enumerate(rows) if time_ms <= horizon_ms), default=-1)
    return [seq for seq, _ in rows[: last + 1]]


def _forget_tokens(transaction: Transaction) -> bool:
    # Tokens lie in the order in which they came, so the oldest are the first.
    expired = transaction.rows(
        "DELETE FROM tokens WHERE rowid IN (SELECT rowid FROM tokens ORDER BY rowid LIMIT ?) AND time_ms <= ? "
        "RETURNING rowid",
        (ROWS_PER_COMMIT, int((transaction.now - TOKEN_SECONDS) * 1000)),
    )
    transaction.wrote |= bool(expired)
    return len(expired) == ROWS_PER_COMMIT


def _forget_backups(transaction: Transaction) -> bool:
    """Delete a backup whose time is over, unless something is being restored from it."""
    for backup in backups.all_backups(transaction):
        expires = backup.record.get("BackupExpiryDateTime", transaction.now + 1)
        if expires <= transaction.now and not jobs.is_source(transaction, backup.id):
            backups.delete(transaction, backup)
            return True
    return False


def _forget_documents(transaction: Transaction) -> bool:
    since = transaction.now - _DOCUMENT_SECONDS
    for kind in ("export", "import"):
        for id, document in documents.all_of(transaction, kind):
            if document.get("EndTime", transaction.now) <= since:
                documents.delete(transaction, kind, id)
    return False
