"""ListBackups."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import Number, String, Structure
from sekkei.engine.validation.table_name import TABLE_NAME

__all__ = ["SHAPE", "rules"]

SHAPE = Structure(
    "ListBackupsInput",
    TableName=TABLE_NAME,
    Limit=Number(least=1, most=100),
    TimeRangeLowerBound=fields.TIME,
    TimeRangeUpperBound=fields.TIME,
    ExclusiveStartBackupArn=fields.ARN,
    BackupType=String(one_of="USER SYSTEM AWS_BACKUP ALL"),
)
