"""DynamoDB's request validation, in its order and with its texts.

`check(operation, request)` is everything DynamoDB checks before it looks at a table; it returns a `Checked`, with all
that the operation needs parsed and normalised. Checks that need the table's schema are in `against_table`.

An operation's module is named as the operation in snake case. Its SHAPE describes the request; its `rules` hold the
further checks, in the order in which DynamoDB makes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from sekkei.engine.validation import (
    batch_execute_statement,
    batch_get_item,
    batch_write_item,
    create_backup,
    create_global_table,
    create_table,
    delete_backup,
    delete_item,
    delete_resource_policy,
    delete_table,
    describe_backup,
    describe_continuous_backups,
    describe_contributor_insights,
    describe_endpoints,
    describe_export,
    describe_global_table,
    describe_global_table_settings,
    describe_import,
    describe_kinesis_streaming_destination,
    describe_limits,
    describe_stream,
    describe_table,
    describe_table_replica_auto_scaling,
    describe_time_to_live,
    disable_kinesis_streaming_destination,
    enable_kinesis_streaming_destination,
    execute_statement,
    execute_transaction,
    export_table_to_point_in_time,
    get_item,
    get_records,
    get_resource_policy,
    get_shard_iterator,
    import_table,
    list_backups,
    list_contributor_insights,
    list_exports,
    list_global_tables,
    list_imports,
    list_streams,
    list_tables,
    list_tags_of_resource,
    put_item,
    put_resource_policy,
    query,
    restore_table_from_backup,
    restore_table_to_point_in_time,
    scan,
    search_vectors,
    shapes,
    tag_resource,
    transact_get_items,
    transact_write_items,
    untag_resource,
    update_continuous_backups,
    update_contributor_insights,
    update_global_table,
    update_global_table_settings,
    update_item,
    update_kinesis_streaming_destination,
    update_table,
    update_table_replica_auto_scaling,
    update_time_to_live,
)
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.table_name import table_name
from sekkei.errors import UnknownOperationException

__all__ = ["OPERATIONS", "Checked", "check", "table_name"]

Rules = Callable[[dict[str, Any]], Checked]

_MODULES: tuple[ModuleType, ...] = (
    batch_execute_statement,
    batch_get_item,
    batch_write_item,
    create_backup,
    create_global_table,
    create_table,
    delete_backup,
    delete_item,
    delete_resource_policy,
    delete_table,
    describe_backup,
    describe_continuous_backups,
    describe_contributor_insights,
    describe_endpoints,
    describe_export,
    describe_global_table,
    describe_global_table_settings,
    describe_import,
    describe_kinesis_streaming_destination,
    describe_limits,
    describe_stream,
    describe_table,
    describe_table_replica_auto_scaling,
    describe_time_to_live,
    disable_kinesis_streaming_destination,
    enable_kinesis_streaming_destination,
    execute_statement,
    execute_transaction,
    export_table_to_point_in_time,
    get_item,
    get_records,
    get_resource_policy,
    get_shard_iterator,
    import_table,
    list_backups,
    list_contributor_insights,
    list_exports,
    list_global_tables,
    list_imports,
    list_streams,
    list_tables,
    list_tags_of_resource,
    put_item,
    put_resource_policy,
    query,
    restore_table_from_backup,
    restore_table_to_point_in_time,
    scan,
    search_vectors,
    tag_resource,
    transact_get_items,
    transact_write_items,
    untag_resource,
    update_continuous_backups,
    update_contributor_insights,
    update_global_table,
    update_global_table_settings,
    update_item,
    update_kinesis_streaming_destination,
    update_table,
    update_table_replica_auto_scaling,
    update_time_to_live,
)


def _operation(module: ModuleType) -> str:
    return "".join(word.capitalize() for word in module.__name__.rpartition(".")[2].split("_"))


_CHECKS: dict[str, tuple[shapes.Structure, shapes.Predicate, Rules]] = {
    _operation(module): (module.SHAPE, module.SHAPE.fine, module.rules) for module in _MODULES
}
OPERATIONS = frozenset(_CHECKS)
"""Every operation whose requests can be checked."""


def check(operation: str, request: Mapping[str, Any]) -> Checked:
    """The request parsed and normalised; raises what DynamoDB answers when it breaks a rule."""
    try:
        shape, fine, rules = _CHECKS[operation]
    except KeyError:
        raise UnknownOperationException("") from None
    return rules(request if fine(request) else shapes.explain(shape, request))  # type: ignore[arg-type]
