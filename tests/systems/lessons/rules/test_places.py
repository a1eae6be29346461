"""How many places are left."""

from __future__ import annotations

import pytest

from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.rules.places import free_places, is_available
from tests.systems.lessons.world import LESSON


@pytest.mark.parametrize(
    ("capacity", "booked", "is_open", "free", "available"),
    [
        (5, 3, True, 2, True),
        (5, 5, True, 0, False),
        (5, 7, True, 0, False),
        (None, 7, True, None, True),
        (5, 3, False, 2, False),
        (0, 0, True, 0, False),
    ],
)
def test_free_places(capacity: int | None, booked: int, is_open: bool, free: int | None, available: bool) -> None:
    lesson = Lesson(
        studio_code="gnz",
        lesson_date=LESSON.lesson_date,
        start_time=LESSON.start_time,
        lesson_name="House",
        instructor="YUKI",
        capacity=capacity,
        booked=booked,
        is_open=is_open,
        updated_at=LESSON.starts_at,
    )
    assert (free_places(lesson), is_available(lesson)) == (free, available)
