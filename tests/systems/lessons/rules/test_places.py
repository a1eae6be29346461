"""How many places are left."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.rules.places import (
    Availability,
    Word,
    as_said,
    availability_of,
    free_places,
    has_places,
    is_available,
    is_overtaken,
)
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


def lesson(**more: Any) -> Lesson:
    return Lesson(
        studio_code="gnz",
        lesson_date=LESSON.lesson_date,
        start_time=LESSON.start_time,
        lesson_name="House",
        instructor="YUKI",
        updated_at=LESSON.starts_at,
        **more,
    )


@pytest.mark.parametrize(
    ("there", "said", "booked"),
    [
        ({"capacity": 5, "booked": 5, "booked_here": 5}, Availability(5, 5, True), 5),
        ({"capacity": 5, "booked": 2, "booked_here": 2}, Availability(1, 5, True), 6),
        ({"capacity": 5, "booked": 4, "booked_here": 1}, Availability(5, 5, True), 1),
        ({"capacity": 5, "booked": 4, "booked_here": 1}, Availability(None, None, True), 4),
        ({"capacity": 5, "booked": 4, "booked_here": 1}, Availability(5, 5, True, told=False), 4),
        ({"capacity": 5, "booked": 4, "booked_here": 1, "called_off": True}, Availability(5, 5, True), 1),
    ],
)
def test_what_a_provider_says_is_about_its_own_side(there: dict[str, Any], said: Availability, booked: int) -> None:
    found = as_said(lesson(**there), said)
    assert (found.booked, found.booked_here) == (booked, there["booked_here"])
    assert not (found.called_off and found.is_open)


def test_who_does_not_count_says_only_whether_it_is_open() -> None:
    full = lesson(capacity=5, booked=5, booked_here=0)
    assert has_places(as_said(full, Availability(None, None, True)), Availability(None, None, True))
    assert not has_places(as_said(full, Availability(None, None, False)), Availability(None, None, False))
    assert not has_places(full, availability_of(full))


NOON = datetime(2025, 7, 29, 3, tzinfo=UTC)
ROOM, FULL, OUR_COUNT = Availability(1, 5, True), Availability(0, 5, True), Availability(1, 5, True, told=False)


@pytest.mark.parametrize(
    ("found", "known", "overtaken"),
    [
        (ROOM, {}, False),
        (ROOM, {"sold_out_at": NOON}, True),
        (ROOM, {"sold_out_at": NOON - timedelta(minutes=10)}, False),
        (ROOM, {"opened_at": NOON, "was_available": True}, False),
        (FULL, {"opened_at": NOON, "was_available": True}, True),
        (FULL, {"opened_at": NOON - timedelta(minutes=10), "was_available": True}, False),
        (FULL, {"opened_at": NOON, "was_available": False}, False),
        (FULL, {"was_available": True}, False),
        (FULL, {"opened_at": NOON, "was_available": True, "called_off": True}, False),
        (OUR_COUNT, {"sold_out_at": NOON}, False),
    ],
)
def test_a_turn_is_believed_when_it_is_certainly_the_newer(
    found: Availability, known: dict[str, Any], overtaken: bool
) -> None:
    word = Word(found, NOON - timedelta(minutes=5), NOON)
    assert is_overtaken(lesson(capacity=5, booked=4, booked_here=0, **known), word) is overtaken
