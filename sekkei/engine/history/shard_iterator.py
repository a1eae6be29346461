"""A place in a stream's shard, as the opaque text that GetShardIterator and GetRecords hand out."""

from __future__ import annotations

import base64
import binascii
import struct
from typing import NamedTuple
from zlib import crc32

from sekkei.engine.history import streams
from sekkei.engine.history.streams import Stream
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.errors import ExpiredIteratorException, TrimmedDataAccessException, ValidationException

LIFETIME_SECONDS = 15 * 60
_PACKED = struct.Struct(">QQQ")
_CRC = struct.Struct(">I")


class ShardIterator(NamedTuple):
    """The next change to read, of one stream; good for a quarter of an hour."""

    stream_id: int
    position: int
    issued_ms: int

    def text(self, stream: Stream) -> str:
        packed = _PACKED.pack(*self)
        return f"{stream.arn}|1|{base64.b64encode(packed + _CRC.pack(crc32(packed))).decode()}"


def at(snapshot: Snapshot, stream: Stream, position: int) -> str:
    return ShardIterator(stream.id, position, int(snapshot.clock.now() * 1000)).text(stream)


def read(snapshot: Snapshot, text: str) -> ShardIterator:
    try:
        raw = base64.b64decode(text.rpartition("|")[2], validate=True)
        packed, (crc,) = raw[: _PACKED.size], _CRC.unpack(raw[_PACKED.size :])
        if crc32(packed) != crc:
            raise ValueError
        iterator = ShardIterator(*_PACKED.unpack(packed))
    except (binascii.Error, struct.error, ValueError):
        raise ValidationException("Invalid ShardIterator") from None
    if iterator.issued_ms < (snapshot.clock.now() - LIFETIME_SECONDS) * 1000:
        raise ExpiredIteratorException("Iterator expired. Iterators are valid for 15 minutes; get a new one.")
    return iterator


def oldest(snapshot: Snapshot, stream: Stream) -> int:
    """TRIM_HORIZON: the oldest record that has not been trimmed, or the place of the next one to come."""
    return first_since(snapshot, stream, streams.horizon_ms(snapshot) + 1)


def first_since(snapshot: Snapshot, stream: Stream, time_ms: int) -> int:
    """The first record of a time or later; the place of the next one to come when there is none."""
    found = snapshot.connection.execute(
        "SELECT seq FROM changes WHERE table_id = ? AND seq BETWEEN ? AND ? AND time_ms >= ? ORDER BY seq LIMIT 1",
        (stream.table_id, stream.first_seq, stream.end, time_ms),
    ).get
    return newest(snapshot, stream) if found is None else found


def newest(snapshot: Snapshot, stream: Stream) -> int:
    """LATEST: just after the newest record."""
    return min(streams.last_sequence(snapshot), stream.end) + 1


def check_not_trimmed(snapshot: Snapshot, stream: Stream, position: int) -> None:
    """Raise if a record at or after the position is no longer there: whoever read on would miss it."""
    first_time = snapshot.connection.execute(
        "SELECT time_ms FROM changes WHERE table_id = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT 1",
        (stream.table_id, position, stream.end),
    ).get
    expired = first_time is not None and first_time <= streams.horizon_ms(snapshot)
    if position < stream.first_seq or expired:
        raise TrimmedDataAccessException("The operation attempted to read past the oldest stream record in a shard.")
