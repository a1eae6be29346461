"""How far acknowledged history goes, written down beside the file.

SQLite reads its log up to the first frame that does not check out, and takes the rest for the torn tail of a crash.
It cannot tell a torn tail from damage; a record of acknowledged commits can. So each commit raises a counter inside the
file, and after the commit has been synced the counter goes into FILE-acknowledged. A file whose counter is lower has
lost acknowledged writes.

The record is not synced itself. After `kill -9` it is there; after a power cut it may be a little behind, never ahead.
"""

from __future__ import annotations

import contextlib
import os
import struct
from typing import Any
from zlib import crc32

import apsw

from sekkei.engine.storage import sql

SUFFIX = "-acknowledged"
_BODY = struct.Struct("<8sqq")
_CRC = struct.Struct("<I")
_MAGIC = b"SEKKEI-1"
_SIZE = _BODY.size + _CRC.size


def new_store() -> int:
    """A number for a store that has none yet."""
    return int.from_bytes(os.urandom(7))


def place(path: str) -> str:
    return f"{path}{SUFFIX}"


class Acknowledged:
    """The record as the writer keeps it."""

    def __init__(self, path: str) -> None:
        self._file = os.open(place(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def note(self, store: int, commits: int) -> None:
        """After the commit. Another process may have been quicker with a later one; then its record stays."""
        known = _parsed(os.pread(self._file, _SIZE, 0))
        if known is None or known[0] != store or known[1] < commits:
            body = _BODY.pack(_MAGIC, store, commits)
            # The commit is done, whatever becomes of the record; an older one is still true.
            with contextlib.suppress(OSError):
                os.pwrite(self._file, body + _CRC.pack(crc32(body)), 0)

    def close(self) -> None:
        os.close(self._file)


def lost(connection: apsw.Connection, path: str) -> int:
    """How many acknowledged commits the file lacks; 0 when all are there or nothing is known."""
    # The record first: a commit in between makes the file's counter higher, not lower.
    known = _read(path)
    if known is None:
        return 0
    rows: list[Any] = connection.execute(sql.READ_COMMITS).fetchall()
    if not rows:
        # A file without a counter that is this store's has lost the very first commit.
        return known[1] if not connection.execute(sql.READ_TABLES).fetchall() else 0
    commits, store = rows[0]
    return max(0, known[1] - int(commits)) if store == known[0] else 0


def forget(path: str) -> None:
    """Before another file takes this one's place."""
    try:
        os.unlink(place(path))
    except FileNotFoundError:
        pass


def _read(path: str) -> tuple[int, int] | None:
    try:
        with open(place(path), "rb") as opened:
            return _parsed(opened.read(_SIZE))
    except OSError:
        return None


def _parsed(content: bytes) -> tuple[int, int] | None:
    """Store and counter; None when the record is not there or not whole."""
    if len(content) != _SIZE or _CRC.unpack_from(content, _BODY.size)[0] != crc32(content[: _BODY.size]):
        return None
    magic, store, commits = _BODY.unpack_from(content)
    return (store, commits) if magic == _MAGIC else None
