"""Rules about whole items that several operations share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from sekkei.engine.items import numbers, values
from sekkei.errors import ValidationException

PLAIN_ATTRIBUTES_MAX = 500
"""More are looked through beside the event loop, see `operation.is_large`."""
PLAIN_NAME_MAX = 255


def measured_if_plain(item: Any) -> tuple[values.Item, int] | None:
    """An item of texts, whole numbers and truth values that is good and normal as it came, in dicts of its own, and its
    size: one look for all of it. None when it takes a closer one."""
    if type(item) is not dict or len(item) > PLAIN_ATTRIBUTES_MAX:
        return None
    own, total = {}, 0
    try:
        for name, value in item.items():
            if type(name) is not str or not 0 < len(name) <= PLAIN_NAME_MAX or not name.isascii():
                return None
            if type(value) is not dict:
                return None
            (kind,) = value
            content = value[kind]
            own[name] = {kind: content}
            if kind == "S":
                if type(content) is not str:
                    return None
                total += len(name) + (len(content) if content.isascii() else len(content.encode()))
            elif kind == "N" and type(content) is str and numbers.is_plainly_whole(content):
                total += len(name) + numbers.size(content)
            elif kind == "BOOL" and type(content) is bool:
                total += len(name) + 1
            else:
                return None
    except ValueError:  # a value has no type or several, or its text cannot be encoded
        return None
    return (own, total) if total <= values.ITEM_BYTES_MAX else None


def check_item_size(size: int) -> None:
    if size > values.ITEM_BYTES_MAX:
        raise ValidationException("Item size has exceeded the maximum allowed size")


def check_return_values(request: dict[str, Any]) -> None:
    """PutItem and DeleteItem have no new item to return."""
    if request.get("ReturnValues", "NONE") not in ("ALL_OLD", "NONE"):
        raise ValidationException("ReturnValues can only be ALL_OLD or NONE")


def start_key(given: dict[str, Any]) -> values.Item:
    """ExclusiveStartKey, normalised."""
    try:
        return values.normalised_item(given)
    except ValidationException as refusal:
        if refusal.message.startswith(_ABOUT_THE_KEY):
            raise ValidationException(f"The provided starting key is invalid: {refusal.message}") from None
        raise


# Faults of numbers and of members of sets are reported as they are, without a word about the key.
_ABOUT_THE_KEY = (
    "Supplied AttributeValue",
    "One or more parameter values were invalid: Null attribute",
    "One or more parameter values were invalid: An string set  may",
    "One or more parameter values were invalid: Binary sets should",
)


def check_distinct(keys: Sequence[values.Item]) -> None:
    """A batch names no key twice."""
    if len({orjson.dumps(key, option=orjson.OPT_SORT_KEYS) for key in keys}) != len(keys):
        raise ValidationException("Provided list of item keys contains duplicates")
