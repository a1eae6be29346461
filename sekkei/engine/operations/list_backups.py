"""ListBackups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekkei.engine.history import backups
from sekkei.engine.history.backups import Backup
from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import TABLE_NAME, plain
from sekkei.engine.validation.shapes import Number, String, Structure

LIMIT_MAX = 100

SHAPE = Structure(
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
    limit = request.get("Limit") or LIMIT_MAX
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


OPERATIONS = (Read("ListBackups", SHAPE, plain, list_backups),)
