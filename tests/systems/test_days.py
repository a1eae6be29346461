"""Time as these systems mean it."""

from __future__ import annotations

from datetime import UTC, date, datetime

from sekkei.clock import ManualClock
from sekkei_systems import days


def test_now_is_what_can_be_stored() -> None:
    clock = ManualClock(1_755_658_800.123_987)
    assert days.now(clock) == datetime(2025, 8, 20, 3, 0, 0, 123_000, UTC)
    assert days.now_jst(clock) == days.now(clock)
    assert days.now_jst(clock).utcoffset() == days.JST.utcoffset(None)


def test_a_day_begins_in_japan() -> None:
    last = datetime(2026, 11, 14, 14, 59, 59, 999_000, UTC)
    first = datetime(2026, 11, 14, 15, tzinfo=UTC)
    assert (days.day_of(last), days.day_of(first)) == (date(2026, 11, 14), date(2026, 11, 15))
    assert days.start_of(date(2026, 11, 15)) == first
