"""Quiet hours."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest

from sekkei.design import replace
from sekkei_systems.q.design.models import (
    User,
)
from sekkei_systems.q.rules.notices import quiet_left


@pytest.mark.parametrize(
    ("first", "last", "now", "hours"),
    [
        ("22:00", "07:00", "23:00", 8),
        ("22:00", "07:00", "06:30", 0.5),
        ("22:00", "07:00", "07:00", 0),
        ("22:00", "07:00", "22:00", 9),
        ("12:00", "13:00", "12:15", 0.75),
        ("12:00", "13:00", "11:59", 0),
        ("09:00", "09:00", "09:00", 0),
    ],
)
def test_quiet_hours(first: str, last: str, now: str, hours: float) -> None:
    at = time.fromisoformat(now)
    moment = datetime(2025, 11, 6, at.hour, at.minute, tzinfo=UTC) - timedelta(hours=9)
    user = replace(_user(), quiet_from=time.fromisoformat(first), quiet_until=time.fromisoformat(last))
    assert quiet_left(user, moment) == timedelta(hours=hours)
    assert quiet_left(_user(), moment) == timedelta()


def _user() -> User:
    now = datetime(2025, 11, 6, tzinfo=UTC)
    return User(user_id="a", email="a@example.com", birth_date=date(2000, 1, 1), created_at=now, updated_at=now)
