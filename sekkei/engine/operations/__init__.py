"""All operations: those on items and tables in files of their names, the others in the file of what they manage."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from sekkei.engine.operation import Checked, Operation
from sekkei.errors import UnknownOperationException

FILES = (
    "backups",
    "batch_execute_statement",
    "batch_get_item",
    "batch_write_item",
    "continuous_backups",
    "contributor_insights",
    "create_table",
    "delete_item",
    "delete_table",
    "describe_table",
    "execute_statement",
    "execute_transaction",
    "exports",
    "get_item",
    "get_records",
    "get_shard_iterator",
    "imports",
    "list_tables",
    "put_item",
    "query",
    "resource_policies",
    "restore_table_from_backup",
    "restore_table_to_point_in_time",
    "scan",
    "streams",
    "stubs",
    "tags",
    "time_to_live",
    "transact_get_items",
    "transact_write_items",
    "update_item",
    "update_table",
)


def _operations(file: str) -> tuple[Operation, ...]:
    declared: tuple[Operation, ...] = import_module(f"{__name__}.{file}").OPERATIONS
    return declared


OPERATIONS = {operation.name: operation for file in FILES for operation in _operations(file)}


def find(name: str) -> Operation:
    try:
        return OPERATIONS[name]
    except KeyError:
        raise UnknownOperationException("") from None


def check(name: str, request: Mapping[str, Any]) -> Checked:
    """A request to an operation, parsed and normalised; raises what DynamoDB answers when it breaks a rule."""
    return find(name).check(request)
