"""A table's name in a request: the name itself, or the table's ARN."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from sekkei.engine.validation.shapes import Shape, String, Structure, fault
from sekkei.errors import ValidationException

PATTERN = "[a-zA-Z0-9_.-]+"
SHORTEST = 3
LONGEST = 255
ARN_LONGEST = 1024

_is_name = re.compile(PATTERN).fullmatch
_is_arn = re.compile(rf"arn:aws[a-z-]*:dynamodb:[a-z0-9-]*:\d*:table/({PATTERN})").fullmatch


def table_name(text: str) -> str | None:
    """The name that a name or an ARN gives; None when it is neither."""
    return _table_name(text) if len(text) <= ARN_LONGEST else None


@lru_cache(4096)
def _table_name(text: str) -> str | None:
    match = _is_arn(text)
    name = match[1] if match else text
    return name if SHORTEST <= len(name) <= LONGEST and _is_name(name) else None


def named(text: str) -> str:
    """The name in a TableName that has been checked."""
    name = _table_name(text)
    assert name is not None, "the shape lets nothing else pass"
    return name


class TableName(String):
    """A TableName, which may be an ARN; then the name in it is what is looked at."""

    def __init__(self) -> None:
        super().__init__(shortest=SHORTEST, longest=LONGEST, pattern=PATTERN)
        self.fine = lambda value: type(value) is str and table_name(value) is not None

    def faults(self, value: str, path: str) -> Iterator[str]:
        match = _is_arn(value)
        if match and len(value) > ARN_LONGEST:
            constraint = f"Member must have length less than or equal to {ARN_LONGEST}"
            return iter([fault(self.quoted(value), path, constraint)])
        return super().faults(match[1] if match else value, path)


class _ItemTableName(TableName):
    """The one of operations on items: of an empty name nothing is said but that it is empty."""

    def faults(self, value: str, path: str) -> Iterator[str]:
        if not value:
            return iter([fault("''", path, "Member must have length greater than or equal to 1")])
        return super().faults(value, path)


class ItemOperation(Structure):
    """A request about items: a TableName that cannot be one is reported alone, unless something is missing too."""

    def __init__(self, name: str, required: str = "", **members: Shape) -> None:
        super().__init__(name, f"TableName {required}", **members)

    def faults(self, value: dict[str, Any], path: str) -> Iterator[str]:
        if self.required <= value.keys():
            alone = list(TABLE_NAME.faults(value["TableName"], "tableName"))
            if alone:
                return iter(alone)
        return super().faults(value, path)


class TableOperation(Structure):
    """A request about a table: without a TableName, or with one that cannot be, nothing else is looked at."""

    def __init__(self, name: str, required: str = "", **members: Shape) -> None:
        super().__init__(name, f"TableName {required}", **members)

    def faults(self, value: dict[str, Any], path: str) -> Iterator[str]:
        name = value.get("TableName")
        if name is None:
            raise ValidationException("The parameter 'TableName' is required but was not present in the request")
        alone = list(CONTROL_TABLE_NAME.faults(name, "tableName"))
        return iter(alone) if alone else super().faults(value, path)


TABLE_NAME = _ItemTableName()
CONTROL_TABLE_NAME = TableName()
