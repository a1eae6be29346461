"""How the tables of refusals are checked: an operation, a request and the exact text."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.errors import ValidationException

INVALID = "One or more parameter values were invalid: "
PATTERN = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
NOT_NULL = "Member must not be null"


def refusal(operation: str, request: dict[str, Any]) -> str:
    with pytest.raises(ValidationException) as error:
        operations.check(operation, request)
    return error.value.message


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
