"""What can be read of a damaged store: its pages as images, its list of tables, its rows.

Two images are made of the file with all whole frames of its log laid over it. In the `whole` one, a page of which only
an older version is left is blank: no row that is read there has passed through it. In the `older` one that older
version stands in its place.

SQLite opens nothing of a file in whose list of tables (`sqlite_schema`) one letter is damaged. But its content is
known, save for the pages at which tables begin, and each row has its name twice or three times: nearly always enough
of it is left to put it together again. Of a table with damaged pages, everything around them is read.
"""

from __future__ import annotations

import base64
import re
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from sekkei.engine.items.keys import HASH_BYTES
from sekkei.engine.storage import sql, wal
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import checksum
from sekkei.engine.storage.wal import Frame, Header

_HEADER_BYTES = 100
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
    _write_pages(images.older, pages, page_size)
    _write_pages(images.whole, {**pages, **dict.fromkeys(doubtful - {1}, bytes(page_size))}, page_size)
    return images


def _header_as_it_was(first: bytes, page_size: int, pages: int) -> bytes:
    """The first page with nothing in its header that a bit can have changed: all of it is the same in every store, or
    can be counted, or is not needed to read."""
    head = bytearray(_HEADER_BYTES)
    _HEADER.pack_into(head, 0, _MAGIC, page_size % 65535, 1, 1, 0, 64, 32, 32)
    counter = first[24:28]
    head[24:28] = head[92:96] = counter
    for place, number in ((28, pages), (40, 1), (44, 4), (56, 1), (60, sql.FORMAT), (68, sql.APPLICATION_ID)):
        head[place : place + 4] = number.to_bytes(4)
    return bytes(head) + first[_HEADER_BYTES:]


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


def _write_pages(path: Path, pages: dict[int, bytes], page_size: int) -> None:
    with open(path, "wb") as opened:
        for number in range(1, max(pages, default=0) + 1):
            opened.write(pages.get(number, b"").ljust(page_size, b"\0"))


_Content = tuple[bytes, int, int]
"""An item's bytes, size and checksum."""
ROWS_AT_A_TIME = 1_000
_SPLITS_MAX = 200_000
"""Looks around damaged pages before the rest of a table is given up."""
_FRUITLESS_MAX = 500
"""The same for a table of which nothing was found so far: its very first page may be damaged."""
_LOOK_BEYOND = 1_000
"""How many numbers after damage are tried where nobody knows the last one."""


UNREADABLE = (apsw.Error, UnicodeError)
"""What SQLite or Python says of damaged pages, and of texts that are none."""


@dataclass(slots=True)
class Found:
    whole: dict[bytes, _Content] = field(default_factory=dict)
    doubtful: dict[bytes, _Content] = field(default_factory=dict)
    missing: list[bytes] = field(default_factory=list)
    """Keys without an item."""
    unreadable: bool = False
    """Whether a part of the keys themselves cannot be read."""


class Reading:
    """Reads the rows of a table around what cannot be read, some of them perhaps twice."""

    def __init__(self) -> None:
        self.complete = True
        """Whether all that was read so far was read to its end."""

    def rows(self, connection: apsw.Connection, table: str, columns: str, last: int | None = None) -> Iterator[Any]:
        """Rows as their number and the columns: from both ends up to damage, and then what is left between, of numbers
        up to `last` if that is known."""
        low, high = 0, last
        for order in ("ASC", "DESC"):
            number = None
            try:
                for row in connection.execute(
                    f"SELECT rowid, {columns} FROM {table} NOT INDEXED ORDER BY rowid {order}"
                ):
                    number = row[0]
                    yield row
                return
            except apsw.SQLError:
                self.complete = False
                return  # there is no such table
            except UNREADABLE:
                self.complete = False
            if number is not None and order == "ASC":
                low = number + 1
            elif number is not None:
                high = number - 1
        yield from self._between(connection, table, columns, low, low + _LOOK_BEYOND if high is None else high)

    def unnumbered(self, connection: apsw.Connection, table: str, columns: str) -> Iterator[Any]:
        for order in ("ASC", "DESC"):
            try:
                yield from connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1 {order}, 2 {order}")
                return
            except UNREADABLE:
                self.complete = False

    def _between(self, connection: apsw.Connection, table: str, columns: str, low: int, high: int) -> Iterator[Any]:
        ranges, looks, looks_max = [(low, high)], 0, _FRUITLESS_MAX
        while ranges and looks < looks_max:
            low, high = ranges.pop()
            looks += 1
            try:
                rows: list[Any] = connection.execute(
                    f"SELECT rowid, {columns} FROM {table} NOT INDEXED WHERE rowid BETWEEN ? AND ? "
                    "ORDER BY rowid LIMIT ?",
                    (low, high, ROWS_AT_A_TIME),
                ).fetchall()
            except UNREADABLE:
                if low < high:
                    middle = (low + high) // 2
                    ranges += [(low, middle), (middle + 1, high)]
                continue
            if rows:
                looks_max = _SPLITS_MAX
            yield from rows
            if len(rows) == ROWS_AT_A_TIME and rows[-1][0] < high:
                ranges.append((rows[-1][0] + 1, high))


def rescue(sound: apsw.Connection, old: apsw.Connection, id: int) -> Found:
    """The items of a table. `sound` has blank pages where `old` has older versions of them."""
    found = Found()
    keys, is_complete = _keys(sound, id)
    older_keys, older_complete = _keys(old, id)
    last = max([*keys.values(), *older_keys.values(), _last_row(old, id)], default=0)
    found.whole, numbers, items_complete = _items(sound, id, last)
    strays: dict[bytes, _Content] = {}
    if is_complete:
        # Whole items that the table's own index knows neither by key nor by row: another table's, or its own of before.
        rows = set(keys.values())
        known = {key for row, key in numbers.items() if key in keys or row in rows}
        strays = {key: found.whole.pop(key) for key in found.whole.keys() - known}
    older, _, _ = _items(old, id, last)
    found.doubtful = {key: item for key, item in older.items() if key not in found.whole}
    expected = keys.keys() if is_complete else keys.keys() | older_keys.keys()
    found.missing = sorted(key for key in expected if key not in found.whole and key not in found.doubtful)
    if is_complete:
        # The index is whole and does not know them: they were deleted.
        found.doubtful = {key: item for key, item in found.doubtful.items() if key in keys}
        # The item is there under its own key, which its checksum proves: the index has another one.
        found.missing = [key for key in found.missing if numbers.get(keys[key]) not in found.whole]
        found.doubtful.update(strays)
    found.unreadable = not is_complete and not (older_complete and items_complete)
    return found


def rows_of(connection: apsw.Connection, table: str, columns: str) -> tuple[list[Any], bool]:
    """The rows of a small table as far as they can be read, and whether those are all."""
    reading = Reading()
    if table == "documents":  # the only one whose rows have no numbers
        return list(dict.fromkeys(reading.unnumbered(connection, table, columns))), reading.complete
    return list(dict.fromkeys(row[1:] for row in reading.rows(connection, table, columns))), reading.complete


def _items(connection: apsw.Connection, id: int, last: int) -> tuple[dict[bytes, _Content], dict[int, bytes], bool]:
    """By key; the keys by row; and whether they were read to the end."""
    found: dict[bytes, _Content] = {}
    numbers: dict[int, bytes] = {}
    reading = Reading()
    for row, key, blob, size, crc in reading.rows(connection, f"items_{id}", "key, item, size, crc", last):
        if isinstance(key, bytes) and isinstance(blob, bytes) and checksum(key, blob) == crc:
            found[key] = (blob, size, crc)
            numbers[row] = key
    return found, numbers, reading.complete


def _keys(connection: apsw.Connection, id: int) -> tuple[dict[bytes, int], bool]:
    """Keys and rows as the table's own index has them, from both ends up to damage; and whether that is all."""
    found: dict[bytes, int] = {}
    whole = True
    for order in ("ASC", "DESC"):
        try:
            for key, row in connection.execute(f"SELECT key, row FROM items_{id} ORDER BY key {order}"):
                if isinstance(key, bytes) and isinstance(row, int):
                    found[key] = row
                else:
                    whole = False
            return found, whole
        except UNREADABLE:
            whole = False
    return found, False


def _last_row(connection: apsw.Connection, id: int) -> int:
    try:
        return int(connection.execute(f"SELECT max(row) FROM items_{id}").get or 0)
    except UNREADABLE:
        return 0


def readable_key(table: Table, key: bytes) -> str:
    """A key for people: its attributes where their bytes can be read back, else the bytes."""
    parts = table.key.parts
    length = int.from_bytes(key[HASH_BYTES : HASH_BYTES + 2])
    raw = [key[HASH_BYTES + 2 : HASH_BYTES + 2 + length], key[HASH_BYTES + 2 + length :]]
    said = []
    for part, content in zip(parts, raw, strict=False):
        said.append(f"{part.name}={_readable(part.type, content)}")
    return " ".join(said)


def _readable(kind: str, content: bytes) -> str:
    if kind == "S":
        return repr(content.decode("utf-8", "replace"))
    return base64.b64encode(content).decode() if kind == "B" else f"0x{content.hex()}"


_Rows = dict[str, tuple[int, str | None]]
"""By name, where a table or index begins, and its text."""

_NUMBERED = re.compile(r"(items|index|undo|window)_\d+")
_TABLE_AS_BYTES = re.compile(rb"table((?:items|index)_\d+)\1(.{1,4}?)CREATE TABLE", re.DOTALL)
_KEYS_AS_BYTES = re.compile(rb"([\x01-\x04])\x00index(sqlite_autoindex_(items_\d+)_1)\3", re.DOTALL)
_KEYS = re.compile(r"sqlite_autoindex_(items_\d+)_1")
_CREATES = re.compile(r'CREATE TABLE "?(\w+)')


def open_image(image: Path) -> apsw.Connection:
    """To read an image, which nobody changes."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"file:{quote(str(image.absolute()))}?immutable=1", flags=flags)
    connection.pragma("cell_size_check", True)
    return connection


def mend_schema(image: Path, page_size: int) -> str | None:
    """Put the list of an image in order; gives a sentence if it was damaged, which may have cost whole tables."""
    rows, is_sound = _read(image)
    if is_sound:
        return None
    _write_schema(image, page_size, {**_first_rows(), **_rows_in_bytes(image), **rows})
    return "The list of the file's tables is damaged; it was put together again as far as possible."


def is_ours(image: Path) -> bool:
    """Whether there is enough of a store in it, whatever its first page says."""
    rows, _ = _read(image)
    return len(rows.keys() & _first_rows().keys()) > len(_first_rows()) // 2 or bool(_rows_in_bytes(image))


def _read(image: Path) -> tuple[_Rows, bool]:
    """The rows that say what they are, and whether that is all of them, as they were written."""
    rows: _Rows = {}
    reading = Reading()
    connection = open_image(image)
    try:
        # Else nothing can be read as soon as one text is no SQL.
        connection.pragma("writable_schema", True)
        is_sound = True
        for _, *row in reading.rows(connection, "sqlite_schema", "type, name, tbl_name, rootpage, sql"):
            name = _name_of(*row)
            is_sound = is_sound and name == row[1] and _text(row[4]) == _text_of(name)
            if name is not None and isinstance(row[3], int):
                rows[name] = (row[3], _text_of(name))
        is_sound = is_sound and reading.complete and _is_complete(rows) and _checks_out(image)
    except UNREADABLE:
        is_sound = False
    finally:
        connection.close()
    return rows, is_sound


def _is_complete(rows: _Rows) -> bool:
    begin = [page for page, _ in rows.values()]
    keys = {name for name in rows if name.startswith("items_")}
    return (
        rows.keys() >= _first_rows().keys()
        and len(set(begin)) == len(begin)
        and all(f"sqlite_autoindex_{name}_1" in rows for name in keys)
    )


def _checks_out(image: Path) -> bool:
    """Whether SQLite takes it as it is."""
    connection = open_image(image)
    try:
        return bool(connection.pragma("integrity_check", "sqlite_schema") == "ok")
    finally:
        connection.close()


def _name_of(kind: object, name: object, of: object, page: object, text: object) -> str | None:
    """The name that most of a row's members say it has."""
    said = [str(name)]
    if text is None:
        said.append(f"sqlite_autoindex_{of}_1")
    else:
        said += [str(of), *_CREATES.findall(str(text))]
    known = [name for name in said if name in _first_rows() or _NUMBERED.fullmatch(name) or _KEYS.fullmatch(name)]
    return Counter(known).most_common(1)[0][0] if known else None


def _text(text: object) -> str | None:
    """Without the quotes that renaming leaves."""
    return None if text is None else str(text).replace('"', "")


def _text_of(name: str | None) -> str | None:
    if name is None or _KEYS.fullmatch(name):
        return None
    kind, _, id = name.partition("_")
    if kind == "items" and id.isdigit():
        return sql.create_items(int(id))
    if kind == "index" and id.isdigit():
        return sql.create_index(int(id))
    if (kind == "undo" and id.isdigit()) or (kind == "window" and id.isdigit()):
        return f"CREATE TABLE {name}{sql.NOTED_COLUMNS}"
    return _first_rows()[name][1]


def _first_rows() -> _Rows:
    """What every store has, where every store has it."""
    if not _FIRST:
        connection = apsw.Connection(":memory:")
        for migration in sql.MIGRATIONS:
            connection.execute(migration)
        for name, page, text in connection.execute("SELECT name, rootpage, sql FROM sqlite_schema"):
            _FIRST[name] = (page, text)
        connection.close()
    return _FIRST


_FIRST: _Rows = {}


def _rows_in_bytes(image: Path) -> _Rows:
    """Rows found by their letters, wherever they lie: the way to them may be what is damaged."""
    content = image.read_bytes()
    rows: _Rows = {}
    for found in _TABLE_AS_BYTES.finditer(content):
        name = found[1].decode()
        rows[name] = (int.from_bytes(found[2]), _text_of(name))
    for found in _KEYS_AS_BYTES.finditer(content):
        rows[found[2].decode()] = (int.from_bytes(content[found.end() : found.end() + found[1][0]]), None)
    return rows


def _write_schema(image: Path, page_size: int, rows: _Rows) -> None:
    """Make the first page anew, with these rows for all that the list holds."""
    with open(image, "rb+") as file:
        pages = file.seek(0, 2) // page_size
        file.seek(_HEADER_BYTES)
        empty = bytes([13, 0, 0, 0, 0]) + (page_size % 65536).to_bytes(2) + b"\0"
        file.write(empty.ljust(page_size - _HEADER_BYTES, b"\0"))
    connection = apsw.Connection(str(image))
    try:
        connection.pragma("journal_mode", "off")
        connection.pragma("writable_schema", True)
        connection.execute("BEGIN")
        for name, page, text in _in_order(rows):
            if 1 < page <= pages:
                keys = _KEYS.fullmatch(name)
                of = keys[1] if keys else _OF.get(name, name)
                kind = "table" if text is not None and text.startswith("CREATE TABLE") else "index"
                connection.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", (kind, name, of, page, text))
        connection.execute("COMMIT")
    finally:
        connection.close()


def _in_order(rows: _Rows) -> Iterator[tuple[str, int, str | None]]:
    """A table's own index follows it, and belongs to a table that is there."""
    for name, (page, text) in sorted(rows.items(), key=lambda row: row[1][1] is None):
        keys = _KEYS.fullmatch(name)
        if keys is None or keys[1] in rows:
            yield name, page, text


_OF = {
    "changes_by_table": "changes",
    "sqlite_autoindex_tables_1": "tables",
    "sqlite_autoindex_streams_1": "streams",
    "sqlite_autoindex_tokens_1": "tokens",
    "sqlite_autoindex_backups_1": "backups",
}
