"""UpdateContinuousBackups."""

from __future__ import annotations

import copy

from sekkei.engine.history import point_in_time
from sekkei.engine.operation import Checked, Render, Response, Write
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import about_table
from sekkei.engine.validation.shapes import Number, Structure
from sekkei.engine.validation.table_name import CONTROL_TABLE_NAME, TableOperation

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


def update_continuous_backups(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = point_in_time.source_table(transaction, checked.table)
    wanted = checked.request["PointInTimeRecoverySpecification"]
    record = copy.deepcopy(table.record)
    history = record.pop("PointInTimeRecovery", None)
    if wanted["PointInTimeRecoveryEnabled"]:
        # What an earlier, shorter period has let go does not come back with a longer one.
        since = point_in_time.since(history, transaction.now) if history is not None else transaction.now
        days = (history or {}).get("RecoveryPeriodInDays", point_in_time.RECOVERY_DAYS_DEFAULT)
        record["PointInTimeRecovery"] = {
            "Since": since,
            "RecoveryPeriodInDays": wanted.get("RecoveryPeriodInDays") or days,
        }
    table = transaction.save_table(table.id, record)
    return {"ContinuousBackupsDescription": point_in_time.describe(transaction, table)}


OPERATIONS = (Write("UpdateContinuousBackups", SHAPE, about_table, update_continuous_backups),)
