"""SQLite's log, read as bytes: which frames are whole, and whether a bad one is a torn tail or damage.

A frame is a page with a header: the page's number, the database's size if the frame ends a commit, the log's two salts,
and a checksum that goes on from the frame before. A crash can leave frames of one commit that is not whole, at the end.
Whole commits beyond a bad frame mean that it was whole once: a commit is begun only after the one before it is synced.
The format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import apsw

HEADER_BYTES = 32
FRAME_HEADER_BYTES = 24
_MAGIC = 0x377F0682
_WORD = 0xFFFFFFFF

_State = tuple[int, int]
"""A running checksum."""


@dataclass(frozen=True, slots=True)
class Frame:
    number: int
    """From 1 on."""
    page: int
    pages: int
    """The database's size after the commit that this frame ends; 0 within a commit."""
    salts: bytes
    stored: _State
    computed_from_stored: bool
    """Whether it follows from the frame before it, as that one is stored."""
    content: bytes


def added(state: _State, data: bytes, big_endian: bool) -> _State:
    first, second = state
    words = struct.unpack(f"{'>' if big_endian else '<'}{len(data) // 4}I", data)
    for one, two in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & _WORD
        second = (second + two + first) & _WORD
    return first, second


@dataclass(frozen=True, slots=True)
class Header:
    page_size: int
    big_endian: bool
    salts: bytes
    state: _State
    is_sound: bool

    @classmethod
    def of(cls, head: bytes, page_size: int | None = None) -> Header | None:
        """The log's header; None when there is no log. With damage to it, what can be known from elsewhere."""
        if len(head) < HEADER_BYTES:
            return None
        magic, _, size, _, _, _, first, second = struct.unpack(">8I", head[:HEADER_BYTES])
        big_endian = bool(magic & 1)
        state = added((0, 0), head[:24], big_endian)
        is_sound = magic & ~1 == _MAGIC and state == (first, second)
        return cls(size if is_sound else page_size or size, big_endian, head[16:24], (first, second), is_sound)


def frames(log: Path, header: Header, first: int = 1) -> Iterator[Frame]:
    """Frames of this run of the log from the `first` on, whole or not, up to one that is of an earlier run."""
    size = FRAME_HEADER_BYTES + header.page_size
    with open(log, "rb") as opened:
        before = header.state
        if first > 1:
            opened.seek(HEADER_BYTES + (first - 2) * size)
            before = _stored(opened.read(FRAME_HEADER_BYTES))
        opened.seek(HEADER_BYTES + (first - 1) * size)
        number = first
        while len(data := opened.read(size)) == size:
            page, pages = struct.unpack_from(">2I", data)
            follows = added(before, data[:8] + data[FRAME_HEADER_BYTES:], header.big_endian)
            before = _stored(data)
            yield Frame(number, page, pages, data[8:16], before, follows == before, data[FRAME_HEADER_BYTES:])
            number += 1


def _stored(data: bytes) -> _State:
    first, second = struct.unpack_from(">2I", data, 16)
    return first, second


def damaged_frame(connection: apsw.Connection, path: str) -> int | None:
    """The first bad frame of a log in which whole commits follow it; None when all is well, or the tail is torn.

    SQLite says how far it can read. Others may be writing meanwhile; a log that was begun anew while it was read is
    looked at again. Only the log is opened here, on which SQLite has no locks: when a process closes a file, all its
    locks on it are gone.
    """
    log = Path(f"{path}-wal")
    while True:
        header = _header(log)
        found = None if header is None else _damaged_frame(connection, log, header)
        if found is None or header == _header(log):
            return found


def _header(log: Path) -> Header | None:
    try:
        with open(log, "rb") as opened:
            return Header.of(opened.read(HEADER_BYTES))
    except OSError:
        return None


def _damaged_frame(connection: apsw.Connection, log: Path, header: Header) -> int | None:
    if not header.is_sound:
        return 0 if os.path.getsize(log) > HEADER_BYTES and _header_was_whole(connection, log) else None
    read_to = _frames_read(connection)
    if read_to is None or not _has_same_run_beyond(log, header, read_to):
        return None
    proof = _whole_commit_and_more(log, header, read_to + 1)
    if proof is None:
        return None
    # A commit that a live writer has made in the meantime is no proof: it can be read by now. The frame after it may be
    # of one that is still under way.
    commit_ends_at = proof - 1
    return read_to + 1 if commit_ends_at > (_frames_read(connection) or 0) else None


def _header_was_whole(connection: apsw.Connection, log: Path) -> bool:
    """A header torn by a crash has no whole commits of its own run behind it."""
    page_size = connection.pragma("page_size")
    assert isinstance(page_size, int)
    with open(log, "rb") as opened:
        head = opened.read(HEADER_BYTES + FRAME_HEADER_BYTES)
    header = Header.of(head, page_size)
    assert header is not None
    header = replace(header, salts=head[HEADER_BYTES + 8 : HEADER_BYTES + 16])
    return _whole_commit_and_more(log, header, 2) is not None


def _frames_read(connection: apsw.Connection) -> int | None:
    """How many frames SQLite can read; None where it reads no log."""
    found, _ = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    return found if found >= 0 else None


def _has_same_run_beyond(log: Path, header: Header, read_to: int) -> bool:
    """Quick: nearly always the rest of a log is of an earlier run, or there is none."""
    size = FRAME_HEADER_BYTES + header.page_size
    with open(log, "rb") as opened:
        for place in range(HEADER_BYTES + read_to * size, os.path.getsize(log), size):
            opened.seek(place + 8)
            if opened.read(8) == header.salts:
                return True
    return False


def _whole_commit_and_more(log: Path, header: Header, first: int) -> int | None:
    """The number of a frame that follows from one that ends a commit, both beyond the first bad frame."""
    ends_commit = False
    for frame in frames(log, header, first):
        is_of_this_run = frame.salts == header.salts
        if frame.number > first and frame.computed_from_stored and ends_commit and is_of_this_run:
            return frame.number
        ends_commit = frame.pages != 0 and is_of_this_run
    return None
