"""A damaged store as one database again: the file, with all whole frames of its log laid over it.

Two of them are made. In the `whole` one, a page of which only an older version is left is blank: whatever can be read
there has not passed through it. In the `older` one that older version stands in its place.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sekkei.engine.storage import sql, wal
from sekkei.engine.storage.wal import Frame, Header

HEADER_BYTES = 100
_PAGE_SIZE_MIN = 512
_HEADER = struct.Struct(">16sHBBBBBB")
_MAGIC = b"SQLite format 3\0"


@dataclass(slots=True)
class Images:
    """Where the two are, and the pages in which they differ."""

    whole: Path
    older: Path
    doubtful: set[int]
    page_size: int
    says_ours: bool
    """Whether the first page says that the file is a store."""


def make_images(path: Path, folder: Path) -> Images:
    base = path.read_bytes()
    page_size = _page_size(base, Path(f"{path}-wal"))
    pages = {number: base[start : start + page_size] for number, start in _pages(base, page_size)}
    doubtful = _lay_over(pages, Path(f"{path}-wal"), page_size)
    first = pages.get(1, b"").ljust(page_size, b"\0")
    says_ours = first.startswith(_MAGIC) and int.from_bytes(first[68:72]) == sql.APPLICATION_ID
    pages[1] = _header_as_it_was(first, page_size, max(pages, default=1))
    images = Images(folder / "whole.db", folder / "older.db", doubtful, page_size, says_ours)
    _write(images.older, pages, page_size)
    _write(images.whole, {**pages, **dict.fromkeys(doubtful - {1}, bytes(page_size))}, page_size)
    return images


def _header_as_it_was(first: bytes, page_size: int, pages: int) -> bytes:
    """The first page with nothing in its header that a bit can have changed: all of it is the same in every store, or
    can be counted, or is not needed to read."""
    head = bytearray(HEADER_BYTES)
    _HEADER.pack_into(head, 0, _MAGIC, page_size % 65535, 1, 1, 0, 64, 32, 32)
    counter = first[24:28]
    head[24:28] = head[92:96] = counter
    for place, number in ((28, pages), (40, 1), (44, 4), (56, 1), (60, sql.FORMAT), (68, sql.APPLICATION_ID)):
        head[place : place + 4] = number.to_bytes(4)
    return bytes(head) + first[HEADER_BYTES:]


def _page_size(base: bytes, log: Path) -> int:
    """As the log says, whose header has a checksum; else as the file does."""
    header = _header(log, 0)
    if header is not None and header.is_sound:
        return header.page_size
    size = int(struct.unpack_from(">H", base, 16)[0]) if len(base) >= 18 else 4096
    size = 65536 if size == 1 else size
    return size if size >= _PAGE_SIZE_MIN and size & (size - 1) == 0 else 4096


def _pages(base: bytes, page_size: int) -> Iterator[tuple[int, int]]:
    for start in range(0, len(base), page_size):
        yield start // page_size + 1, start


def _lay_over(pages: dict[int, bytes], log: Path, page_size: int) -> set[int]:
    """Put the log's whole frames over the pages; gives the pages whose newest frame is not whole."""
    header = _header(log, page_size)
    if header is None:
        return set()
    doubtful: set[int] = set()
    size = 0
    for frame, is_whole in _committed(log, header):
        if is_whole:
            pages[frame.page] = frame.content
            doubtful.discard(frame.page)
            size = frame.pages or size
        elif frame.page in pages or frame.page <= max(pages, default=0) + 1_000_000:
            doubtful.add(frame.page)
    for number in [number for number in pages if size and number > size]:
        del pages[number]
    return {number for number in doubtful if not size or number <= size}


def _header(log: Path, page_size: int) -> Header | None:
    """With a damaged header, the salts are those of the first frame."""
    if not log.exists():
        return None
    with open(log, "rb") as opened:
        head = opened.read(wal.HEADER_BYTES + wal.FRAME_HEADER_BYTES)
    header = Header.of(head[: wal.HEADER_BYTES], page_size)
    if header is None or header.is_sound or len(head) < wal.HEADER_BYTES + wal.FRAME_HEADER_BYTES:
        return header
    salts = head[wal.HEADER_BYTES + 8 : wal.HEADER_BYTES + 16]
    fixed = head[:16] + salts
    return Header(page_size, bool(head[3] & 1), salts, wal.added((0, 0), fixed, bool(head[3] & 1)), False)


def _committed(log: Path, header: Header) -> list[tuple[Frame, bool]]:
    """The frames up to the last whole one that ends a commit, each with whether it is whole."""
    found: list[tuple[Frame, bool]] = []
    end = 0
    for frame in wal.frames(log, header):
        is_foreign = frame.salts != header.salts and not frame.computed_from_stored
        if is_foreign and not _goes_on(log, header, frame.number + 1):
            break
        found.append((frame, frame.computed_from_stored))
        if frame.pages and frame.computed_from_stored:
            end = len(found)
    return found[:end]


def _goes_on(log: Path, header: Header, number: int) -> bool:
    """Whether the frames after a bad one are of the same run."""
    following = next(wal.frames(log, header, number), None)
    return following is not None and following.salts == header.salts


def _write(path: Path, pages: dict[int, bytes], page_size: int) -> None:
    with open(path, "wb") as opened:
        for number in range(1, max(pages, default=0) + 1):
            opened.write(pages.get(number, b"").ljust(page_size, b"\0"))
