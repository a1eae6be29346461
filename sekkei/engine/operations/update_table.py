"""UpdateTable."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from sekkei.engine.history import jobs, streams
from sekkei.engine.history.jobs import backfill
from sekkei.engine.operation import Checked, Render, Response, Write
from sekkei.engine.operations.create_table import check_billing
from sekkei.engine.storage import table_record
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.table_record import billing_mode_summary, encryption_description, global_index, throughput
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields, schema
from sekkei.engine.validation.fields import CONTROL_TABLE_NAME, TableOperation, named
from sekkei.engine.validation.schema import REGION, check_units, refusal
from sekkei.engine.validation.shapes import List, String, Structure
from sekkei.errors import (
    LimitExceededException,
    ResourceInUseException,
    ResourceNotFoundException,
    ValidationException,
)

_Record = dict[str, Any]

_SHAPE = TableOperation(
    "UpdateTableInput",
    TableName=CONTROL_TABLE_NAME,
    AttributeDefinitions=schema.ATTRIBUTE_DEFINITIONS,
    ProvisionedThroughput=schema.PROVISIONED_THROUGHPUT,
    BillingMode=schema.BILLING_MODE,
    GlobalSecondaryIndexUpdates=List(
        Structure(
            "GlobalSecondaryIndexUpdate",
            Update=Structure(
                "UpdateGlobalSecondaryIndexAction",
                "IndexName",
                IndexName=fields.INDEX_NAME,
                ProvisionedThroughput=schema.PROVISIONED_THROUGHPUT,
                OnDemandThroughput=schema.ON_DEMAND_THROUGHPUT,
                WarmThroughput=schema.WARM_THROUGHPUT,
            ),
            Create=schema.global_index("CreateGlobalSecondaryIndexAction"),
            Delete=Structure("DeleteGlobalSecondaryIndexAction", "IndexName", IndexName=fields.INDEX_NAME),
        )
    ),
    StreamSpecification=schema.STREAM_SPECIFICATION,
    SSESpecification=schema.SSE_SPECIFICATION,
    ReplicaUpdates=List(Structure("ReplicationGroupUpdate", Create=REGION, Update=REGION, Delete=REGION), shortest=1),
    TableClass=schema.TABLE_CLASS,
    DeletionProtectionEnabled=fields.BOOLEAN,
    MultiRegionConsistency=String(one_of="EVENTUAL STRONG"),
    OnDemandThroughput=schema.ON_DEMAND_THROUGHPUT,
    WarmThroughput=schema.WARM_THROUGHPUT,
)
_CHANGES = (
    "ProvisionedThroughput",
    "BillingMode",
    "StreamSpecification",
    "GlobalSecondaryIndexUpdates",
    "SSESpecification",
    "ReplicaUpdates",
    "TableClass",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
    "WarmThroughput",
)

_ALONE = {
    "SSESpecification": "Server-Side Encryption modification",
    "TableClass": "TableClass modification",
    "DeletionProtectionEnabled": "DeletionProtection modification",
    "ReplicaUpdates": "Replica modification",
}
"""Changes that a request makes alone, and what DynamoDB calls them."""


def rules(request: dict[str, Any]) -> Checked:
    _check_changes(request)
    _check_combinations(request)
    _check_billing(request)
    _check_stream(request)
    _check_index_updates(request)
    schema.check_on_demand_units(request.get("OnDemandThroughput", {}), least=-1)
    schema.check_encryption(request.get("SSESpecification", {}))
    return Checked(request, named(request["TableName"]))


def _changes(request: dict[str, Any]) -> list[str]:
    return [member for member in _CHANGES if request.get(member) not in (None, [], {})]


def _check_changes(request: dict[str, Any]) -> None:
    if request.get("GlobalSecondaryIndexUpdates") == []:
        raise refusal("List of GlobalSecondaryIndexUpdates is empty")
    if not _changes(request):
        raise ValidationException(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
            "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, "
            "MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass "
            "is required"
        )


def _check_combinations(request: dict[str, Any]) -> None:
    changes = _changes(request)
    for member, name in _ALONE.items():
        if member in changes and len(changes) > 1:
            raise refusal(f"{name} must be the only operation in the request")
    indexes = request.get("GlobalSecondaryIndexUpdates", ())
    moves_index = any("Create" in update or "Delete" in update for update in indexes)
    if "ProvisionedThroughput" in changes and "StreamSpecification" in changes:
        raise refusal("You cannot modify stream status while updating table IOPS")
    if "ProvisionedThroughput" in changes and moves_index and "BillingMode" not in changes:
        raise refusal("You cannot create or delete index while updating table IOPS")
    if "StreamSpecification" in changes and moves_index:
        raise refusal("You cannot create or delete index while changing stream status")


def _check_stream(request: dict[str, Any]) -> None:
    stream = request.get("StreamSpecification")
    if stream is None:
        return
    if stream["StreamEnabled"] and "StreamViewType" not in stream:
        raise refusal("If stream is being enabled then UpdateViewType is required")
    if not stream["StreamEnabled"] and "StreamViewType" in stream:
        raise refusal("If stream is being disabled, then UpdateViewType must not be specified")


def _check_billing(request: dict[str, Any]) -> None:
    mode, throughput = request.get("BillingMode"), request.get("ProvisionedThroughput")
    if mode == "PROVISIONED" and throughput is None:
        raise refusal("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    if throughput is not None:
        check_billing(request)


def _check_index_updates(request: dict[str, Any]) -> None:
    seen: set[str] = set()
    for update in request.get("GlobalSecondaryIndexUpdates", ()):
        if not update:
            raise refusal(
                "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                "GlobalSecondaryIndexUpdate.Delete must not be null"
            )
        if len(update) > 1:
            raise refusal("Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object")
        for action in update.values():
            if action["IndexName"] in seen:
                raise refusal(
                    "Only one global secondary index update per index is allowed simultaneously. "
                    f"Index: {action['IndexName']}"
                )
            seen.add(action["IndexName"])
        if "Create" in update:
            _check_new_index(update["Create"], request)
    _check_one_at_a_time(request)


def _check_one_at_a_time(request: dict[str, Any]) -> None:
    updates = request.get("GlobalSecondaryIndexUpdates", ())
    if sum("Create" in update or "Delete" in update for update in updates) > 1:
        raise LimitExceededException(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
        )


def _check_new_index(index: dict[str, Any], request: dict[str, Any]) -> None:
    """The keys of a new index are defined in this request, even where the table knows them already."""
    if "AttributeDefinitions" not in request:
        raise refusal(f"AttributeDefinitions is not specified for index: {index['IndexName']}")
    defined = schema.names_of(request["AttributeDefinitions"])
    schema.check_defined(schema.names_of(index["KeySchema"]), defined)
    schema.check_global_key_order(index["KeySchema"])
    schema.check_projection(index["Projection"])


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


def _change_billing(transaction: Transaction, record: _Record, request: Mapping[str, Any]) -> None:
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


def _change_throughput(transaction: Transaction, record: _Record, wanted: _Record) -> None:
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


def _change_settings(record: _Record, request: Mapping[str, Any]) -> None:
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
        _add_definitions(record, request)


def _add_definitions(record: _Record, request: Mapping[str, Any]) -> None:
    """Known attributes keep their types. Another type is refused only for the key of a new index."""
    known = {definition["AttributeName"]: definition for definition in record["AttributeDefinitions"]}
    created = [change["Create"] for change in request.get("GlobalSecondaryIndexUpdates") or () if "Create" in change]
    keys = {key["AttributeName"] for index in created for key in index["KeySchema"]}
    for definition in request["AttributeDefinitions"]:
        name, kind = definition["AttributeName"], definition["AttributeType"]
        before = known.setdefault(name, definition)["AttributeType"]
        if before != kind and name in keys:
            raise ValidationException(
                "One or more parameter values were invalid: Attributes cannot be redefined. Please check that your "
                "attribute has the same type as previously defined. "
                f"Existing schema: Schema:[SchemaElement: key{{{name}:{before}:HASH}}] "
                f"New schema: Schema:[SchemaElement: key{{{name}:{kind}:HASH}}]"
            )
    record["AttributeDefinitions"] = list(known.values())


def _find_index(table: Table, record: _Record, index_name: str) -> _Record:
    for index in record.get("GlobalSecondaryIndexes", ()):
        if index["IndexName"] == index_name:
            return index  # type: ignore[no-any-return]
    raise ResourceNotFoundException(f"Requested resource not found: Index: {index_name} for table: {table.name}")


def _update_index(table: Table, record: _Record, change: _Record) -> None:
    index = _find_index(table, record, change["IndexName"])
    if change.get("ProvisionedThroughput"):
        check_units(change["ProvisionedThroughput"], change["IndexName"])
    for member in ("ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput"):
        if change.get(member):
            index[member] = change[member]


def _forget_index(table: Table, record: _Record, index_name: str) -> str:
    index = _find_index(table, record, index_name)
    record["GlobalSecondaryIndexes"].remove(index)
    if not record["GlobalSecondaryIndexes"]:
        del record["GlobalSecondaryIndexes"]
    return index_name


def _add_index(table: Table, record: _Record, request: Mapping[str, Any], change: _Record) -> str:
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


def _check_definitions(table: Table, record: _Record) -> None:
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


def _change_stream(transaction: Transaction, table: Table, record: _Record, request: Mapping[str, Any]) -> None:
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


def _lay_out(transaction: Transaction, table: Table, record: _Record, created: list[str], deleted: list[str]) -> None:
    for index in record.get("GlobalSecondaryIndexes", ()):
        if index["IndexName"] in created:
            index["id"] = transaction.take_id()
            transaction.create_index(index["id"])
    for index_name in deleted:
        index_id = table.indexes[index_name].id
        jobs.drop_index(transaction, index_id)


def _describe(transaction: Transaction, table: Table, created: list[str], request: Mapping[str, Any]) -> _Record:
    """The change is done at once; the answer still says what DynamoDB's says."""
    description = table_record.describe(transaction, table, "UPDATING")
    changes = request.get("GlobalSecondaryIndexUpdates") or ()
    updated = {change["Update"]["IndexName"] for change in changes if change.get("Update")}
    for index in description.get("GlobalSecondaryIndexes", ()):
        if index["IndexName"] in created:
            index["IndexStatus"] = "CREATING"
            index["Backfilling"] = False
        elif index["IndexName"] in updated:
            index["IndexStatus"] = "UPDATING"
    return description


_UNANSWERED = (
    "VectorIndexUpdates GlobalTableWitnessUpdates GlobalTableSettingsReplicationMode DisassociationProtectionEnabled"
)

OPERATIONS = (Write("UpdateTable", _SHAPE, rules, update_table, unanswered=_UNANSWERED),)
