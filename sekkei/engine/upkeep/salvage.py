"""Rows out of a table with damaged pages: around each page that cannot be read, everything beside it."""

from __future__ import annotations

import base64
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


@dataclass(slots=True)
class Found:
    whole: dict[bytes, Content] = field(default_factory=dict)
    doubtful: dict[bytes, Content] = field(default_factory=dict)
    missing: list[bytes] = field(default_factory=list)
    """Keys without an item."""
    unreadable: bool = False
    """Whether a part of the keys themselves cannot be read."""


def salvage(sound: apsw.Connection, old: apsw.Connection, id: int) -> Found:
    """The items of a table. `sound` has blank pages where `old` has older versions of them."""
    found = Found()
    keys, is_complete = _keys(sound, id)
    older_keys, older_complete = _keys(old, id)
    last = max([*keys.values(), *older_keys.values(), _last_row(old, id)], default=0)
    found.whole = _items(sound, id, last)
    found.doubtful = {key: item for key, item in _items(old, id, last).items() if key not in found.whole}
    expected = keys.keys() if is_complete else keys.keys() | older_keys.keys()
    found.missing = sorted(key for key in expected if key not in found.whole and key not in found.doubtful)
    if is_complete:
        # The index is whole and does not know them: they were deleted.
        found.doubtful = {key: item for key, item in found.doubtful.items() if key in keys}
    found.unreadable = not is_complete and not older_complete
    return found


def rows_of(connection: apsw.Connection, statement: str) -> list[Any]:
    """All rows of a small table as far as they can be read."""
    rows: list[Any] = []
    try:
        for row in connection.execute(statement):
            rows.append(row)
    except apsw.Error:
        pass
    return rows


def _items(connection: apsw.Connection, id: int, last: int) -> dict[bytes, Content]:
    found: dict[bytes, Content] = {}
    ranges, looks = [(0, last)], 0
    while ranges and looks < SPLITS_MAX:
        low, high = ranges.pop()
        looks += 1
        try:
            rows: list[Any] = connection.execute(
                f"SELECT row, key, item, size, crc FROM items_{id} WHERE row BETWEEN ? AND ? ORDER BY row LIMIT ?",
                (low, high, ROWS_AT_A_TIME),
            ).fetchall()
        except apsw.Error:
            if low < high:
                middle = (low + high) // 2
                ranges += [(low, middle), (middle + 1, high)]
            continue
        for _, key, blob, size, crc in rows:
            if isinstance(key, bytes) and checksum(key, blob) == crc:
                found[key] = (blob, size, crc)
        if len(rows) == ROWS_AT_A_TIME:
            ranges.append((rows[-1][0] + 1, high))
    return found


def _keys(connection: apsw.Connection, id: int) -> tuple[dict[bytes, int], bool]:
    """Keys and rows as the table's own index has them, from both ends up to damage; and whether that is all."""
    found: dict[bytes, int] = {}
    for order in ("ASC", "DESC"):
        try:
            for key, row in connection.execute(f"SELECT key, row FROM items_{id} ORDER BY key {order}"):
                found[key] = row
            return found, True
        except apsw.Error:
            continue
    return found, False


def _last_row(connection: apsw.Connection, id: int) -> int:
    try:
        return int(connection.execute(f"SELECT max(row) FROM items_{id}").get or 0)
    except apsw.Error:
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
