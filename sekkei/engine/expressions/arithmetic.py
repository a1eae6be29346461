"""Sums, differences and unions, as SET, ADD and DELETE make them."""

from __future__ import annotations

from collections.abc import Callable

from sekkei.engine.items import numbers
from sekkei.engine.items.values import AttributeValue, in_order
from sekkei.errors import ValidationException

_SMALL = 37
"""Digits of whole numbers that Python may add directly: their sum still has at most 38."""


def number_sum(left: str, right: str) -> str:
    if left.isdigit() and right.isdigit() and len(left) <= _SMALL and len(right) <= _SMALL:
        return str(int(left) + int(right))
    return _exact(numbers.add, left, right)


def number_difference(left: str, right: str) -> str:
    if left.isdigit() and right.isdigit() and len(left) <= _SMALL and len(right) <= _SMALL:
        return str(int(left) - int(right))
    return _exact(numbers.subtract, left, right)


def _exact(operation: Callable[[str, str], str], left: str, right: str) -> str:
    try:
        return operation(left, right)
    except ValidationException as error:
        # A result with too many digits is an overflow to DynamoDB, whatever its magnitude.
        if "significant digits" in error.message:
            raise ValidationException(
                "Number overflow. Attempting to store a number with magnitude larger than supported range"
            ) from None
        raise


def added(existing: AttributeValue | None, kind: str, value: AttributeValue) -> AttributeValue | None:
    """A number or set with `value` added to it; None when `existing` is of another kind."""
    if existing is None:
        return value
    content = existing.get(kind)
    if content is None:
        return None
    if kind == "N":
        return {"N": number_sum(content, value["N"])}
    members = set(content)
    return {kind: in_order(kind, content + [member for member in value[kind] if member not in members])}


def without(existing: AttributeValue, kind: str, value: AttributeValue) -> AttributeValue | None:
    """A set without the members of `value`; empty when none are left, None when `existing` is of another kind."""
    content = existing.get(kind)
    if content is None:
        return None
    gone = set(value[kind])
    return {kind: [member for member in content if member not in gone]}
