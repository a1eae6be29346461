"""One row of the change log: what happened to an item, with the images that a stream or recovery needs."""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32


class ChangeRecord(NamedTuple):
    """The columns of `changes`."""

    seq: int
    table_id: int
    time_ms: int
    event: str
    by_ttl: int
    key: bytes
    keys: bytes
    old: bytes | None
    old_size: int | None
    new: bytes | None
    new_size: int | None
    crc: int

    @property
    def is_sound(self) -> bool:
        return checksum(*self[1:-1]) == self.crc


COLUMNS = ", ".join(f"changes.{name}" for name in ChangeRecord._fields)


def checksum(
    table_id: int,
    time_ms: int,
    event: str,
    by_ttl: int,
    key: bytes,
    keys: bytes,
    old: bytes | None,
    old_size: int | None,
    new: bytes | None,
    new_size: int | None,
) -> int:
    """Over all of a row but its number, which nobody knows before it is written."""
    if (old is None) != (old_size is None) or (new is None) != (new_size is None):
        return -1  # damage: an image has a size
    head = f"{table_id} {time_ms} {event} {by_ttl} {old_size} {new_size}".encode()
    old, new = b"" if old is None else old, b"" if new is None else new
    try:
        return crc32(new, crc32(old, crc32(keys, crc32(key, crc32(head)))))
    except TypeError:
        # Damage can turn bytes into something else, which matches no checksum.
        return -1
