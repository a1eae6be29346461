"""How many places a lesson has left."""

from __future__ import annotations

from sekkei_systems.lessons.design import Lesson

NAME_LENGTH_MAX = 200
CAPACITY_MAX = 10_000


def free_places(lesson: Lesson) -> int | None:
    """None when the lesson has no limit."""
    return None if lesson.capacity is None else max(0, lesson.capacity - lesson.booked)


def is_available(lesson: Lesson) -> bool:
    return lesson.is_open and free_places(lesson) != 0
