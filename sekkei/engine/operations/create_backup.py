"""CreateBackup."""

from __future__ import annotations

from sekkei.engine.history import backups
from sekkei.engine.operation import Checked, Render, Response, Write
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation.fields import CONTROL_TABLE_NAME, PATTERN, TableOperation, about_table
from sekkei.engine.validation.shapes import String
from sekkei.errors import TableNotFoundException

SHAPE = TableOperation(
    "CreateBackupInput",
    "BackupName",
    TableName=CONTROL_TABLE_NAME,
    BackupName=String(shortest=3, longest=255, pattern=PATTERN),
)


def create_backup(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = transaction.find_table(checked.table)
    if table is None or not table.is_active:
        raise TableNotFoundException(f"Table not found: {checked.table}")
    _, size = transaction.statistics(table.id)
    backup = backups.create(transaction, table, checked.request["BackupName"])
    # A small backup is ready at once; the answer still says what DynamoDB's says.
    return {"BackupDetails": {**backups.details(transaction, backup), "BackupSizeBytes": size}}


OPERATIONS = (Write("CreateBackup", SHAPE, about_table, create_backup),)
