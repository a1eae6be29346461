"""The list of tables (`sqlite_schema`) of a damaged store: read, and if need be put together again.

SQLite opens nothing of a file in whose list one letter is damaged. But what stands there is known, save for the pages
at which tables begin, and each row says its name twice or three times: nearly always enough of it is left.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import apsw

from sekkei.engine.storage import sql
from sekkei.engine.upkeep.image import HEADER_BYTES
from sekkei.engine.upkeep.salvage import UNREADABLE, Reading

Rows = dict[str, tuple[int, str | None]]
"""By name, where a table or index begins, and its text."""

_NUMBERED = re.compile(r"(items|index|undo|window)_\d+")
_TABLE_AS_BYTES = re.compile(rb"table((?:items|index)_\d+)\1(.{1,4}?)CREATE TABLE", re.DOTALL)
_KEYS_AS_BYTES = re.compile(rb"([\x01-\x04])\x00index(sqlite_autoindex_(items_\d+)_1)\3", re.DOTALL)
_KEYS = re.compile(r"sqlite_autoindex_(items_\d+)_1")
_CREATES = re.compile(r'CREATE TABLE "?(\w+)')


def opened(image: Path) -> apsw.Connection:
    """To read an image, which nobody changes."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"file:{quote(str(image.absolute()))}?immutable=1", flags=flags)
    connection.pragma("cell_size_check", True)
    return connection


def mend(image: Path, page_size: int) -> str | None:
    """Put the list of an image in order; gives a sentence if it was damaged, which may have cost whole tables."""
    rows, is_sound = _read(image)
    if is_sound:
        return None
    _write(image, page_size, {**_first_rows(), **_rows_in_bytes(image), **rows})
    return "The list of the file's tables is damaged; it was put together again as far as possible."


def is_ours(image: Path) -> bool:
    """Whether there is enough of a store in it, whatever its first page says."""
    rows, _ = _read(image)
    return len(rows.keys() & _first_rows().keys()) > len(_first_rows()) // 2 or bool(_rows_in_bytes(image))


def _read(image: Path) -> tuple[Rows, bool]:
    """The rows that say what they are, and whether that is all of them, as they were written."""
    rows: Rows = {}
    reading = Reading()
    connection = opened(image)
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


def _is_complete(rows: Rows) -> bool:
    begin = [page for page, _ in rows.values()]
    keys = {name for name in rows if name.startswith("items_")}
    return (
        rows.keys() >= _first_rows().keys()
        and len(set(begin)) == len(begin)
        and all(f"sqlite_autoindex_{name}_1" in rows for name in keys)
    )


def _checks_out(image: Path) -> bool:
    """Whether SQLite takes it as it is."""
    connection = opened(image)
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


def _first_rows() -> Rows:
    """What every store has, where every store has it."""
    if not _FIRST:
        connection = apsw.Connection(":memory:")
        for migration in sql.MIGRATIONS:
            connection.execute(migration)
        for name, page, text in connection.execute("SELECT name, rootpage, sql FROM sqlite_schema"):
            _FIRST[name] = (page, text)
        connection.close()
    return _FIRST


_FIRST: Rows = {}


def _rows_in_bytes(image: Path) -> Rows:
    """Rows found by their letters, wherever they lie: the way to them may be what is damaged."""
    content = image.read_bytes()
    rows: Rows = {}
    for found in _TABLE_AS_BYTES.finditer(content):
        name = found[1].decode()
        rows[name] = (int.from_bytes(found[2]), _text_of(name))
    for found in _KEYS_AS_BYTES.finditer(content):
        rows[found[2].decode()] = (int.from_bytes(content[found.end() : found.end() + found[1][0]]), None)
    return rows


def _write(image: Path, page_size: int, rows: Rows) -> None:
    """Make the first page anew, with these rows for all that the list holds."""
    with open(image, "rb+") as file:
        pages = file.seek(0, 2) // page_size
        file.seek(HEADER_BYTES)
        empty = bytes([13, 0, 0, 0, 0]) + (page_size % 65536).to_bytes(2) + b"\0"
        file.write(empty.ljust(page_size - HEADER_BYTES, b"\0"))
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


def _in_order(rows: Rows) -> Iterator[tuple[str, int, str | None]]:
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
