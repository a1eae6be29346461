"""When a task comes again."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from dateutil.rrule import rrulestr  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from sekkei_systems.tasks.rules import recurring
from sekkei_systems.tasks.rules.recurring import PRESETS, BadRule, anchored, checked, following, preset_of

FRIDAY = date(2025, 11, 7)


@pytest.mark.parametrize(
    ("rule", "due", "today", "next_day"),
    [
        ("daily", FRIDAY, FRIDAY, date(2025, 11, 8)),
        ("weekdays", FRIDAY, FRIDAY, date(2025, 11, 10)),
        ("weekly", FRIDAY, date(2025, 11, 5), date(2025, 11, 14)),
        ("weekly", FRIDAY, date(2025, 11, 25), date(2025, 11, 28)),
        ("biweekly", FRIDAY, FRIDAY, date(2025, 11, 21)),
        ("monthly", FRIDAY, FRIDAY, date(2025, 12, 7)),
        ("yearly", FRIDAY, FRIDAY, date(2026, 11, 7)),
        ("daily", None, FRIDAY, date(2025, 11, 8)),
        ("FREQ=MONTHLY;BYDAY=-1FR", FRIDAY, FRIDAY, date(2025, 11, 28)),
    ],
)
def test_the_next_day(rule: str, due: date | None, today: date, next_day: date) -> None:
    assert following(checked(rule), due, today) == next_day


def test_the_31st_is_the_last_day_of_shorter_months_and_the_31st_again() -> None:
    rule = anchored(checked("monthly"), date(2026, 1, 31))
    days = [date(2026, 1, 31)]
    for _ in range(4):
        found = following(rule, days[-1], days[-1])
        assert found is not None
        days.append(found)
    assert [(day.month, day.day) for day in days] == [(1, 31), (2, 28), (3, 31), (4, 30), (5, 31)]
    assert preset_of(rule) == "monthly"
    assert anchored(checked("monthly"), date(2026, 1, 28)) == "FREQ=MONTHLY"


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "sometimes",
        "FREQ=SECONDLY",
        "FREQ=DAILY;COUNT=3",
        "INTERVAL=2",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=WEEKLY;BYDAY=" + ",".join(["MO"] * 80),
        "FREQ=DAILY\nDTSTART:20200101",
        "FREQ=WEEKLY;BYDAY=+MO",
        "FREQ=MONTHLY;BYDAY=-FR",
        "FREQ=DAILY;UNTIL=99991231",
    ],
)
def test_what_is_no_rule_is_refused(rule: str) -> None:
    with pytest.raises(BadRule):
        checked(rule)


@given(st.sampled_from(sorted(PRESETS)), st.dates(date(2000, 1, 1), date(2090, 1, 1)), st.integers(-400, 400))
def test_it_comes_after_it_was_due_and_after_today(rule: str, due: date, late: int) -> None:
    today = due + timedelta(days=late)
    found = following(anchored(checked(rule), due), due, today)
    assert found is not None
    assert found > max(due, today)


@pytest.mark.parametrize("rule", ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYMONTHDAY=31;BYMONTH=4"])
def test_looking_for_what_never_comes_ends_soon(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve years of days; from today on it took three seconds, in which nobody else was served."""
    begun: list[datetime] = []

    def noted(rule: str, *, dtstart: datetime) -> Any:
        begun.append(dtstart)
        return rrulestr(rule, dtstart=dtstart)

    monkeypatch.setattr(recurring, "rrulestr", noted)
    with pytest.raises(BadRule):
        checked(rule)
    assert [(datetime.max - one).days <= 366 * 12 for one in begun] == [True]
