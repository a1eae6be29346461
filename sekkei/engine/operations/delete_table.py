"""DeleteTable."""

from __future__ import annotations

from sekkei.engine.history import backups, jobs, streams
from sekkei.engine.operation import Checked, Render, Response, Write
from sekkei.engine.storage import table_record
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation.fields import about_table, only_a_table
from sekkei.errors import ResourceInUseException, ResourceNotFoundException, ValidationException

_INDEXES = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")

_SHAPE = only_a_table("DeleteTableInput")


def delete_table(transaction: Transaction, checked: Checked, render: Render) -> Response:
    name = checked.table
    table = transaction.find_table(name)
    if table is None:
        raise ResourceNotFoundException(f"Requested resource not found: Table: {name} not found")
    if table.record.get("DeletionProtectionEnabled"):
        raise ValidationException(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        )
    if not table.is_active or table.record.get("Copies"):
        raise ResourceInUseException(
            f"Attempt to change a resource which is still in use: Table is being created, copied or restored: {name}"
        )
    description = table_record.describe(transaction, table, "DELETING")
    for member in ("AttributeDefinitions", "CreationDateTime", "KeySchema", *_INDEXES):
        description.pop(member, None)
    streams.close_stream(transaction, table.id)
    for index in table.indexes.values():
        jobs.drop_index(transaction, index.id, is_read=False)
    if table.ttl_index_id is not None:
        jobs.drop_index(transaction, table.ttl_index_id, is_read=False)
    if "PointInTimeRecovery" in table.record:
        backups.keep_deleted(transaction, table)
    else:
        jobs.drop_items(transaction, table.id)
    transaction.forget_table(table.id)
    return {"TableDescription": description}


OPERATIONS = (Write("DeleteTable", _SHAPE, about_table, delete_table),)
