"""UpdateTimeToLive."""

from __future__ import annotations

from sekkei.engine.history import housekeeping
from sekkei.engine.operation import Checked, Render, Response, Write
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import CONTROL_TABLE_NAME, TableOperation, about_table
from sekkei.engine.validation.shapes import String, Structure
from sekkei.errors import ResourceInUseException, ResourceNotFoundException, ValidationException

SHAPE = TableOperation(
    "UpdateTimeToLiveInput",
    "TimeToLiveSpecification",
    TableName=CONTROL_TABLE_NAME,
    TimeToLiveSpecification=Structure(
        "TimeToLiveSpecification",
        "Enabled AttributeName",
        AttributeName=String(shortest=1, longest=255),
        Enabled=fields.BOOLEAN,
    ),
)


def update_time_to_live(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = transaction.find_table(checked.table)
    if table is None:
        raise ResourceNotFoundException(f"Requested resource not found: Table: {checked.table} not found")
    if not table.is_active:
        raise ResourceInUseException(f"Table is not in ACTIVE state: {table.name}")
    wanted = checked.request["TimeToLiveSpecification"]
    attribute, current = wanted["AttributeName"], table.ttl_attribute
    if table.record.get("TimeToLive", {}).get("Backfilling"):
        raise ValidationException("Time to live has been modified multiple times within a fixed interval")
    if current is None and not wanted["Enabled"]:
        raise ValidationException("TimeToLive is already disabled")
    if current is not None and current != attribute:
        raise ValidationException(
            f"TimeToLive is active on a different AttributeName: current AttributeName is {current}"
        )
    if current is not None and wanted["Enabled"]:
        raise ValidationException("TimeToLive is already enabled")
    if wanted["Enabled"]:
        housekeeping.enable(transaction, table, attribute)
    else:
        housekeeping.disable(transaction, table)
    return {"TimeToLiveSpecification": {"Enabled": wanted["Enabled"], "AttributeName": attribute}}


OPERATIONS = (Write("UpdateTimeToLive", SHAPE, about_table, update_time_to_live),)
