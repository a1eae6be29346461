"""A user's bookings as a calendar."""

from __future__ import annotations

from datetime import time

from sekkei.design import replace
from sekkei_systems.lessons.design import Lesson, Status, TieKind, UserLesson
from sekkei_systems.lessons.rules.calendar import calendar
from tests.systems.lessons.world import LESSON, STUDIOS

BOOKING = UserLesson(
    user_id="hana",
    studio_code="gnz",
    lesson_date=LESSON.lesson_date,
    start_time=LESSON.start_time,
    lesson_name="House; 1",
    instructor="YUKI",
    kind=TieKind.BOOKING,
    created_at=LESSON.starts_at,
    updated_at=LESSON.starts_at,
    reservation_id="rsv_1",
)


def test_bookings_are_events_that_last_as_long_as_their_lesson() -> None:
    lesson = Lesson(
        studio_code="gnz",
        lesson_date=LESSON.lesson_date,
        start_time=LESSON.start_time,
        end_time=time(20, 15),
        lesson_name="House",
        instructor="YUKI",
        updated_at=LESSON.starts_at,
    )
    with_end = calendar([BOOKING], {LESSON: lesson}, STUDIOS, LESSON.starts_at).decode()
    for line in ("DTSTART:20250730T103000Z", "DTEND:20250730T111500Z", "LOCATION:銀座", r"SUMMARY:House\; 1"):
        assert line in with_end.splitlines()
    assert "DTEND:20250730T113000Z" in calendar([BOOKING], {}, STUDIOS, LESSON.starts_at).decode(), (
        "an hour, unless said"
    )


def test_what_is_cancelled_or_only_liked_is_left_out() -> None:
    others = [replace(BOOKING, status=Status.CANCELLED), replace(BOOKING, kind=TieKind.FAVORITE)]
    assert "BEGIN:VEVENT" not in calendar(others, {}, STUDIOS, LESSON.starts_at).decode()
