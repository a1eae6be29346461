"""For those who run a studio: its timetable, who comes, who waits, who was there."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from sekkei.clock import Clock
from sekkei.runtime import days
from sekkei.web import Operations
from sekkei_systems.lessons.api.shapes import (
    Identifier,
    LessonOut,
    SearchText,
    TimeOfDay,
    lesson_out,
    time_in,
)
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.rules.selling import Sellers
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.access import Staff
from sekkei_systems.lessons.service.desk import Desk

operations = Operations()


class LessonIn(msgspec.Struct, rename="camel"):
    name: SearchText
    instructor: SearchText
    end: TimeOfDay | None = None
    capacity: Annotated[int, Meta(ge=0, le=10_000)] | None = None
    """None: no limit."""
    program: SearchText | None = None
    id: Identifier | None = None
    """Which lesson it is; another one in the same slot is refused."""
    is_open: bool = True
    called_off: bool | None = None
    """A lesson that is called off takes place again only by false; without it, it stays as it is."""


class GuestOut(msgspec.Struct, rename="camel"):
    user_id: str
    name: str
    since: datetime
    attended: bool | None = None
    told: bool = False
    reachable: bool = True
    """False: nobody can tell them that a place is free, so they are passed over and keep their place."""


class RollOut(msgspec.Struct):
    lesson: LessonOut
    booked: list[GuestOut]
    waiting: list[GuestOut]
    """First come first."""


class AttendanceIn(msgspec.Struct):
    attended: bool


@operations.get("/roll/{lesson:path}", summary="Who comes and who waits", tag="studios")
async def roll(staff: Staff, sellers: Sellers, desk: Desk, at: Slot) -> RollOut:
    found = await desk.roll(staff, at)
    return RollOut(
        lesson=lesson_out(found.lesson, sellers),
        booked=[GuestOut(tie.user_id, found.name(tie), tie.created_at, tie.attended) for tie in found.booked],
        waiting=[
            GuestOut(
                tie.user_id,
                found.name(tie),
                tie.created_at,
                told=bool(tie.notification_sent),
                reachable=found.can_hear(tie),
            )
            for tie in found.queue
        ],
    )


@operations.put("/roll/{user_id}/{lesson:path}", summary="Whether somebody came", status=204, tag="studios")
async def attendance(staff: Staff, desk: Desk, user_id: Identifier, at: Slot, body: AttendanceIn) -> None:
    await desk.mark_attendance(staff, at, user_id, body.attended)


@operations.post("/lessons/{lesson:path}", summary="A new lesson in a free slot", status=201, tag="studios")
async def add_lesson(staff: Staff, sellers: Sellers, desk: Desk, clock: Clock, at: Slot, body: LessonIn) -> LessonOut:
    return lesson_out(await desk.add(staff, lesson_of(at, body, days.now(clock))), sellers)


@operations.put("/lessons/{lesson:path}", summary="What a lesson is from now on", tag="studios")
async def change_lesson(
    staff: Staff, sellers: Sellers, desk: Desk, clock: Clock, at: Slot, body: LessonIn
) -> LessonOut:
    changed = lesson_of(at, body, days.now(clock))
    bring_back = body.called_off is False
    return lesson_out(await desk.change(staff, changed, bring_back=bring_back), sellers)


@operations.delete("/lessons/{lesson:path}", summary="Call a lesson off; everybody concerned is told", tag="studios")
async def call_off(staff: Staff, desk: Desk, at: Slot) -> None:
    await desk.call_off(staff, at)


def lesson_of(slot: Slot, given: LessonIn, now: datetime) -> Lesson:
    return Lesson(
        studio_code=slot.studio_code,
        lesson_date=slot.lesson_date,
        start_time=slot.start_time,
        end_time=time_in(given.end),
        lesson_id=given.id,
        lesson_name=given.name,
        instructor=given.instructor,
        program=given.program,
        capacity=given.capacity,
        is_open=given.is_open,
        called_off=bool(given.called_off),
        updated_at=now,
    )
