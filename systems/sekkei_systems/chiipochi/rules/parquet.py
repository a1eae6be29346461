"""Tables as Parquet files, for Athena, DuckDB and pandas: as little of the format as flat rows need.

One row group, one page a column, plain values under gzip. The footer is Thrift's compact protocol. A library that does
all of Parquet is larger than the rest of this program.
"""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

MAGIC = b"PAR1"
CREATED_BY = b"sekkei"
_INT64, _BYTE_ARRAY = 2, 6
_UTF8, _TIMESTAMP_MILLIS = 0, 9
_PLAIN, _RLE, _GZIP = 0, 3, 2

Kind = Literal["text", "integer", "milliseconds"]


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: Kind
    optional: bool = False


def encode(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> bytes:
    """A whole file. Rows hold a value for every column: str, int, or None where the column is optional."""
    body = bytearray(MAGIC)
    chunks = []
    for place, column in enumerate(columns):
        offset = len(body)
        page, plain_size = _page(column, [row[place] for row in rows])
        body += page
        chunks.append(_chunk(column, len(rows), offset, len(page), plain_size))
    footer = _footer(columns, len(rows), chunks, len(body) - len(MAGIC))
    return bytes(body + footer + struct.pack("<I", len(footer)) + MAGIC)


def _page(column: Column, values: Sequence[Any]) -> tuple[bytes, int]:
    """A column's only page with its header, and the size it has unpacked."""
    plain = b"".join(_plain(column.kind, value) for value in values if value is not None)
    if column.optional:
        levels = _levels(values)
        plain = struct.pack("<I", len(levels)) + levels + plain
    packed = gzip.compress(plain, mtime=0)
    data_header = _struct((1, _i32(len(values))), (2, _i32(_PLAIN)), (3, _i32(_RLE)), (4, _i32(_RLE)))
    header = _struct((1, _i32(0)), (2, _i32(len(plain))), (3, _i32(len(packed))), (5, (12, data_header)))
    return header + packed, len(header) + len(plain)


def _plain(kind: Kind, value: Any) -> bytes:
    if kind == "text":
        encoded = str(value).encode()
        return struct.pack("<I", len(encoded)) + encoded
    return struct.pack("<q", value)


def _levels(values: Iterable[Any]) -> bytes:
    """Which values are there, as runs."""
    runs = [(present, len(list(run))) for present, run in groupby(value is not None for value in values)]
    return b"".join(_varint(length << 1) + bytes([present]) for present, length in runs)


# Thrift's compact protocol: a field is (type, encoded)

_Field = tuple[int, bytes]


def _footer(columns: Sequence[Column], rows: int, chunks: list[bytes], size: int) -> bytes:
    root = _struct((4, _binary(b"donation")), (5, _i32(len(columns))))
    group = _struct((1, _list(12, chunks)), (2, _i64(size)), (3, _i64(rows)))
    return _struct(
        (1, _i32(1)),
        (2, _list(12, [root, *(_schema(column) for column in columns)])),
        (3, _i64(rows)),
        (4, _list(12, [group])),
        (6, _binary(CREATED_BY)),
    )


def _schema(column: Column) -> bytes:
    fields = [(1, _i32(_type(column))), (3, _i32(int(column.optional))), (4, _binary(column.name.encode()))]
    if column.kind != "integer":
        fields.append((6, _i32(_UTF8 if column.kind == "text" else _TIMESTAMP_MILLIS)))
    return _struct(*fields)


def _chunk(column: Column, rows: int, offset: int, size: int, plain_size: int) -> bytes:
    meta = _struct(
        (1, _i32(_type(column))),
        (2, _list(5, [_zigzag(_PLAIN), _zigzag(_RLE)])),
        (3, _list(8, [_binary(column.name.encode())[1]])),
        (4, _i32(_GZIP)),
        (5, _i64(rows)),
        (6, _i64(plain_size)),
        (7, _i64(size)),
        (9, _i64(offset)),
    )
    return _struct((2, _i64(offset)), (3, (12, meta)))


def _type(column: Column) -> int:
    return _BYTE_ARRAY if column.kind == "text" else _INT64


def _struct(*fields: tuple[int, _Field]) -> bytes:
    found = bytearray()
    last = 0
    for number, (kind, encoded) in fields:
        found.append((number - last) << 4 | kind)
        found += encoded
        last = number
    return bytes(found) + b"\x00"


def _list(kind: int, items: Sequence[bytes]) -> _Field:
    head = bytes([len(items) << 4 | kind]) if len(items) < 15 else bytes([0xF0 | kind]) + _varint(len(items))
    return 9, head + b"".join(items)


def _i32(value: int) -> _Field:
    return 5, _zigzag(value)


def _i64(value: int) -> _Field:
    return 6, _zigzag(value)


def _binary(value: bytes) -> _Field:
    return 8, _varint(len(value)) + value


def _zigzag(value: int) -> bytes:
    return _varint(value << 1 if value >= 0 else (-value << 1) - 1)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
