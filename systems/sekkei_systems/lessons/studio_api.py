"""The part of the API for those who run a studio: its timetable, who comes, who waits, who was there."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.requests import Request

from sekkei.web import Api, User
from sekkei_systems.lessons.api_shapes import Identifier, LessonName, LessonOut, lesson_out
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.people_api import Clock, SearchText, time_in
from sekkei_systems.lessons.rules import Slot, parse_slot
from sekkei_systems.lessons.service import Actor, Service


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


def actor_of(user: User) -> Actor:
    return Actor(user.id, user.email if user.verified else "")


def declare(api: Api, service: Service) -> None:
    @api.get("/roll/{lesson:path}", summary="Who comes and who waits", tag="studios")
    async def roll(request: Request, user: User, lesson: LessonName) -> RollOut:
        found = await service.roll(actor_of(user), parse_slot(lesson))
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
        await service.mark_attendance(actor_of(user), parse_slot(lesson), user_id, body.attended)

    @api.post("/lessons/{lesson:path}", summary="A new lesson in a free slot", status=201, tag="studios")
    async def add_lesson(request: Request, user: User, lesson: LessonName, body: LessonIn) -> LessonOut:
        return lesson_out(await service.add_lesson(actor_of(user), lesson_of(parse_slot(lesson), body, service.now())))

    @api.put("/lessons/{lesson:path}", summary="What a lesson is from now on", tag="studios")
    async def change_lesson(request: Request, user: User, lesson: LessonName, body: LessonIn) -> LessonOut:
        changed = lesson_of(parse_slot(lesson), body, service.now())
        bring_back = body.called_off is False
        return lesson_out(await service.change_lesson(actor_of(user), changed, bring_back=bring_back))

    @api.delete("/lessons/{lesson:path}", summary="Call a lesson off; everybody concerned is told", tag="studios")
    async def call_off(request: Request, user: User, lesson: LessonName) -> None:
        await service.call_off(actor_of(user), parse_slot(lesson))


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
