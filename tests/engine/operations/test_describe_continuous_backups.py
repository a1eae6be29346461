"""DescribeContinuousBackups."""

from __future__ import annotations

from tests.engine.conftest import DAY, Tables
from tests.engine.operations.calls import recovery_of, set_recovery


async def test_the_window_is_described(tables: Tables) -> None:
    await tables.create_plain()
    assert await recovery_of(tables) == {"PointInTimeRecoveryStatus": "DISABLED"}
    start = tables.clock.now()
    await set_recovery(tables, RecoveryPeriodInDays=2)
    tables.clock.advance(DAY)
    assert await recovery_of(tables) == {
        "PointInTimeRecoveryStatus": "ENABLED",
        "RecoveryPeriodInDays": 2,
        "EarliestRestorableDateTime": start,
        "LatestRestorableDateTime": start + DAY,
    }
    tables.clock.advance(3 * DAY)
    assert (await recovery_of(tables))["EarliestRestorableDateTime"] == start + 2 * DAY
    # A longer period does not bring back what a shorter one has let go.
    await set_recovery(tables, RecoveryPeriodInDays=35)
    assert (await recovery_of(tables))["EarliestRestorableDateTime"] == start + 2 * DAY
    await set_recovery(tables, enabled=False)
    assert await recovery_of(tables) == {"PointInTimeRecoveryStatus": "DISABLED"}
