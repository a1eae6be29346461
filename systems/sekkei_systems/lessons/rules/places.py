"""How many places a lesson has left, and what a studio's own system has to say about it.

`booked` is every place that is taken, and what a sale is checked against; `booked_here` are ours among them. What a
provider says is about its own side: it moves the difference, never our own bookings.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sekkei.design import replace
from sekkei_systems.lessons.design import Lesson

CAPACITY_MAX = 10_000
LESSON_NAME_MAX = 200
NAME_MAX = 50
"""Of a person, a pass or a holiday."""


@dataclass(frozen=True, slots=True)
class Availability:
    """What is free now. None means that nobody counts: then `is_open` says whether a place is free."""

    available: int | None
    total: int | None
    is_open: bool
    told: bool = True
    """By a studio's own system; else it is our own counter, which says nothing new."""

    @property
    def has_places(self) -> bool:
        return self.is_open and self.available != 0


@dataclass(frozen=True, slots=True)
class Word:
    """What was said of a lesson. It was so at a moment between `earliest` and `latest`."""

    found: Availability
    earliest: datetime
    latest: datetime


def availability_of(lesson: Lesson) -> Availability:
    """As our own counter has it."""
    return Availability(free_places(lesson), lesson.capacity, lesson.is_open, told=False)


def free_places(lesson: Lesson) -> int | None:
    """None when the lesson has no limit."""
    return None if lesson.capacity is None else max(0, lesson.capacity - lesson.booked)


def is_available(lesson: Lesson) -> bool:
    return lesson.is_open and free_places(lesson) != 0


def elsewhere(lesson: Lesson) -> int:
    """How many were booked elsewhere."""
    return max(0, lesson.booked - lesson.booked_here)


def as_said(lesson: Lesson, found: Availability, *, includes_ours: bool = False) -> Lesson:
    """The lesson with what its studio's system says of its own side; what it does not say stays. A system in which we
    book counts our places too. What is called off stays closed, and may be brought back."""
    if not found.told:
        return lesson
    total = lesson.capacity if found.total is None else found.total
    said = replace(lesson, capacity=total, is_open=found.is_open and not lesson.called_off)
    if found.available is None or total is None:
        return said
    its_side = max(0, total - found.available)
    booked = max(lesson.booked_here, its_side) if includes_ours else lesson.booked_here + its_side
    return replace(said, booked=booked)


def has_places(lesson: Lesson, found: Availability) -> bool:
    """Whether somebody could get a place, after what was said of it."""
    if lesson.called_off or not lesson.is_open:
        return False
    return (found.told and found.available is None) or free_places(lesson) != 0


def is_overtaken(lesson: Lesson, word: Word) -> bool:
    """Whether more is known than what was said. That a full lesson has places, or one with places is full, is believed
    when it was so certainly later than the last such turn: what a studio's system tells may be minutes old, now more
    and now less."""
    if lesson.called_off or not word.found.told:
        return False
    opened_at = lesson.opened_at if lesson.was_available else None
    turned_at = lesson.sold_out_at if word.found.has_places else opened_at
    return turned_at is not None and word.earliest < turned_at
