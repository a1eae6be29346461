"""A table's name in a request: the name itself, or the table's ARN."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from sekkei.engine.errors import ValidationException
from sekkei.engine.validation.shapes import Shape, String, Structure, fault

PATTERN = "[a-zA-Z0-9_.-]+"
SHORTEST = 3
LONGEST = 255

_is_name = re.compile(PATTERN).fullmatch
_is_arn = re.compile(rf"arn:aws[a-z-]*:dynamodb:[a-z0-9-]*:\d*:table/({PATTERN})").fullmatch


@lru_cache(4096)
def table_name(text: str) -> str | None:
    """The name that a name or an ARN gives; None when it is neither."""
    match = _is_arn(text)
    name = match[1] if match else text
    return name if len(name) <= LONGEST and _is_name(name) else None


def named(text: str) -> str:
    """The name in a TableName that has been checked."""
    name = table_name(text)
    assert name is not None, "the shape lets nothing else pass"
    return name


class TableName(String):
    """TableName of an operation on items."""

    def __init__(self) -> None:
        super().__init__(shortest=1, longest=LONGEST, pattern=PATTERN)
        self.fine = lambda value: type(value) is str and table_name(value) is not None

    def faults(self, value: str, path: str) -> Iterator[str]:
        match = _is_arn(value)
        if match:
            value = match[1]
        if not value:
            yield fault("''", path, "Member must have length greater than or equal to 1")
        elif not _is_name(value):
            yield fault(f"'{value}'", path, f"Member must satisfy regular expression pattern: {PATTERN}")
        if len(value) > LONGEST:
            yield fault(f"'{value}'", path, f"Member must have length less than or equal to {LONGEST}")


class ItemOperation(Structure):
    """A request about items: a TableName that cannot be one is reported alone."""

    def __init__(self, name: str, required: str = "", **members: Shape) -> None:
        super().__init__(name, f"TableName {required}", **members)

    def faults(self, value: dict[str, Any], path: str) -> Iterator[str]:
        name = value.get("TableName")
        if name is not None:
            alone = list(TABLE_NAME.faults(name, "tableName"))
            if alone:
                return iter(alone)
        return super().faults(value, path)


class _ControlName(TableName):
    def __init__(self) -> None:
        super().__init__()
        self.fine = lambda value: type(value) is str and len(value) >= SHORTEST and table_name(value) is not None


class TableOperation(Structure):
    """A request about a table: without a TableName, or with one of a wrong length, nothing else is looked at."""

    def __init__(self, name: str, required: str = "", **members: Shape) -> None:
        super().__init__(name, f"TableName {required}", **members)

    def faults(self, value: dict[str, Any], path: str) -> Iterator[str]:
        name = value.get("TableName")
        if name is None:
            raise ValidationException("The parameter 'TableName' is required but was not present in the request")
        match = _is_arn(name)
        alone = list(self.check_name(match[1] if match else name))
        return iter(alone) if alone else super().faults(value, path)

    def check_name(self, name: str) -> Iterator[str]:
        if not SHORTEST <= len(name) <= LONGEST:
            raise ValidationException("TableName must be at least 3 characters long and at most 255 characters long")
        return iter(())


TABLE_NAME = TableName()
CONTROL_TABLE_NAME = _ControlName()
