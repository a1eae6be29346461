"""CreateBackup."""

from __future__ import annotations

from sekkei.engine import backups
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.transaction import Transaction
from sekkei.errors import TableNotFoundException


def create_backup(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = transaction.find_table(checked.table)
    if table is None or not table.is_active:
        raise TableNotFoundException(f"Table not found: {checked.table}")
    _, size = transaction.statistics(table.id)
    backup = backups.create(transaction, table, checked.request["BackupName"])
    # A small backup is ready at once; the answer still says what DynamoDB's says.
    return {"BackupDetails": {**backups.details(transaction, backup), "BackupSizeBytes": size}}
