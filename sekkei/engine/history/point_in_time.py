"""Continuous backups: whether a table keeps its history, and the window of the past it can be restored to."""

from __future__ import annotations

import math
from typing import Any

from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.errors import PointInTimeRecoveryUnavailableException, TableNotFoundException

RECOVERY_DAYS_DEFAULT = 35
DAY_SECONDS = 24 * 3600


def source_table(snapshot: Snapshot, name_or_arn: str) -> Table:
    table = snapshot.find_table(name_or_arn)
    if table is None or not table.is_active:
        raise TableNotFoundException(f"Table not found: {name_or_arn}")
    return table


def since(history: dict[str, Any], now: float) -> float:
    """From when on the table's history is there."""
    oldest = now - history["RecoveryPeriodInDays"] * DAY_SECONDS
    return float(max(history["Since"], oldest))


def window(snapshot: Snapshot, table: Table) -> tuple[int, int]:
    """The first and the last second that the table can be restored to."""
    history = table.record.get("PointInTimeRecovery")
    if history is None:
        raise PointInTimeRecoveryUnavailableException(f"Point in time recovery is not enabled for table '{table.name}'")
    now = snapshot.clock.now()
    earliest = math.ceil(since(history, now))
    # Within its first second of history a table can be restored to the present only, which ends with that second.
    return earliest, max(earliest, math.floor(now))


def describe(snapshot: Snapshot, table: Table) -> dict[str, Any]:
    """ContinuousBackupsDescription."""
    history = table.record.get("PointInTimeRecovery")
    recovery: dict[str, Any] = {"PointInTimeRecoveryStatus": "DISABLED"}
    if history is not None:
        earliest, latest = window(snapshot, table)
        recovery = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": history["RecoveryPeriodInDays"],
            "EarliestRestorableDateTime": earliest,
            "LatestRestorableDateTime": latest,
        }
    return {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery}
