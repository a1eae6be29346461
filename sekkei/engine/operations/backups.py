"""CreateBackup, DeleteBackup, DescribeBackup, ListBackups: on-demand backups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekkei.engine.history import backups, jobs
from sekkei.engine.history.backups import Backup
from sekkei.engine.operation import Checked, Read, Render, Response, Write
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import CONTROL_TABLE_NAME, PATTERN, TABLE_NAME, TableOperation, about_table, plain
from sekkei.engine.validation.shapes import Number, String, Structure
from sekkei.errors import BackupInUseException, TableNotFoundException

_CREATE = TableOperation(
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


IN_USE = (
    "There is another ongoing conflicting backup control plane operation on the table. "
    "The backup is either being created, deleted or restored to a table."
)

_DELETE = Structure("DeleteBackupInput", "BackupArn", BackupArn=fields.ARN)


def delete_backup(transaction: Transaction, checked: Checked, render: Render) -> Response:
    backup = backups.find(transaction, checked.request["BackupArn"])
    if not backup.is_available or jobs.is_source(transaction, backup.id):
        raise BackupInUseException(IN_USE)
    description = backups.describe(transaction, backup)
    description["BackupDetails"]["BackupStatus"] = "DELETED"
    backups.delete(transaction, backup)
    return {"BackupDescription": description}


_DESCRIBE = Structure("DescribeBackupInput", "BackupArn", BackupArn=fields.ARN)


def describe_backup(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    backup = backups.find(snapshot, checked.request["BackupArn"])
    return {"BackupDescription": backups.describe(snapshot, backup)}


_LIMIT_MAX = 100

_LIST = Structure(
    "ListBackupsInput",
    TableName=TABLE_NAME,
    Limit=Number(least=1, most=100),
    TimeRangeLowerBound=fields.TIME,
    TimeRangeUpperBound=fields.TIME,
    ExclusiveStartBackupArn=fields.ARN,
    BackupType=String(one_of="USER SYSTEM AWS_BACKUP ALL"),
)


def list_backups(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    limit = request.get("Limit") or _LIMIT_MAX
    start = request.get("ExclusiveStartBackupArn")
    found = [backup for backup in backups.all_backups(snapshot) if _is_wanted(backup, checked.table, request)]
    arns = [backup.arn for backup in found]
    if start in arns:
        found = found[arns.index(start) + 1 :]
    response: Response = {"BackupSummaries": [_summary(snapshot, backup) for backup in found[:limit]]}
    if len(found) > limit:
        response["LastEvaluatedBackupArn"] = found[limit - 1].arn
    return response


def _is_wanted(backup: Backup, table: str, request: Mapping[str, Any]) -> bool:
    record = backup.record
    created = record["BackupCreationDateTime"]
    return (
        table in ("", backup.table_record["TableName"])
        and request.get("BackupType", "USER") in (record["BackupType"], "ALL")
        and created >= request.get("TimeRangeLowerBound", created)
        and created < request.get("TimeRangeUpperBound", created + 1)
    )


def _summary(snapshot: Snapshot, backup: Backup) -> dict[str, Any]:
    table = {member: backup.table_record[member] for member in ("TableName", "TableId", "TableArn")}
    return {**table, **backups.details(snapshot, backup)}


OPERATIONS = (
    Write("CreateBackup", _CREATE, about_table, create_backup),
    Write("DeleteBackup", _DELETE, plain, delete_backup),
    Read("DescribeBackup", _DESCRIBE, plain, describe_backup),
    Read("ListBackups", _LIST, plain, list_backups),
)
