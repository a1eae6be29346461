"""A new table out of a backup or out of a moment of the past.

Its keys, indexes and settings are the source's, save where the request overrides them. Stream, time to live, tags and
continuous backups are not restored, as in DynamoDB.
"""

from __future__ import annotations

import copy as copying
from collections.abc import Mapping
from typing import Any

import orjson

from sekkei.engine.history import copies, jobs
from sekkei.engine.history.copies import CopiedItem, Copy
from sekkei.engine.history.jobs import JobFailed, Memory, State
from sekkei.engine.storage.catalogue import Table, table_arn
from sekkei.engine.storage.table_record import (
    billing_mode_summary,
    build,
    described_as_creating,
    encryption_description,
    throughput,
)
from sekkei.engine.storage.transaction import ABSENT, Transaction
from sekkei.errors import TableAlreadyExistsException, ValidationException

Record = dict[str, Any]

# Indexes make a restored item dearer than a copied one.
ITEMS_PER_COMMIT = 500
BYTES_PER_COMMIT = 512 * 1024

_RESTORED = (
    "AttributeDefinitions",
    "KeySchema",
    "ProvisionedThroughput",
    "BillingModeSummary",
    "LocalSecondaryIndexes",
    "GlobalSecondaryIndexes",
    "OnDemandThroughput",
    "WarmThroughput",
    "TableClassSummary",
    "SSEDescription",
)


def restore(
    transaction: Transaction,
    request: Mapping[str, Any],
    source: Table | int,
    source_record: Record,
    summary: Record,
    until_ms: int | None = None,
) -> Record:
    """Begin to restore a table; gives its description. `summary` says where it comes from."""
    name = request["TargetTableName"]
    if transaction.find_table(name) is not None:
        raise TableAlreadyExistsException(f"Table already exists: {name}")
    record = _new_record(transaction, request, source_record)
    record["RestoreSummary"] = {**summary, "RestoreInProgress": True}
    record["TableStatus"] = "CREATING"
    table_id = transaction.take_id()
    build(transaction, table_id, record)
    description = described_as_creating(transaction, name)
    copies.start(transaction, "restore", source, {"id": table_id, "name": name}, until_ms)
    return description


def _new_record(transaction: Transaction, request: Mapping[str, Any], source: Record) -> Record:
    record = {member: copying.deepcopy(source[member]) for member in _RESTORED if member in source}
    record["TableName"] = request["TargetTableName"]
    record["TableArn"] = table_arn(request["TargetTableName"], transaction.region)
    record["TableId"] = transaction.uuid()
    record["CreationDateTime"] = round(transaction.now, 3)
    record["DeletionProtectionEnabled"] = False
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        _override_indexes(record, member, request.get(member.removesuffix("es") + "Override"))
    _override_billing(transaction, record, request)
    if request.get("SSESpecificationOverride"):
        encryption = encryption_description(request["SSESpecificationOverride"])
        record.pop("SSEDescription", None)
        if encryption is not None:
            record["SSEDescription"] = encryption
    _drop_unused_definitions(record)
    return record


def _override_indexes(record: Record, member: str, wanted: list[Record] | None) -> None:
    """The indexes that the request names, each of which the source must have; all of them if it names none."""
    indexes = {index["IndexName"]: index for index in record.pop(member, ())}
    if wanted is not None:
        for override in wanted:
            source = indexes.get(override["IndexName"])
            if source is None or any(override[name] != source[name] for name in ("KeySchema", "Projection")):
                raise ValidationException(
                    "One or more parameter values were invalid: "
                    f"Index {override['IndexName']} does not match an index of the source table"
                )
            for name in ("ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput"):
                if override.get(name):
                    source[name] = override[name]
        indexes = {override["IndexName"]: indexes[override["IndexName"]] for override in wanted}
    if indexes:
        record[member] = [_without(index, "id", "Backfilling") for index in indexes.values()]


def _without(index: Record, *members: str) -> Record:
    return {name: value for name, value in index.items() if name not in members}


def _override_billing(transaction: Transaction, record: Record, request: Mapping[str, Any]) -> None:
    mode = request.get("BillingModeOverride")
    if mode == "PAY_PER_REQUEST":
        record["BillingModeSummary"] = billing_mode_summary(transaction)
        record["ProvisionedThroughput"] = {}
        for index in record.get("GlobalSecondaryIndexes", ()):
            index["ProvisionedThroughput"] = {}
    elif mode == "PROVISIONED":
        if not request.get("ProvisionedThroughputOverride"):
            raise ValidationException(
                "One or more parameter values were invalid: ProvisionedThroughputOverride must be specified "
                "when BillingModeOverride is PROVISIONED"
            )
        record.pop("BillingModeSummary", None)
    if request.get("ProvisionedThroughputOverride"):
        record["ProvisionedThroughput"] = throughput(request["ProvisionedThroughputOverride"])
    if request.get("OnDemandThroughputOverride"):
        record["OnDemandThroughput"] = request["OnDemandThroughputOverride"]


def _drop_unused_definitions(record: Record) -> None:
    schemas = [record["KeySchema"]]
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        schemas += [index["KeySchema"] for index in record.get(member, ())]
    used = {element["AttributeName"] for schema in schemas for element in schema}
    record["AttributeDefinitions"] = [
        definition for definition in record["AttributeDefinitions"] if definition["AttributeName"] in used
    ]


def _write(transaction: Transaction, copy: Copy, items: list[CopiedItem]) -> None:
    table = transaction.find_table(copy.target["name"])
    assert table is not None, "a table that is being restored cannot be deleted"
    for item in items:
        row = transaction.load(table.id, *item)
        if table.indexes and item.is_sound:
            transaction.index(table, item.key, row, ABSENT, (orjson.loads(item.blob), item.size))


def _part(transaction: Transaction, id: int, state: State, memory: Memory) -> bool:
    return copies.next_items(transaction, id, state, _write, ITEMS_PER_COMMIT, BYTES_PER_COMMIT)


def _finish(transaction: Transaction, id: int, state: State, failure: JobFailed | None) -> None:
    copy = Copy(**state)
    copies.finish(transaction, id, copy)
    table = transaction.find_table(copy.target["name"])
    assert table is not None
    record = copying.deepcopy(table.record)
    del record["TableStatus"]
    record["RestoreSummary"]["RestoreInProgress"] = False
    transaction.save_table(table.id, record)


jobs.KINDS["restore"] = jobs.JobKind(_part, _finish)
