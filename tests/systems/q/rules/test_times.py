"""On time or late, how old, and when a question comes out."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest

from sekkei_systems.q.rules import times

OUT = datetime(2025, 11, 6, 3, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "late"), [(0, 0), (1800, 0), (1800.001, 1), (1860, 1), (1861, 2), (3600, 30), (-5, 0)]
)
def test_lateness(seconds: float, late: int) -> None:
    assert times.lateness(OUT, OUT + timedelta(seconds=seconds)) == late


def test_the_publish_time_lies_in_its_window() -> None:
    window = times.window_of("08:00-08:02")
    found = {times.publish_time(window, chance / 100) for chance in range(100)}
    assert found == {time(8, 0), time(8, 1), time(8, 2)}
    with pytest.raises(ValueError):
        times.window_of("22:00-08:00")


def test_a_year_before_a_leap_day() -> None:
    assert times.year_before(date(2028, 2, 29)) == date(2027, 2, 28)
    assert times.year_before(date(2025, 11, 6)) == date(2024, 11, 6)


def test_age_by_the_birthday() -> None:
    assert times.age(date(2012, 11, 7), date(2025, 11, 6)) == 12
    assert times.age(date(2012, 11, 6), date(2025, 11, 6)) == 13
