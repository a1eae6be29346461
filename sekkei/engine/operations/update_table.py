"""UpdateTable."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping
from typing import Any

from sekkei.engine import sql, streams, table_description
from sekkei.engine.catalogue import Table
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.operations.create_table import (
    billing_mode_summary,
    encryption_description,
    global_index,
    throughput,
)
from sekkei.engine.snapshot import Catalogue
from sekkei.engine.transaction import Transaction
from sekkei.engine.validation.schema import check_units
from sekkei.engine.writer import Writer
from sekkei.errors import (
    LimitExceededException,
    ResourceInUseException,
    ResourceNotFoundException,
    ValidationException,
)

Record = dict[str, Any]

BACKFILL_ITEMS = 2_000
"""Items indexed in one commit, so that a large table's backfill never stands in the way of writes for long."""


def update_table(transaction: Transaction, checked: Checked, render: Render) -> Response:
    request = checked.request
    name = checked.table
    table = transaction.find_table(name)
    if table is None:
        raise ResourceNotFoundException(f"Requested resource not found: Table: {name} not found")
    if not table.is_active:
        raise ResourceInUseException(
            f"Attempt to change a resource which is still in use: Table is being created: {name}"
        )
    record = copy.deepcopy(table.record)
    _change_billing(transaction, record, request)
    _change_settings(record, request)
    created: list[str] = []
    deleted: list[str] = []
    for change in request.get("GlobalSecondaryIndexUpdates") or ():
        if change.get("Update"):
            _update_index(table, record, change["Update"])
        if change.get("Delete"):
            deleted.append(_forget_index(table, record, change["Delete"]["IndexName"]))
        if change.get("Create"):
            created.append(_add_index(table, record, request, change["Create"]))
    _check_definitions(table, record)
    _change_stream(transaction, table, record, request)
    _lay_out(transaction, table, record, created, deleted)
    table = transaction.save_table(table.id, record)
    for index_name in created:
        backfill(transaction, table.name, table.indexes[index_name].id, b"")
    return {"TableDescription": _describe(transaction, table, created, request)}


def _change_billing(transaction: Transaction, record: Record, request: Mapping[str, Any]) -> None:
    mode = request.get("BillingMode")
    if mode == "PAY_PER_REQUEST" and record.get("BillingModeSummary", {}).get("BillingMode") != mode:
        record["BillingModeSummary"] = billing_mode_summary(transaction)
        record["ProvisionedThroughput"] = {}
        for index in record.get("GlobalSecondaryIndexes", ()):
            index["ProvisionedThroughput"] = {}
    elif mode == "PROVISIONED" and record.get("BillingModeSummary"):
        record["BillingModeSummary"] = {**record["BillingModeSummary"], "BillingMode": "PROVISIONED"}
    if request.get("ProvisionedThroughput"):
        if record.get("BillingModeSummary", {}).get("BillingMode") == "PAY_PER_REQUEST":
            raise ValidationException(
                "One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be "
                "specified when BillingMode is PAY_PER_REQUEST"
            )
        _change_throughput(transaction, record, throughput(request["ProvisionedThroughput"]))


def _change_throughput(transaction: Transaction, record: Record, wanted: Record) -> None:
    current = record["ProvisionedThroughput"]
    if throughput(current) == wanted:
        raise ValidationException(
            "The provisioned throughput for the table will not change. The requested value equals the current value. "
            f"Current ReadCapacityUnits provisioned for the table: {wanted['ReadCapacityUnits']}. "
            f"Requested ReadCapacityUnits: {wanted['ReadCapacityUnits']}. "
            f"Current WriteCapacityUnits provisioned for the table: {wanted['WriteCapacityUnits']}. "
            f"Requested WriteCapacityUnits: {wanted['WriteCapacityUnits']}. "
            "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
        )
    changed = {**current, **wanted}
    pairs = [(current.get(unit, 0), wanted[unit]) for unit in wanted]
    if any(new < old for old, new in pairs):
        changed["NumberOfDecreasesToday"] = current.get("NumberOfDecreasesToday", 0) + 1
        changed["LastDecreaseDateTime"] = round(transaction.now, 3)
    if any(new > old for old, new in pairs):
        changed["LastIncreaseDateTime"] = round(transaction.now, 3)
    record["ProvisionedThroughput"] = changed


def _change_settings(record: Record, request: Mapping[str, Any]) -> None:
    if request.get("DeletionProtectionEnabled") is not None:
        record["DeletionProtectionEnabled"] = request["DeletionProtectionEnabled"]
    if request.get("TableClass"):
        record["TableClassSummary"] = {"TableClass": request["TableClass"]}
    for member in ("OnDemandThroughput", "WarmThroughput"):
        if request.get(member):
            record[member] = request[member]
    if request.get("SSESpecification"):
        encryption = encryption_description(request["SSESpecification"])
        if encryption is None:
            record.pop("SSEDescription", None)
        else:
            record["SSEDescription"] = encryption
    if request.get("AttributeDefinitions"):
        _add_definitions(record, request["AttributeDefinitions"])


def _add_definitions(record: Record, definitions: list[Record]) -> None:
    known = {definition["AttributeName"]: definition for definition in record["AttributeDefinitions"]}
    for definition in definitions:
        name, kind = definition["AttributeName"], definition["AttributeType"]
        before = known.setdefault(name, definition)["AttributeType"]
        if before != kind:
            raise ValidationException(
                "One or more parameter values were invalid: Attributes cannot be redefined. Please check that your "
                "attribute has the same type as previously defined. "
                f"Existing schema: Schema:[SchemaElement: key{{{name}:{before}:HASH}}] "
                f"New schema: Schema:[SchemaElement: key{{{name}:{kind}:HASH}}]"
            )
    record["AttributeDefinitions"] = list(known.values())


def _find_index(table: Table, record: Record, index_name: str) -> Record:
    for index in record.get("GlobalSecondaryIndexes", ()):
        if index["IndexName"] == index_name:
            return index  # type: ignore[no-any-return]
    raise ResourceNotFoundException(f"Requested resource not found: Index: {index_name} for table: {table.name}")


def _update_index(table: Table, record: Record, change: Record) -> None:
    index = _find_index(table, record, change["IndexName"])
    if change.get("ProvisionedThroughput"):
        check_units(change["ProvisionedThroughput"], change["IndexName"])
    for member in ("ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput"):
        if change.get(member):
            index[member] = change[member]


def _forget_index(table: Table, record: Record, index_name: str) -> str:
    index = _find_index(table, record, index_name)
    record["GlobalSecondaryIndexes"].remove(index)
    if not record["GlobalSecondaryIndexes"]:
        del record["GlobalSecondaryIndexes"]
    return index_name


def _add_index(table: Table, record: Record, request: Mapping[str, Any], change: Record) -> str:
    if change["IndexName"] in table.indexes:
        raise ValidationException("Attempting to create an index which already exists")
    indexes = record.setdefault("GlobalSecondaryIndexes", [])
    if len(indexes) >= 20:
        raise LimitExceededException("Subscriber limit exceeded: 20 GlobalSecondaryIndexes per table")
    if any(index.get("Backfilling") for index in indexes):
        raise LimitExceededException(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
        )
    indexes.append({**global_index(change), "Backfilling": True})
    return str(change["IndexName"])


def _check_definitions(table: Table, record: Record) -> None:
    """Every key attribute has a type; definitions that no key uses any more go."""
    schemas = [record["KeySchema"]]
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        schemas += [index["KeySchema"] for index in record.get(member, ())]
    used = {element["AttributeName"] for schema in schemas for element in schema}
    defined = {definition["AttributeName"] for definition in record["AttributeDefinitions"]}
    if used - defined:
        raise ValidationException(
            "One or more parameter values were invalid: Some index key attributes are not defined in "
            f"AttributeDefinitions. Keys: [{', '.join(sorted(used - defined))}], "
            f"AttributeDefinitions: [{', '.join(sorted(defined))}]"
        )
    record["AttributeDefinitions"] = [
        definition for definition in record["AttributeDefinitions"] if definition["AttributeName"] in used
    ]


def _change_stream(transaction: Transaction, table: Table, record: Record, request: Mapping[str, Any]) -> None:
    wanted = request.get("StreamSpecification")
    if not wanted:
        return
    if wanted["StreamEnabled"]:
        if table.stream_view is not None:
            raise ValidationException(f"Table already has an enabled stream: TableName: {table.name}")
        record["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": wanted["StreamViewType"]}
        streams.open_stream(transaction, table.id, record)
        return
    if table.stream_view is None:
        raise ValidationException(f"Table has no stream to disable: TableName: {table.name}")
    del record["StreamSpecification"]
    streams.close_stream(transaction, table.id)


def _lay_out(transaction: Transaction, table: Table, record: Record, created: list[str], deleted: list[str]) -> None:
    for index in record.get("GlobalSecondaryIndexes", ()):
        if index["IndexName"] in created:
            index["id"] = transaction.take_id()
            transaction.create_index(index["id"])
    for index_name in deleted:
        index_id = table.indexes[index_name].id
        transaction.drop(sql.drop_index(index_id), index_id)


def backfill(transaction: Transaction, name: str, index_id: int, after: bytes) -> None:
    """Index the items that were there before the index, a part at a time; the rest follows in later commits."""
    table = transaction.find_table(name)
    index = next((index for index in table.indexes.values() if index.id == index_id), None) if table else None
    if table is None or index is None:
        return
    last = transaction.backfill(table, index, after, BACKFILL_ITEMS)
    if last is not None:
        transaction.afterwards(lambda later: backfill(later, name, index_id, last))
        return
    record = copy.deepcopy(table.record)
    for description in record["GlobalSecondaryIndexes"]:
        if description["id"] == index_id:
            del description["Backfilling"]
    transaction.save_table(table.id, record)


def _describe(transaction: Transaction, table: Table, created: list[str], request: Mapping[str, Any]) -> Record:
    """The change is done at once; the answer still says what DynamoDB's says."""
    description = table_description.describe(transaction, table, "UPDATING")
    changes = request.get("GlobalSecondaryIndexUpdates") or ()
    updated = {change["Update"]["IndexName"] for change in changes if change.get("Update")}
    for index in description.get("GlobalSecondaryIndexes", ()):
        if index["IndexName"] in created:
            index["IndexStatus"] = "CREATING"
            index["Backfilling"] = False
        elif index["IndexName"] in updated:
            index["IndexStatus"] = "UPDATING"
    return description


def resume_backfills(catalogue: Catalogue, writer: Writer) -> None:
    """An index whose backfill was cut short is filled from the start; entries that are there stay."""
    for table in catalogue.tables.values():
        for index in table.indexes.values():
            if not index.ready:
                writer.schedule(functools.partial(backfill, name=table.name, index_id=index.id, after=b""))
