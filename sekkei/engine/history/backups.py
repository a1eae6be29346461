"""On-demand and continuous backups, and the tables that are restored from them.

A backup's items lie in `items_N` under the backup's id, its table's record as it was in the backup's own record.
A table with continuous backups keeps its history for a window of the past. A restored table has its source's keys,
indexes and settings, save where the request overrides them. Stream, time to live, tags and continuous backups are not
restored, as in DynamoDB.
"""

from __future__ import annotations

import copy as copying
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from sekkei.engine.history import copies, jobs
from sekkei.engine.history.copies import CopiedItem, Copy
from sekkei.engine.history.jobs import JobFailed, Memory, State
from sekkei.engine.storage.catalogue import Table, table_arn
from sekkei.engine.storage.snapshot import Snapshot, seal, unseal
from sekkei.engine.storage.table_record import (
    billing_mode_summary,
    build,
    described_as_creating,
    encryption_description,
    throughput,
)
from sekkei.engine.storage.transaction import ABSENT, Transaction
from sekkei.errors import (
    BackupNotFoundException,
    PointInTimeRecoveryUnavailableException,
    TableAlreadyExistsException,
    TableNotFoundException,
    ValidationException,
)

RECOVERY_DAYS_DEFAULT = 35
_DAY_SECONDS = 24 * 3600


def source_table(snapshot: Snapshot, name_or_arn: str) -> Table:
    table = snapshot.find_table(name_or_arn)
    if table is None or not table.is_active:
        raise TableNotFoundException(f"Table not found: {name_or_arn}")
    return table


def since(history: dict[str, Any], now: float) -> float:
    """From when on the table's history is there."""
    oldest = now - history["RecoveryPeriodInDays"] * _DAY_SECONDS
    return float(max(history["Since"], oldest))


def window(snapshot: Snapshot, table: Table) -> tuple[int, int]:
    """The first and the last second that the table can be restored to."""
    history = table.record.get("PointInTimeRecovery")
    if history is None:
        raise PointInTimeRecoveryUnavailableException(f"Point in time recovery is not enabled for table '{table.name}'")
    now = snapshot.clock.now()
    earliest = math.ceil(since(history, now))
    # Within its first second of history a table can be restored to the present only, which ends with that second.
    return earliest, max(earliest, math.floor(now))


def describe_continuous(snapshot: Snapshot, table: Table) -> dict[str, Any]:
    """ContinuousBackupsDescription."""
    history = table.record.get("PointInTimeRecovery")
    recovery: dict[str, Any] = {"PointInTimeRecoveryStatus": "DISABLED"}
    if history is not None:
        earliest, latest = window(snapshot, table)
        recovery = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": history["RecoveryPeriodInDays"],
            "EarliestRestorableDateTime": earliest,
            "LatestRestorableDateTime": latest,
        }
    return {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery}


_Record = dict[str, Any]

ITEMS_PER_COMMIT = 1_000
_BYTES_PER_COMMIT = 1024 * 1024
_SYSTEM_BACKUP_SECONDS = 35 * 24 * 3600
"""How long the last state of a deleted table with point-in-time recovery is kept."""


@dataclass(frozen=True, slots=True)
class Backup:
    id: int
    record: _Record

    @property
    def arn(self) -> str:
        return self.record["BackupArn"]  # type: ignore[no-any-return]

    @property
    def table_record(self) -> _Record:
        return self.record["Table"]  # type: ignore[no-any-return]

    @property
    def is_available(self) -> bool:
        return bool(self.record["BackupStatus"] == "AVAILABLE")


def create(transaction: Transaction, table: Table, name: str) -> Backup:
    """Begin a backup of the table as it is now."""
    backup = _insert(transaction, transaction.take_id(), table, name, "USER", "CREATING")
    transaction.create_items(backup.id)
    copies.start(transaction, "backup", table, {"id": backup.id})
    return backup


def keep_deleted(transaction: Transaction, table: Table) -> None:
    """Make a backup of a table that is being deleted out of its very items."""
    id = transaction.hide("items", table.id)
    backup = _insert(transaction, id, table, f"{table.name}$DeletedTableBackup", "SYSTEM", "AVAILABLE")
    backup.record["BackupExpiryDateTime"] = round(transaction.now + _SYSTEM_BACKUP_SECONDS, 3)
    _update(transaction, backup)


def _insert(transaction: Transaction, id: int, table: Table, name: str, kind: str, status: str) -> Backup:
    moment = f"{int(transaction.now * 1000):014d}-{transaction.uuid()[:8]}"
    record = {
        "BackupArn": f"{table.arn}/backup/{moment}",
        "BackupName": name,
        "BackupStatus": status,
        "BackupType": kind,
        "BackupCreationDateTime": round(transaction.now, 3),
        "Table": table.record,
    }
    transaction.wrote = True
    transaction.connection.execute(
        "INSERT INTO backups(id, arn, record) VALUES (?, ?, ?)", (id, record["BackupArn"], _sealed(id, record))
    )
    return Backup(id, record)


def _update(transaction: Transaction, backup: Backup) -> None:
    transaction.wrote = True
    transaction.connection.execute(
        "UPDATE backups SET record = ? WHERE id = ?", (_sealed(backup.id, backup.record), backup.id)
    )


def delete(transaction: Transaction, backup: Backup) -> None:
    jobs.drop_items(transaction, backup.id)
    transaction.connection.execute("DELETE FROM backups WHERE id = ?", (backup.id,))


def all_backups(snapshot: Snapshot) -> list[Backup]:
    rows = snapshot.rows("SELECT id, arn, record FROM backups ORDER BY id")
    return [_backup(*row) for row in rows]


def find(snapshot: Snapshot, arn: str) -> Backup:
    rows = snapshot.rows("SELECT id, arn, record FROM backups WHERE arn = ?", (arn,))
    if not rows:
        raise BackupNotFoundException(f"Backup not found: {arn}")
    return _backup(*rows[0])


def _backup(id: int, arn: str, record: bytes) -> Backup:
    return Backup(id, unseal(record, "backup", arn, id))


def _sealed(id: int, record: _Record) -> bytes:
    return seal(record, "backup", record["BackupArn"], id)


def details(snapshot: Snapshot, backup: Backup) -> _Record:
    """BackupDetails."""
    _, size = snapshot.statistics(backup.id)
    described = {name: value for name, value in backup.record.items() if name != "Table"}
    return {**described, "BackupSizeBytes": size}


def describe(snapshot: Snapshot, backup: Backup) -> _Record:
    """BackupDescription."""
    items, size = snapshot.statistics(backup.id)
    table = backup.table_record
    throughput = table["ProvisionedThroughput"]
    source = {
        "TableName": table["TableName"],
        "TableId": table["TableId"],
        "TableArn": table["TableArn"],
        "TableSizeBytes": size,
        "KeySchema": table["KeySchema"],
        "TableCreationDateTime": table["CreationDateTime"],
        "ProvisionedThroughput": {
            unit: throughput.get(unit, 0) for unit in ("ReadCapacityUnits", "WriteCapacityUnits")
        },
        "ItemCount": items,
        "BillingMode": table.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED"),
    }
    if "OnDemandThroughput" in table:
        source["OnDemandThroughput"] = table["OnDemandThroughput"]
    return {
        "BackupDetails": details(snapshot, backup),
        "SourceTableDetails": source,
        "SourceTableFeatureDetails": _features(table),
    }


def _features(table: _Record) -> _Record:
    features: _Record = {}
    members = ("IndexName", "KeySchema", "Projection", "ProvisionedThroughput", "OnDemandThroughput")
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if table.get(kind):
            features[kind] = [{name: index[name] for name in members if index.get(name)} for index in table[kind]]
    if "StreamSpecification" in table:
        features["StreamDescription"] = table["StreamSpecification"]
    ttl = table.get("TimeToLive")
    features["TimeToLiveDescription"] = (
        {"TimeToLiveStatus": "ENABLED", "AttributeName": ttl["AttributeName"]}
        if ttl
        else {"TimeToLiveStatus": "DISABLED"}
    )
    if "SSEDescription" in table:
        features["SSEDescription"] = table["SSEDescription"]
    return features


def _write(transaction: Transaction, copy: Copy, items: list[CopiedItem]) -> None:
    for item in items:
        transaction.load(copy.target["id"], *item)


def _part(transaction: Transaction, id: int, state: State, memory: Memory) -> bool:
    return copies.next_items(transaction, id, state, _write, ITEMS_PER_COMMIT, _BYTES_PER_COMMIT)


def _finish(transaction: Transaction, id: int, state: State, failure: JobFailed | None) -> None:
    copy = Copy(**state)
    copies.finish(transaction, id, copy)
    (row,) = transaction.rows("SELECT id, arn, record FROM backups WHERE id = ?", (copy.target["id"],))
    backup = _backup(*row)
    _update(transaction, Backup(backup.id, {**backup.record, "BackupStatus": "AVAILABLE"}))


jobs.KINDS["backup"] = jobs.JobKind(_part, _finish)


# Indexes make a restored item dearer than a copied one.
RESTORED_ITEMS_PER_COMMIT = 500
_RESTORED_BYTES_PER_COMMIT = 512 * 1024

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
    source_record: _Record,
    summary: _Record,
    until_ms: int | None = None,
) -> _Record:
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


def _new_record(transaction: Transaction, request: Mapping[str, Any], source: _Record) -> _Record:
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


def _override_indexes(record: _Record, member: str, wanted: list[_Record] | None) -> None:
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


def _without(index: _Record, *members: str) -> _Record:
    return {name: value for name, value in index.items() if name not in members}


def _override_billing(transaction: Transaction, record: _Record, request: Mapping[str, Any]) -> None:
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


def _drop_unused_definitions(record: _Record) -> None:
    schemas = [record["KeySchema"]]
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        schemas += [index["KeySchema"] for index in record.get(member, ())]
    used = {element["AttributeName"] for schema in schemas for element in schema}
    record["AttributeDefinitions"] = [
        definition for definition in record["AttributeDefinitions"] if definition["AttributeName"] in used
    ]


def _write_restored(transaction: Transaction, copy: Copy, items: list[CopiedItem]) -> None:
    table = transaction.find_table(copy.target["name"])
    assert table is not None, "a table that is being restored cannot be deleted"
    for item in items:
        row = transaction.load(table.id, *item)
        if table.indexes and item.is_sound:
            transaction.index(table, item.key, row, ABSENT, (orjson.loads(item.blob), item.size))


def _restore_part(transaction: Transaction, id: int, state: State, memory: Memory) -> bool:
    return copies.next_items(
        transaction, id, state, _write_restored, RESTORED_ITEMS_PER_COMMIT, _RESTORED_BYTES_PER_COMMIT
    )


def _finish_restore(transaction: Transaction, id: int, state: State, failure: JobFailed | None) -> None:
    copy = Copy(**state)
    copies.finish(transaction, id, copy)
    table = transaction.find_table(copy.target["name"])
    assert table is not None
    record = copying.deepcopy(table.record)
    del record["TableStatus"]
    record["RestoreSummary"]["RestoreInProgress"] = False
    transaction.save_table(table.id, record)


jobs.KINDS["restore"] = jobs.JobKind(_restore_part, _finish_restore)
