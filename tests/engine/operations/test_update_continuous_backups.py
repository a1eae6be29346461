"""UpdateContinuousBackups."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.refusals import NOT_NULL, faults, refusal


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
