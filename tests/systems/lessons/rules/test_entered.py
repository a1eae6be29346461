"""What people type."""

from __future__ import annotations

from datetime import date, time

import pytest

from sekkei_systems.lessons.refusals import BadDay, BadTime
from sekkei_systems.lessons.rules.entered import day_in, optional_time_in, time_in


@pytest.mark.parametrize("text", ["9:05", "09:05", "9:5", "９：０５", " 9:05 ", "09:05:00"])
def test_a_time(text: str) -> None:
    assert time_in(text) == time(9, 5)


@pytest.mark.parametrize("text", ["", "9", "24:00", "9:60", "-1:00", "九時", "9:05 xm", "9.05"])
def test_no_time(text: str) -> None:
    with pytest.raises(BadTime) as refused:
        time_in(text, "start")
    assert (refused.value.field, "09:30" in str(refused.value)) == ("start", True)


@pytest.mark.parametrize("text", ["2025-07-30", "2025/7/30", "２０２５－０７－３０", "2025年7月30日", "2025.07.30"])
def test_a_day(text: str) -> None:
    assert day_in(text) == date(2025, 7, 30)


@pytest.mark.parametrize("text", ["", "2025-02-30", "20250730", "30-07-2025", "0000-01-01", "明日"])
def test_no_day(text: str) -> None:
    with pytest.raises(BadDay):
        day_in(text)


def test_an_optional_time() -> None:
    assert (optional_time_in(""), optional_time_in(None), optional_time_in("７:00")) == (None, None, time(7, 0))
