"""A table's stream: opened, closed, found again by its ARN, and the one shard it has.

The records themselves are the table's rows in `changes`; a stream is a range of them with a view. `first_seq` moves up
as records get older than a day, so what lies before it has been trimmed.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

from sekkei.engine.storage.sealed import seal, unseal
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.errors import ResourceNotFoundException, ValidationException

Record = dict[str, Any]

RETENTION_SECONDS = 24 * 3600
SEQUENCE_BASE = 10**20
"""Added to a change's number, so that sequence numbers are all 21 digits long and sort as text too."""
SEQ_MAX = 2**63 - 1

_SELECT = "SELECT id, table_id, arn, first_seq, last_seq, closed_ms, record FROM streams"


@dataclass(frozen=True, slots=True)
class Stream:
    """One stream as the file has it."""

    id: int
    table_id: int
    arn: str
    record: Record
    first_seq: int
    last_seq: int | None
    """The last change of a closed stream; None while it is open."""
    closed_ms: int | None

    @property
    def is_open(self) -> bool:
        return self.last_seq is None

    @property
    def end(self) -> int:
        """The highest number a change of this stream can have."""
        return SEQ_MAX if self.last_seq is None else self.last_seq

    @property
    def shard_id(self) -> str:
        created_ms = int(self.record["CreationRequestDateTime"] * 1000)
        return f"shardId-{created_ms:020d}-{crc32(self.arn.encode()):08x}"


def open_stream(transaction: Transaction, table_id: int, record: Record) -> None:
    """Give the table's record a stream that begins with the next change."""
    label, arn = _free_label(transaction, record["TableArn"])
    record["LatestStreamLabel"] = label
    record["LatestStreamArn"] = arn
    description = {
        "TableName": record["TableName"],
        "StreamLabel": label,
        "StreamArn": arn,
        "StreamViewType": record["StreamSpecification"]["StreamViewType"],
        "KeySchema": record["KeySchema"],
        "CreationRequestDateTime": round(transaction.now, 3),
    }
    first_seq = last_sequence(transaction) + 1
    save(transaction, Stream(transaction.take_id(), table_id, arn, description, first_seq, None, None))


def save(transaction: Transaction, stream: Stream) -> None:
    row = (stream.id, stream.table_id, stream.arn, stream.first_seq, stream.last_seq, stream.closed_ms)
    transaction.wrote = True
    transaction.connection.execute(
        "INSERT OR REPLACE INTO streams(id, table_id, arn, first_seq, last_seq, closed_ms, record) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*row, seal(stream.record, "stream", *row)),
    )


def _free_label(transaction: Transaction, table_arn: str) -> tuple[str, str]:
    """The moment as a label; a later one when a table had a stream in the same millisecond."""
    moment = datetime.datetime.fromtimestamp(transaction.now, datetime.UTC)
    while True:
        label = moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}"
        arn = f"{table_arn}/stream/{label}"
        if not transaction.rows("SELECT 1 FROM streams WHERE arn = ?", (arn,)):
            return label, arn
        moment += datetime.timedelta(milliseconds=1)


def close_stream(transaction: Transaction, table_id: int) -> None:
    """Close the table's open stream; its records can be read until they are a day old."""
    closed_ms = int(transaction.now * 1000)
    for row in transaction.rows(f"{_SELECT} WHERE table_id = ? AND closed_ms IS NULL", (table_id,)):
        stream = _stream(row)
        save(transaction, replace(stream, last_seq=last_sequence(transaction), closed_ms=closed_ms))


def last_sequence(snapshot: Snapshot) -> int:
    """The newest change of all tables; kept by SQLite even when old changes are trimmed away."""
    return snapshot.connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'changes'").get or 0


def horizon_ms(snapshot: Snapshot) -> int:
    """Records from before this moment have been trimmed, whether or not they are still in the file."""
    return int((snapshot.clock.now() - RETENTION_SECONDS) * 1000)


def all_streams(snapshot: Snapshot) -> list[Stream]:
    """Every stream that is open or was until a day ago, in the order of their ARNs."""
    rows = snapshot.rows(f"{_SELECT} WHERE closed_ms IS NULL OR closed_ms > ? ORDER BY arn", (horizon_ms(snapshot),))
    return [_stream(row) for row in rows]


def every_stream(snapshot: Snapshot) -> list[Stream]:
    """Those of days gone by too, as long as the file has them."""
    return [_stream(row) for row in snapshot.rows(_SELECT)]


def find_stream(snapshot: Snapshot, arn: str) -> Stream:
    stream = _find(snapshot, "arn", arn)
    if stream is None:
        raise ResourceNotFoundException(f"Requested resource not found: Stream: {arn} not found")
    return stream


def find_stream_by_id(snapshot: Snapshot, id: int) -> Stream:
    stream = _find(snapshot, "id", id)
    if stream is None:
        raise ResourceNotFoundException("Requested resource not found: Shard does not exist")
    return stream


def _find(snapshot: Snapshot, column: str, value: object) -> Stream | None:
    rows = snapshot.rows(
        f"{_SELECT} WHERE {column} = ? AND (closed_ms IS NULL OR closed_ms > ?)", (value, horizon_ms(snapshot))
    )
    return _stream(rows[0]) if rows else None


def _stream(row: tuple[Any, ...]) -> Stream:
    id, table_id, arn, first_seq, last_seq, closed_ms, record = row
    return Stream(id, table_id, arn, unseal(record, "stream", *row[:-1]), first_seq, last_seq, closed_ms)


def sequence_number(seq: int) -> str:
    return str(SEQUENCE_BASE + seq)


def seq_of(sequence_number: str) -> int:
    if not (sequence_number.isascii() and sequence_number.isdigit()):
        raise ValidationException(f"Invalid SequenceNumber: {sequence_number}")
    seq = int(sequence_number) - SEQUENCE_BASE
    if not 0 <= seq < SEQ_MAX:
        raise ValidationException(f"Invalid SequenceNumber: {sequence_number}")
    return seq
