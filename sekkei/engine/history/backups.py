"""On-demand backups: what one is, how it is described, and how it is filled.

A backup's items lie in `items_N` under the backup's id, its table's record as it was in the backup's own record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sekkei.engine.history import copies, drops, jobs
from sekkei.engine.history.copies import CopiedItem, Copy
from sekkei.engine.history.jobs import JobFailed, Memory, State
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.sealed import seal, unseal
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.errors import BackupNotFoundException

Record = dict[str, Any]

ITEMS_PER_COMMIT = 1_000
BYTES_PER_COMMIT = 1024 * 1024
SYSTEM_BACKUP_SECONDS = 35 * 24 * 3600
"""How long the last state of a deleted table with point-in-time recovery is kept."""


@dataclass(frozen=True, slots=True)
class Backup:
    id: int
    record: Record

    @property
    def arn(self) -> str:
        return self.record["BackupArn"]  # type: ignore[no-any-return]

    @property
    def table_record(self) -> Record:
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
    backup.record["BackupExpiryDateTime"] = round(transaction.now + SYSTEM_BACKUP_SECONDS, 3)
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
    drops.drop_items(transaction, backup.id)
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


def _sealed(id: int, record: Record) -> bytes:
    return seal(record, "backup", record["BackupArn"], id)


def details(snapshot: Snapshot, backup: Backup) -> Record:
    """BackupDetails."""
    _, size = snapshot.statistics(backup.id)
    described = {name: value for name, value in backup.record.items() if name != "Table"}
    return {**described, "BackupSizeBytes": size}


def describe(snapshot: Snapshot, backup: Backup) -> Record:
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


def _features(table: Record) -> Record:
    features: Record = {}
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
    return copies.next_items(transaction, id, state, _write, ITEMS_PER_COMMIT, BYTES_PER_COMMIT)


def _finish(transaction: Transaction, id: int, state: State, failure: JobFailed | None) -> None:
    copy = Copy(**state)
    copies.finish(transaction, id, copy)
    (row,) = transaction.rows("SELECT id, arn, record FROM backups WHERE id = ?", (copy.target["id"],))
    backup = _backup(*row)
    _update(transaction, Backup(backup.id, {**backup.record, "BackupStatus": "AVAILABLE"}))


jobs.KINDS["backup"] = jobs.JobKind(_part, _finish)
