"""UpdateContinuousBackups."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import about_table as rules
from sekkei.engine.validation.shapes import Number, Structure
from sekkei.engine.validation.table_name import CONTROL_TABLE_NAME, TableOperation

__all__ = ["SHAPE", "rules"]

SHAPE = TableOperation(
    "UpdateContinuousBackupsInput",
    "PointInTimeRecoverySpecification",
    TableName=CONTROL_TABLE_NAME,
    PointInTimeRecoverySpecification=Structure(
        "PointInTimeRecoverySpecification",
        "PointInTimeRecoveryEnabled",
        PointInTimeRecoveryEnabled=fields.BOOLEAN,
        RecoveryPeriodInDays=Number(least=1, most=35),
    ),
)
