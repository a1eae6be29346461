"""Records in the file with a checksum before them, over themselves and what else their row says.

SQLite would hand out a record with a flipped bit as if nothing were wrong; for items see `snapshot.checksum`.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import orjson

from sekkei.errors import InternalServerError

CRC_BYTES = 4


def seal(document: Any, *row: object) -> bytes:
    """The document as bytes; `row` holds the other columns that must not change without it."""
    body = orjson.dumps(document)
    return _crc(body, row) + body


def unseal(blob: bytes, *row: object) -> Any:
    try:
        body = blob[CRC_BYTES:]
        if blob[:CRC_BYTES] == _crc(body, row):
            return orjson.loads(body)
    except TypeError:
        # Damage can turn bytes into something else.
        pass
    raise InternalServerError(
        f"The record of {' '.join(map(str, row[:2]))} does not match its checksum: the file is damaged. "
        "Run `sekkei verify` on it and restore it from a backup."
    )


def _crc(body: bytes, row: tuple[object, ...]) -> bytes:
    return crc32(body, crc32(repr(row).encode())).to_bytes(CRC_BYTES)
