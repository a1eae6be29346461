"""All operations, each in the file that bears its name; stand-ins by family."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from sekkei.engine.operation import Checked, Operation
from sekkei.errors import UnknownOperationException

FILES = (
    "batch_execute_statement",
    "batch_get_item",
    "batch_write_item",
    "contributor_insights",
    "create_backup",
    "create_table",
    "delete_backup",
    "delete_item",
    "delete_table",
    "describe_backup",
    "describe_continuous_backups",
    "describe_endpoints",
    "describe_export",
    "describe_import",
    "describe_limits",
    "describe_stream",
    "describe_table",
    "describe_time_to_live",
    "execute_statement",
    "execute_transaction",
    "export_table_to_point_in_time",
    "get_item",
    "get_records",
    "get_shard_iterator",
    "global_tables",
    "import_table",
    "kinesis_destinations",
    "list_backups",
    "list_exports",
    "list_imports",
    "list_streams",
    "list_tables",
    "list_tags_of_resource",
    "put_item",
    "query",
    "resource_policies",
    "restore_table_from_backup",
    "restore_table_to_point_in_time",
    "scan",
    "tag_resource",
    "transact_get_items",
    "transact_write_items",
    "untag_resource",
    "update_continuous_backups",
    "update_item",
    "update_table",
    "update_time_to_live",
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
