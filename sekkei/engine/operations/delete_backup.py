"""DeleteBackup."""

from __future__ import annotations

from sekkei.engine.history import backups, jobs
from sekkei.engine.operation import Checked, Render, Response, Write
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import Structure
from sekkei.errors import BackupInUseException

IN_USE = (
    "There is another ongoing conflicting backup control plane operation on the table. "
    "The backup is either being created, deleted or restored to a table."
)

SHAPE = Structure("DeleteBackupInput", "BackupArn", BackupArn=fields.ARN)


def delete_backup(transaction: Transaction, checked: Checked, render: Render) -> Response:
    backup = backups.find(transaction, checked.request["BackupArn"])
    if not backup.is_available or jobs.is_source(transaction, backup.id):
        raise BackupInUseException(IN_USE)
    description = backups.describe(transaction, backup)
    description["BackupDetails"]["BackupStatus"] = "DELETED"
    backups.delete(transaction, backup)
    return {"BackupDescription": description}


OPERATIONS = (Write("DeleteBackup", SHAPE, plain, delete_backup),)
