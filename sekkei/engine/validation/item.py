"""Rules about whole items that several operations share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from sekkei.engine.items import values
from sekkei.errors import ValidationException


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
