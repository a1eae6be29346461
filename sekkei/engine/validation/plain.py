"""Requests whose shape is all that DynamoDB checks before it looks further."""

from __future__ import annotations

from typing import Any

from sekkei.engine.operation import Checked
from sekkei.engine.validation.table_name import CONTROL_TABLE_NAME, TableOperation, named, table_name


def plain(request: dict[str, Any]) -> Checked:
    """A request that need not name a table; where it does, the name is taken."""
    return Checked(request, table_name(request.get("TableName", "")) or "")


def about_table(request: dict[str, Any]) -> Checked:
    return Checked(request, named(request["TableName"]))


def only_a_table(name: str) -> TableOperation:
    """The shape of a request that holds a TableName and nothing else."""
    return TableOperation(name, TableName=CONTROL_TABLE_NAME)
