"""UpdateContinuousBackups."""

from __future__ import annotations

import copy

from sekkei.engine import point_in_time
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.transaction import Transaction


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
