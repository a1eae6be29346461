"""DescribeTimeToLive and UpdateTimeToLive."""

from __future__ import annotations

from typing import Any

from sekkei.engine.history import housekeeping
from sekkei.engine.operation import Checked, Read, Render, Response, Write
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import CONTROL_TABLE_NAME, TableOperation, about_table, only_a_table
from sekkei.engine.validation.shapes import String, Structure
from sekkei.errors import ResourceInUseException, ResourceNotFoundException, ValidationException

_DESCRIBE = only_a_table("DescribeTimeToLiveInput")


def describe_time_to_live(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    snapshot.catalogue.refresh(snapshot.connection)
    table = snapshot.find_table(checked.table)
    if table is None:
        raise ResourceNotFoundException(f"Requested resource not found: Table: {checked.table} not found")
    return {"TimeToLiveDescription": _describe(table)}


def _describe(table: Table) -> dict[str, Any]:
    ttl = table.record.get("TimeToLive")
    if ttl is None:
        return {"TimeToLiveStatus": "DISABLED"}
    status = "ENABLING" if ttl.get("Backfilling") else "ENABLED"
    return {"TimeToLiveStatus": status, "AttributeName": ttl["AttributeName"]}


_UPDATE = TableOperation(
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


OPERATIONS = (
    Read("DescribeTimeToLive", _DESCRIBE, about_table, describe_time_to_live),
    Write("UpdateTimeToLive", _UPDATE, about_table, update_time_to_live),
)
