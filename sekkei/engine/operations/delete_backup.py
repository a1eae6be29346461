"""DeleteBackup."""

from __future__ import annotations

from sekkei.engine import backups, jobs
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.transaction import Transaction
from sekkei.errors import BackupInUseException

IN_USE = (
    "There is another ongoing conflicting backup control plane operation on the table. "
    "The backup is either being created, deleted or restored to a table."
)


def delete_backup(transaction: Transaction, checked: Checked, render: Render) -> Response:
    backup = backups.find(transaction, checked.request["BackupArn"])
    if not backup.is_available or jobs.is_source(transaction, backup.id):
        raise BackupInUseException(IN_USE)
    description = backups.describe(transaction, backup)
    description["BackupDetails"]["BackupStatus"] = "DELETED"
    backups.delete(transaction, backup)
    return {"BackupDescription": description}
