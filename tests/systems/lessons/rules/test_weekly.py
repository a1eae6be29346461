from __future__ import annotations

from datetime import date, datetime, time

from sekkei.design import replace
from sekkei_systems.days import JST
from sekkei_systems.lessons.design import WeeklyLesson
from sekkei_systems.lessons.rules.weekly import days_to_make

WEDNESDAYS = WeeklyLesson(
    studio_code="gnz",
    weekday=2,
    start_time=time(19, 30),
    lesson_name="BSL House 1",
    instructor="YUKI",
    first_day=date(2025, 7, 1),
    updated_at=datetime(2025, 7, 1, tzinfo=JST),
)
TODAY, LAST = date(2025, 7, 29), date(2025, 8, 26)


def test_days_are_made_once_without_holidays_and_exceptions() -> None:
    first, august = date(2025, 7, 30), [date(2025, 8, day) for day in (6, 13, 20)]
    assert days_to_make(WEDNESDAYS, (), TODAY, LAST) == [first, *august]
    assert days_to_make(WEDNESDAYS, {date(2025, 8, 13)}, TODAY, date(2025, 8, 14)) == [first, august[0]]
    skipped = replace(WEDNESDAYS, skipped=frozenset({"2025-07-30"}), last_day=date(2025, 8, 6))
    assert days_to_make(skipped, (), TODAY, LAST) == [date(2025, 8, 6)]
    assert days_to_make(replace(WEDNESDAYS, made_until=date(2025, 8, 13)), (), TODAY, LAST) == [date(2025, 8, 20)]
    assert days_to_make(replace(WEDNESDAYS, made_until=LAST), (), TODAY, LAST) == []
    assert days_to_make(replace(WEDNESDAYS, first_day=date(2025, 9, 1)), (), TODAY, LAST) == []
