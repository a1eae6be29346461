"""A result as a file: CSV for people, DynamoDB JSON and lines of JSON for programs; written while it is read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from decimal import Decimal
from typing import Any

import orjson

from sekkei.kit import sheets
from sekkei.web.console.rows import plain

ENDINGS = {"csv": "csv", "json": "dynamodb.json", "ndjson": "ndjson"}
Pages = AsyncIterator[list[dict[str, Any]]]


async def written(pages: Pages, form: str, columns: list[str], *, rest: bool = True) -> AsyncIterator[bytes]:
    """`json` is a line `{"Item": {…}}` an item, as DynamoDB's own export and import have it.

    Of CSV: the columns, and with `rest` one more, in which what has no column stands as JSON."""
    if form == "csv":
        yield sheets.write([[*columns, *(["…"] if rest else [])]])
    async for items in pages:
        if form == "csv":
            yield sheets.lines(_row(item, columns, rest) for item in items)
        else:
            yield b"".join(orjson.dumps({"Item": item} if form == "json" else _typed(item)) + b"\n" for item in items)


def _row(item: Mapping[str, Any], columns: list[str], rest: bool) -> list[str]:
    cells = [_cell(item[name]) if name in item else "" for name in columns]
    others = {name: plain(value) for name, value in sorted(item.items()) if name not in columns}
    return [*cells, *([orjson.dumps(others).decode() if others else ""] if rest else [])]


def _cell(value: Mapping[str, Any]) -> str:
    found = plain(value)
    if isinstance(found, str):
        return sheets.Number(found) if "N" in value else found
    return orjson.dumps(found).decode()


def _typed(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _natural(value) for name, value in item.items()}


def _natural(value: Mapping[str, Any]) -> Any:
    """As JSON has it: numbers are numbers where JSON can hold them exactly, else texts."""
    ((kind, inside),) = value.items()
    if kind == "N":
        number = Decimal(inside)
        whole = number == number.to_integral_value() and abs(number) < 2**53
        return int(number) if whole else float(number) if Decimal(repr(float(number))) == number else inside
    if kind == "M":
        return {name: _natural(one) for name, one in inside.items()}
    if kind in ("L", "NS"):
        return [_natural(one if kind == "L" else {"N": one}) for one in inside]
    return None if kind == "NULL" else inside
