"""A condition on a key as a range of key bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sekkei.engine.items import keys
from sekkei.engine.items.values import AttributeValue
from sekkei.engine.storage.catalogue import KeySchema


class KeyRange(NamedTuple):
    """The half-open range low <= key < high; no end when `high` is None."""

    low: bytes
    high: bytes | None

    def contains(self, key: bytes) -> bool:
        return key >= self.low and (self.high is None or key < self.high)


def whole_segment(segment: int | None, total_segments: int | None) -> KeyRange:
    """What one segment of a scan walks; everything when the scan is not parallel."""
    if segment is None or total_segments is None:
        return KeyRange(b"", None)
    return KeyRange(*keys.segment_bounds(segment, total_segments))


def key_range(
    schema: KeySchema,
    partition: Sequence[AttributeValue],
    equal: Sequence[AttributeValue] = (),
    operator: str | None = None,
    operands: Sequence[AttributeValue] = (),
) -> KeyRange:
    """All keys of one partition whose first sort parts are `equal` and whose next one meets the operator."""
    prefix = keys.partition_bytes(partition)
    if operator is None and len(equal) == len(schema.range) and equal:
        exact = prefix + keys.sort_key_bytes(equal)
        return KeyRange(exact, exact + b"\x00")
    prefix += keys.sort_prefix(equal)
    if operator is None:
        return KeyRange(prefix, keys.after(prefix))
    is_last = len(equal) + 1 == len(schema.range)
    if operator == "begins_with":
        part = keys.part_bytes(operands[0])
        low = prefix + (part if is_last else keys.escaped(part))
        return KeyRange(low, keys.after(low))

    def from_(operand: AttributeValue) -> bytes:
        return prefix + (keys.part_bytes(operand) if is_last else keys.sort_prefix((operand,)))

    def past(operand: AttributeValue) -> bytes | None:
        return from_(operand) + b"\x00" if is_last else keys.after(from_(operand))

    if operator == "BETWEEN":
        return KeyRange(from_(operands[0]), past(operands[1]))
    if operator == "<":
        return KeyRange(prefix, from_(operands[0]))
    if operator == "<=":
        return KeyRange(prefix, past(operands[0]))
    if operator == ">=":
        return KeyRange(from_(operands[0]), keys.after(prefix))
    assert operator == ">", f"no such key operator: {operator}"
    return KeyRange(past(operands[0]) or b"", keys.after(prefix))
