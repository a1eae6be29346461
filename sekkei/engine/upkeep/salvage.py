"""Rows out of a table with damaged pages: around each page that cannot be read, everything beside it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import apsw

from sekkei.engine.items.keys import HASH_BYTES
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import checksum

Content = tuple[bytes, int, int]
"""An item's bytes, size and checksum."""
ROWS_AT_A_TIME = 1_000
SPLITS_MAX = 200_000
"""Looks around damaged pages before the rest of a table is given up."""
FRUITLESS_MAX = 500
"""The same for a table of which nothing was found so far: its very first page may be damaged."""
LOOK_BEYOND = 1_000
"""How many numbers after damage are tried where nobody knows the last one."""


UNREADABLE = (apsw.Error, UnicodeError)
"""What SQLite or Python says of damaged pages, and of texts that are none."""


@dataclass(slots=True)
class Found:
    whole: dict[bytes, Content] = field(default_factory=dict)
    doubtful: dict[bytes, Content] = field(default_factory=dict)
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
        yield from self._between(connection, table, columns, low, low + LOOK_BEYOND if high is None else high)

    def unnumbered(self, connection: apsw.Connection, table: str, columns: str) -> Iterator[Any]:
        for order in ("ASC", "DESC"):
            try:
                yield from connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1 {order}, 2 {order}")
                return
            except UNREADABLE:
                self.complete = False

    def _between(self, connection: apsw.Connection, table: str, columns: str, low: int, high: int) -> Iterator[Any]:
        ranges, looks, looks_max = [(low, high)], 0, FRUITLESS_MAX
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
                looks_max = SPLITS_MAX
            yield from rows
            if len(rows) == ROWS_AT_A_TIME and rows[-1][0] < high:
                ranges.append((rows[-1][0] + 1, high))


def salvage(sound: apsw.Connection, old: apsw.Connection, id: int) -> Found:
    """The items of a table. `sound` has blank pages where `old` has older versions of them."""
    found = Found()
    keys, is_complete = _keys(sound, id)
    older_keys, older_complete = _keys(old, id)
    last = max([*keys.values(), *older_keys.values(), _last_row(old, id)], default=0)
    found.whole, numbers, items_complete = _items(sound, id, last)
    strays: dict[bytes, Content] = {}
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


def _items(connection: apsw.Connection, id: int, last: int) -> tuple[dict[bytes, Content], dict[int, bytes], bool]:
    """By key; the keys by row; and whether they were read to the end."""
    found: dict[bytes, Content] = {}
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
