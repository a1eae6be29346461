"""CreateBackup."""

from __future__ import annotations

from sekkei.engine.validation.plain import about_table as rules
from sekkei.engine.validation.shapes import String
from sekkei.engine.validation.table_name import CONTROL_TABLE_NAME, PATTERN, TableOperation

__all__ = ["SHAPE", "rules"]

SHAPE = TableOperation(
    "CreateBackupInput",
    "BackupName",
    TableName=CONTROL_TABLE_NAME,
    BackupName=String(shortest=3, longest=255, pattern=PATTERN),
)
