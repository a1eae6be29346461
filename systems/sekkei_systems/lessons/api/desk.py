"""For those who run a studio: its timetable, who comes, who waits, who was there."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.requests import Request

from sekkei.runtime import days
from sekkei.runtime.system import Context
from sekkei.web import Api, User
from sekkei_systems.lessons.api.shapes import (
    Clock,
    Identifier,
    LessonName,
    LessonOut,
    SearchText,
    lesson_out,
    time_in,
)
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.rules.slots import Slot, parse_slot
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import Staff, member_of


class LessonIn(msgspec.Struct, rename="camel"):
    name: SearchText
    instructor: SearchText
    end: Clock | None = None
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


class RollOut(msgspec.Struct):
    lesson: LessonOut
    booked: list[GuestOut]
    waiting: list[GuestOut]
    """First come first."""


class AttendanceIn(msgspec.Struct):
    attended: bool


def declare(api: Api, service: Service, context: Context) -> None:
    @api.get("/roll/{lesson:path}", summary="Who comes and who waits", tag="studios")
    async def roll(request: Request, user: User, lesson: LessonName) -> RollOut:
        found = await service.desk.roll(*place(service, user, lesson))
        return RollOut(
            lesson=lesson_out(found.lesson),
            booked=[GuestOut(tie.user_id, found.name(tie), tie.created_at, tie.attended) for tie in found.booked],
            waiting=[
                GuestOut(tie.user_id, found.name(tie), tie.created_at, told=bool(tie.notification_sent))
                for tie in found.queue
            ],
        )

    @api.put("/roll/{user_id}/{lesson:path}", summary="Whether somebody came", status=204, tag="studios")
    async def attendance(
        request: Request, user: User, user_id: Identifier, lesson: LessonName, body: AttendanceIn
    ) -> None:
        await service.desk.mark_attendance(*place(service, user, lesson), user_id, body.attended)

    @api.post("/lessons/{lesson:path}", summary="A new lesson in a free slot", status=201, tag="studios")
    async def add_lesson(request: Request, user: User, lesson: LessonName, body: LessonIn) -> LessonOut:
        staff, slot = place(service, user, lesson)
        return lesson_out(await service.desk.add(staff, lesson_of(slot, body, days.now(context.clock))))

    @api.put("/lessons/{lesson:path}", summary="What a lesson is from now on", tag="studios")
    async def change_lesson(request: Request, user: User, lesson: LessonName, body: LessonIn) -> LessonOut:
        staff, slot = place(service, user, lesson)
        changed = lesson_of(slot, body, days.now(context.clock))
        bring_back = body.called_off is False
        return lesson_out(await service.desk.change(staff, changed, bring_back=bring_back))

    @api.delete("/lessons/{lesson:path}", summary="Call a lesson off; everybody concerned is told", tag="studios")
    async def call_off(request: Request, user: User, lesson: LessonName) -> None:
        await service.desk.call_off(*place(service, user, lesson))


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


def place(service: Service, user: User, lesson: str) -> tuple[Staff, Slot]:
    """A lesson of a studio, and the proof that the user runs it."""
    slot = parse_slot(lesson)
    return service.access.staff(member_of(user), slot.studio_code), slot
