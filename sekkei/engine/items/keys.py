"""Keys as bytes that sort as DynamoDB sorts them.

A key's bytes are: four bytes of the partition key's hash, so that a scan walks partitions in DynamoDB's own scattered
order and a segment of a parallel scan is one range; the partition key, with its length; the sort key, raw, so that a
condition on it is a range of bytes. A multi-attribute sort key has each part but the last escaped and terminated.
"""

from __future__ import annotations

from collections.abc import Sequence

from sekkei.engine.items import numbers
from sekkei.engine.items.values import AttributeValue, binary

try:
    # CPython's own is twice as quick as OpenSSL's for bytes as few as a key's, and no security hangs on it.
    from _md5 import md5  # type: ignore[import-not-found]
except ImportError:
    from hashlib import md5

HASH_BYTES = 4
_TERMINATOR = b"\x00\x00"


def part_bytes(value: AttributeValue) -> bytes:
    """The order-preserving bytes of one key attribute."""
    text = value.get("S")
    if text is not None:
        return text.encode()  # type: ignore[no-any-return]
    kind, content = next(iter(value.items()))
    return numbers.sort_bytes(content) if kind == "N" else binary(content)


def _hash_of(raw: bytes) -> bytes:
    """Where a partition key lies among all: DynamoDB salts it with this word before hashing."""
    digest: bytes = md5(b"Outliers" + raw, usedforsecurity=False).digest()
    return digest[:HASH_BYTES]


def partition_of(raw: bytes) -> bytes:
    """The prefix that all keys of one partition share, whose key has one attribute."""
    return _hash_of(raw) + len(raw).to_bytes(2) + raw


def partition_bytes(values: Sequence[AttributeValue]) -> bytes:
    """The same for a key of one attribute or several."""
    if len(values) == 1:
        return partition_of(part_bytes(values[0]))
    parts = [part_bytes(value) for value in values]
    return _hash_of(b"".join(parts)) + b"".join(len(part).to_bytes(2) + part for part in parts)


def sort_prefix(values: Sequence[AttributeValue]) -> bytes:
    """Leading parts of a multi-attribute sort key, each closed so that the next one can follow."""
    return b"".join(_closed(part_bytes(value)) for value in values)


def sort_key_bytes(values: Sequence[AttributeValue]) -> bytes:
    """A whole sort key; the last part stays open."""
    if not values:
        return b""
    return sort_prefix(values[:-1]) + part_bytes(values[-1])


def _closed(part: bytes) -> bytes:
    return part.replace(b"\x00", b"\x00\xff") + _TERMINATOR


def escaped(part: bytes) -> bytes:
    """A part as it stands inside a multi-attribute sort key, not yet closed."""
    return part.replace(b"\x00", b"\x00\xff")


def after(prefix: bytes) -> bytes | None:
    """The first bytes beyond everything that starts with `prefix`; None when nothing can be."""
    stripped = prefix.rstrip(b"\xff")
    if not stripped:
        return None
    return stripped[:-1] + bytes([stripped[-1] + 1])


def segment_bounds(segment: int, total_segments: int) -> tuple[bytes, bytes | None]:
    """The half-open range of key bytes that one segment of a parallel scan walks."""
    space = 1 << (8 * HASH_BYTES)

    def edge(index: int) -> int:
        return -(-space * index // total_segments)

    high = edge(segment + 1)
    return edge(segment).to_bytes(HASH_BYTES), None if high >= space else high.to_bytes(HASH_BYTES)
