"""Lessons and ties as the API shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from sekkei_systems.lessons.design import Lesson, UserLesson
from sekkei_systems.lessons.rules import free_places, slot_of

LessonName = Annotated[str, Meta(max_length=60, description="studio/date/time, such as gnz/2025-07-30/19:30")]
Identifier = Annotated[str, Meta(min_length=1, max_length=64)]


class StudioOut(msgspec.Struct):
    code: str
    name: str


class LessonOut(msgspec.Struct, rename="camel"):
    lesson: LessonName
    name: str
    instructor: str
    starts_at: datetime
    capacity: int | None
    """None: no limit."""
    free: int | None
    is_open: bool
    called_off: bool
    program: str | None = None


class TieOut(msgspec.Struct, rename="camel"):
    lesson: LessonName
    name: str
    instructor: str
    starts_at: datetime
    type: Literal["favorite", "waitlist", "booking", "history"]
    status: Literal["active", "completed", "cancelled", "expired"]
    notes: str | None = None
    waitlist_id: str | None = None
    reservation_id: str | None = None
    offer_until: datetime | None = None


def lesson_out(found: Lesson) -> LessonOut:
    slot = slot_of(found)
    return LessonOut(
        lesson=str(slot),
        name=found.lesson_name,
        instructor=found.instructor,
        starts_at=slot.starts_at,
        capacity=found.capacity,
        free=free_places(found),
        is_open=found.is_open,
        called_off=found.called_off,
        program=found.program,
    )


def tie_out(tie: UserLesson) -> TieOut:
    return TieOut(
        lesson=str(slot_of(tie)),
        name=tie.lesson_name,
        instructor=tie.instructor,
        starts_at=tie.starts_at,
        type=tie.kind.value,
        status=tie.status.value,
        notes=tie.notes,
        waitlist_id=tie.waitlist_id,
        reservation_id=tie.reservation_id,
        offer_until=tie.offer_until,
    )
