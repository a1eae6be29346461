"""DescribeContinuousBackups and UpdateContinuousBackups: the history that point-in-time recovery needs."""

from __future__ import annotations

import copy

from sekkei.engine.history import backups
from sekkei.engine.operation import Checked, Read, Render, Response, Write
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import CONTROL_TABLE_NAME, TableOperation, about_table, only_a_table
from sekkei.engine.validation.shapes import Number, Structure

_DESCRIBE = only_a_table("DescribeContinuousBackupsInput")


def describe_continuous_backups(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    snapshot.catalogue.refresh(snapshot.connection)
    table = backups.source_table(snapshot, checked.table)
    return {"ContinuousBackupsDescription": backups.describe_continuous(snapshot, table)}


_UPDATE = TableOperation(
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
    table = backups.source_table(transaction, checked.table)
    wanted = checked.request["PointInTimeRecoverySpecification"]
    record = copy.deepcopy(table.record)
    history = record.pop("PointInTimeRecovery", None)
    if wanted["PointInTimeRecoveryEnabled"]:
        # What an earlier, shorter period has let go does not come back with a longer one.
        since = backups.since(history, transaction.now) if history is not None else transaction.now
        days = (history or {}).get("RecoveryPeriodInDays", backups.RECOVERY_DAYS_DEFAULT)
        record["PointInTimeRecovery"] = {
            "Since": since,
            "RecoveryPeriodInDays": wanted.get("RecoveryPeriodInDays") or days,
        }
    table = transaction.save_table(table.id, record)
    return {"ContinuousBackupsDescription": backups.describe_continuous(transaction, table)}


OPERATIONS = (
    Read("DescribeContinuousBackups", _DESCRIBE, about_table, describe_continuous_backups),
    Write("UpdateContinuousBackups", _UPDATE, about_table, update_continuous_backups),
)
