"""DynamoDB's sizes and units, by its own formulas.

Sizes: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from math import ceil
from typing import Any, Literal

from sekkei.design import Index, Table

_READ_UNIT_BYTES = 4_096
_WRITE_UNIT_BYTES = 1_024
STORAGE_OVERHEAD_BYTES = 100
"""What DynamoDB adds to every item and every index entry where it bills storage."""

Item = Mapping[str, Mapping[str, Any]]
_Consistency = Literal["eventual", "strong", "transactional"]
_FACTOR: dict[_Consistency, float] = {"eventual": 0.5, "strong": 1.0, "transactional": 2.0}


def item_bytes(item: Item) -> int:
    """Names and values, as DynamoDB counts them."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    if kind == "S":
        return len(content.encode())
    if kind == "N":
        return _number_bytes(content)
    if kind == "B":
        return len(content if isinstance(content, bytes) else b64decode(content))
    if kind in ("BOOL", "NULL"):
        return 1
    if kind in ("SS", "NS", "BS"):
        return sum(_value_bytes({kind[0]: one}) for one in content)
    if kind == "L":
        return 3 + sum(1 + _value_bytes(one) for one in content)
    return 3 + sum(1 + len(name.encode()) + _value_bytes(one) for name, one in content.items())


def _number_bytes(text: str) -> int:
    """About half a byte a significant digit, and one or two beside them."""
    digits = text.lower().partition("e")[0].replace(".", "").lstrip("-").strip("0")
    return (len(digits) + 1) // 2 + 1 + text.startswith("-") if digits else 1


def read_units(bytes_read: int, consistency: _Consistency = "eventual") -> float:
    """Of a GetItem, or of a Query or Scan with the sum of what it evaluated."""
    return max(1, ceil(bytes_read / _READ_UNIT_BYTES)) * _FACTOR[consistency]


def write_units(item_size: int, *, transactional: bool = False) -> float:
    """The larger of the item before and after counts."""
    return max(1, ceil(item_size / _WRITE_UNIT_BYTES)) * (2.0 if transactional else 1.0)


def entry_of(table: Table, index: Index, item: Item | None) -> Item | None:
    """What an index holds of an item; None when the item is not in it."""
    if item is None or any(name not in item for name in index.attributes):
        return None
    if index.projection == "ALL":
        return item
    extra = () if index.projection == "KEYS_ONLY" else index.projection
    kept = {*table.key_attributes, *index.attributes, *extra}
    return {name: value for name, value in item.items() if name in kept}


def index_write_units(table: Table, index: Index, old: Item | None, new: Item | None) -> list[tuple[Item, float]]:
    """The entries that a write changes, each with its units: none when nothing in it changes, two when it moves."""
    before, after = entry_of(table, index, old), entry_of(table, index, new)
    if before is None or after is None:
        return [(entry, write_units(item_bytes(entry))) for entry in (before, after) if entry is not None]
    if all(before[name] == after[name] for name in index.attributes):
        changed = before != after
        return [(after, write_units(max(item_bytes(before), item_bytes(after))))] if changed else []
    return [(entry, write_units(item_bytes(entry))) for entry in (before, after)]
