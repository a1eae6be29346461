"""A table's stream: opened, closed, found again by its ARN, its one shard and the iterators over it.

The records themselves are the table's rows in `changes`; a stream is a range of them with a view. `first_seq` moves up
as records get older than a day, so what lies before it has been trimmed. The changes of a single item reach as far as
the table's log: a stream keeps it for a day and point-in-time recovery for up to 35 days.
"""

from __future__ import annotations

import base64
import binascii
import datetime
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from zlib import crc32

import orjson

from sekkei.engine.items import values
from sekkei.engine.storage.snapshot import Snapshot, seal, unseal
from sekkei.engine.storage.transaction import COLUMNS, ChangeRecord, Transaction
from sekkei.engine.validation import against_table
from sekkei.errors import (
    ExpiredIteratorException,
    ResourceNotFoundException,
    TrimmedDataAccessException,
    ValidationException,
)

_Record = dict[str, Any]

RETENTION_SECONDS = 24 * 3600
_SEQUENCE_BASE = 10**20
"""Added to a change's number, so that sequence numbers are all 21 digits long and sort as text too."""
SEQ_MAX = 2**63 - 1

_SELECT = "SELECT id, table_id, arn, first_seq, last_seq, closed_ms, record FROM streams"


@dataclass(frozen=True, slots=True)
class Stream:
    """One stream as the file has it."""

    id: int
    table_id: int
    arn: str
    record: _Record
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


def open_stream(transaction: Transaction, table_id: int, record: _Record) -> None:
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
    return str(_SEQUENCE_BASE + seq)


def seq_of(sequence_number: str) -> int:
    if not (sequence_number.isascii() and sequence_number.isdigit()):
        raise ValidationException(f"Invalid SequenceNumber: {sequence_number}")
    seq = int(sequence_number) - _SEQUENCE_BASE
    if not 0 <= seq < SEQ_MAX:
        raise ValidationException(f"Invalid SequenceNumber: {sequence_number}")
    return seq


_LIFETIME_SECONDS = 15 * 60
_PACKED = struct.Struct(">QQQ")
_CRC = struct.Struct(">I")


class _ShardIterator(NamedTuple):
    """The next change to read, of one stream; good for a quarter of an hour."""

    stream_id: int
    position: int
    issued_ms: int

    def text(self, stream: Stream) -> str:
        packed = _PACKED.pack(*self)
        return f"{stream.arn}|1|{base64.b64encode(packed + _CRC.pack(crc32(packed))).decode()}"


def at(snapshot: Snapshot, stream: Stream, position: int) -> str:
    return _ShardIterator(stream.id, position, int(snapshot.clock.now() * 1000)).text(stream)


def read(snapshot: Snapshot, text: str) -> _ShardIterator:
    try:
        raw = base64.b64decode(text.rpartition("|")[2], validate=True)
        packed, (crc,) = raw[: _PACKED.size], _CRC.unpack(raw[_PACKED.size :])
        if crc32(packed) != crc:
            raise ValueError
        iterator = _ShardIterator(*_PACKED.unpack(packed))
    except (binascii.Error, struct.error, ValueError):
        raise ValidationException("Invalid ShardIterator") from None
    if iterator.issued_ms < (snapshot.clock.now() - _LIFETIME_SECONDS) * 1000:
        raise ExpiredIteratorException("Iterator expired. Iterators are valid for 15 minutes; get a new one.")
    return iterator


def oldest(snapshot: Snapshot, stream: Stream) -> int:
    """TRIM_HORIZON: the oldest record that has not been trimmed, or the place of the next one to come."""
    return first_since(snapshot, stream, horizon_ms(snapshot) + 1)


def first_since(snapshot: Snapshot, stream: Stream, time_ms: int) -> int:
    """The first record of a time or later; the place of the next one to come when there is none."""
    found = snapshot.connection.execute(
        "SELECT seq FROM changes WHERE table_id = ? AND seq BETWEEN ? AND ? AND time_ms >= ? ORDER BY seq LIMIT 1",
        (stream.table_id, stream.first_seq, stream.end, time_ms),
    ).get
    return newest(snapshot, stream) if found is None else found


def newest(snapshot: Snapshot, stream: Stream) -> int:
    """LATEST: just after the newest record."""
    return min(last_sequence(snapshot), stream.end) + 1


def check_not_trimmed(snapshot: Snapshot, stream: Stream, position: int) -> None:
    """Raise if a record at or after the position is no longer there: whoever read on would miss it."""
    first_time = snapshot.connection.execute(
        "SELECT time_ms FROM changes WHERE table_id = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT 1",
        (stream.table_id, position, stream.end),
    ).get
    expired = first_time is not None and first_time <= horizon_ms(snapshot)
    if position < stream.first_seq or expired:
        raise TrimmedDataAccessException("The operation attempted to read past the oldest stream record in a shard.")


ROWS_AT_ONCE = 2_000
"""Changes of the table that one call looks through, some milliseconds' worth."""


def changes_of(
    snapshot: Snapshot, name: str, key: Mapping[str, Any], before: int | None = None
) -> tuple[list[_Record], int | None]:
    """Records as a stream has them, the newest first; and where to look on, None at the beginning of the log."""
    # The changes of a deleted table outlive it, and would be taken for those of a new one of its name.
    snapshot.catalogue.refresh(snapshot.connection)
    table = snapshot.table(name)
    wanted = against_table.key_bytes(table, values.normalised_item(dict(key)))
    start = SEQ_MAX if before is None else before
    rows = snapshot.rows(
        "SELECT min(seq), count(*) FROM "
        "(SELECT seq FROM changes WHERE table_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?)",
        (table.id, start, ROWS_AT_ONCE),
    )
    first, count = rows[0]
    if first is None:
        return [], None
    found = snapshot.rows(
        f"SELECT {COLUMNS} FROM changes WHERE table_id = ? AND seq >= ? AND seq < ? AND key = ? ORDER BY seq DESC",
        (table.id, first, start, wanted),
    )
    return [_record(ChangeRecord(*row)) for row in found], first if count == ROWS_AT_ONCE else None


def _record(change: ChangeRecord) -> _Record:
    body: _Record = {
        "Keys": orjson.loads(change.keys),
        "SequenceNumber": sequence_number(change.seq),
        "ApproximateCreationDateTime": change.time_ms / 1000,
    }
    for name, image in (("OldImage", change.old), ("NewImage", change.new)):
        if image is not None:
            body[name] = orjson.loads(image)
    by = {"userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"}} if change.by_ttl else {}
    return {"eventName": change.event, "dynamodb": body, **by}
