"""RestoreTableFromBackup."""

from __future__ import annotations

from sekkei.engine import backups, restores
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.operations.delete_backup import IN_USE
from sekkei.engine.transaction import Transaction
from sekkei.errors import BackupInUseException


def restore_table_from_backup(transaction: Transaction, checked: Checked, render: Render) -> Response:
    backup = backups.find(transaction, checked.request["BackupArn"])
    if not backup.is_available:
        raise BackupInUseException(IN_USE)
    summary = {
        "SourceBackupArn": backup.arn,
        "SourceTableArn": backup.table_record["TableArn"],
        "RestoreDateTime": backup.record["BackupCreationDateTime"],
    }
    return {"TableDescription": restores.restore(transaction, checked.request, backup.id, backup.table_record, summary)}
