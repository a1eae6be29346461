"""DescribeContinuousBackups and UpdateContinuousBackups: the history that point-in-time recovery needs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.conftest import DAY, Tables
from tests.engine.operations.calls import recovery_of, set_recovery
from tests.engine.refusals import NOT_NULL, faults, refusal


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


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (
            {"TableName": "abc", "PointInTimeRecoverySpecification": {"RecoveryPeriodInDays": 36}},
            faults(
                (None, "pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled", NOT_NULL),
                (
                    "36",
                    "pointInTimeRecoverySpecification.recoveryPeriodInDays",
                    "Member must have value less than or equal to 35",
                ),
            ),
        ),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("UpdateContinuousBackups", request_) == text
