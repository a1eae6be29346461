"""Attendance out of history."""

from __future__ import annotations

from datetime import date

from sekkei_systems.lessons.design import TieKind, UserLesson
from sekkei_systems.lessons.rules.statistics import statistics
from tests.systems.lessons.world import LESSON


def took(day: date, instructor: str, attended: bool | None = None) -> UserLesson:
    return UserLesson(
        user_id="hana",
        studio_code="gnz",
        lesson_date=day,
        start_time=LESSON.start_time,
        lesson_name="House",
        instructor=instructor,
        kind=TieKind.HISTORY,
        created_at=LESSON.starts_at,
        updated_at=LESSON.starts_at,
        attended=attended,
    )


def test_who_did_not_come_was_not_there() -> None:
    june, july = date(2025, 6, 30), date(2025, 7, 1)
    found = statistics([took(july, "Mako"), took(june, "YUKI", True), took(july, "YUKI"), took(july, "Rin", False)], 2)
    assert (found.lessons, found.absences, found.late_cancels) == (3, 1, 2)
    assert found.months == [("2025-06", 1), ("2025-07", 2)]
    assert found.instructors == [("YUKI", 2), ("Mako", 1)]
