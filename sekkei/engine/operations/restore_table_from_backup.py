"""RestoreTableFromBackup."""

from __future__ import annotations

from typing import Any

from sekkei.engine.history import backups
from sekkei.engine.operation import Checked, Render, Response, Write
from sekkei.engine.operations.backups import IN_USE
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields, schema
from sekkei.engine.validation.shapes import Shape, Structure
from sekkei.errors import BackupInUseException

OVERRIDES: dict[str, Shape] = {
    "BillingModeOverride": schema.BILLING_MODE,
    "GlobalSecondaryIndexOverride": schema.GLOBAL_INDEXES,
    "LocalSecondaryIndexOverride": schema.LOCAL_INDEXES,
    "ProvisionedThroughputOverride": schema.PROVISIONED_THROUGHPUT,
    "OnDemandThroughputOverride": schema.ON_DEMAND_THROUGHPUT,
    "SSESpecificationOverride": schema.SSE_SPECIFICATION,
}
_SHAPE = Structure(
    "RestoreTableFromBackupInput",
    "TargetTableName BackupArn",
    TargetTableName=fields.PLAIN_TABLE_NAME,
    BackupArn=fields.ARN,
    **OVERRIDES,
)


def rules(request: dict[str, Any]) -> Checked:
    return Checked(request, request["TargetTableName"])


def restore_table_from_backup(transaction: Transaction, checked: Checked, render: Render) -> Response:
    backup = backups.find(transaction, checked.request["BackupArn"])
    if not backup.is_available:
        raise BackupInUseException(IN_USE)
    summary = {
        "SourceBackupArn": backup.arn,
        "SourceTableArn": backup.table_record["TableArn"],
        "RestoreDateTime": backup.record["BackupCreationDateTime"],
    }
    return {"TableDescription": backups.restore(transaction, checked.request, backup.id, backup.table_record, summary)}


_UNANSWERED = "VectorIndexOverride"

OPERATIONS = (Write("RestoreTableFromBackup", _SHAPE, rules, restore_table_from_backup, unanswered=_UNANSWERED),)
