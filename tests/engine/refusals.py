"""How refusals are checked: an operation, a request and the exact text; and the texts that many of them share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.errors import ValidationException

INVALID = "One or more parameter values were invalid: "
PATTERN = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
NOT_NULL = "Member must not be null"
RETURNS = "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
CAPACITY = "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
METRICS = "Member must satisfy enum value set: [SIZE, NONE]"
AT_LEAST_ONE = "Member must have length greater than or equal to 1"
ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/abc"
NO_ARN = "x" * 40
SHARD = "shardId-00000000000000000000-00000000"


def refusal(operation: str, request: dict[str, Any]) -> str:
    with pytest.raises(ValidationException) as error:
        operations.check(operation, request)
    return error.value.message


def refusal_of(ask: Callable[..., object], *arguments: Any) -> str:
    """What a call is refused with; empty when it is accepted."""
    try:
        ask(*arguments)
    except ValidationException as error:
        return error.message if error.code == "ValidationException" else error.code
    return ""


def faults(*each: tuple[str | None, str, str]) -> str:
    """The list of faults that a shape reports: (value, path, constraint) each."""
    words = [
        f"Value {'null' if value is None else repr_java(value)} at '{path}' failed to satisfy constraint: {constraint}"
        for value, path, constraint in each
    ]
    plural = "s" if len(words) > 1 else ""
    return f"{len(words)} validation error{plural} detected: {'; '.join(words)}"


def repr_java(value: str) -> str:
    return f"'{value}'"


def keys(count: int) -> list[dict[str, Any]]:
    return [{"a": {"S": str(number)}} for number in range(count)]
