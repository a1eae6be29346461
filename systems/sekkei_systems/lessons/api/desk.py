"""For those who run a studio: its timetable, who comes, who waits, who was there."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from sekkei.kit.typed import Text
from sekkei.web import Operations
from sekkei_systems.lessons.api.shapes import (
    Identifier,
    LessonOut,
    TimeOfDay,
    lesson_out,
)
from sekkei_systems.lessons.design import UserLesson
from sekkei_systems.lessons.rules.drafts import LessonDraft, LessonFields, WholeLesson, spelt, values_of
from sekkei_systems.lessons.rules.selling import Sellers
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.access import Staff
from sekkei_systems.lessons.service.desk import Desk, Roll

operations = Operations()


class LessonIn(LessonFields[TimeOfDay], kw_only=True, frozen=True, rename=spelt):
    """A change of a lesson: what is left out stays as it was."""

    lesson_id: Identifier | UnsetType = UNSET
    """Which lesson it is; another one in the same slot is refused."""
    is_open: bool | UnsetType = UNSET
    called_off: bool | UnsetType = UNSET
    """A lesson that is called off takes place again only by false; without it, it stays as it is."""

    def draft(self, slot: Slot) -> LessonDraft:
        values = values_of(self)
        return LessonDraft(slot, **values, lesson_id=self.lesson_id, is_open=self.is_open, called_off=self.called_off)


class NewLessonIn(WholeLesson[TimeOfDay], LessonIn, kw_only=True, frozen=True):
    """A lesson; what is left out is as usual."""


class GuestOut(msgspec.Struct, rename="camel"):
    user_id: str
    name: str
    since: datetime
    attended: bool | None = None
    told: bool = False
    walk_in: bool = False
    reachable: bool = True
    """False: nobody can tell them that a place is free, so they are passed over and keep their place."""


class RollOut(msgspec.Struct):
    lesson: LessonOut
    booked: list[GuestOut]
    waiting: list[GuestOut]
    """First come first."""


class AttendanceIn(msgspec.Struct):
    attended: bool


def guest_out(roll: Roll, tie: UserLesson) -> GuestOut:
    walk_in = tie.guest_name is not None
    return GuestOut(tie.user_id, roll.name(tie), tie.created_at, tie.attended, walk_in=walk_in)


@operations.get("/roll/{lesson:path}", summary="Who comes and who waits", tag="studios")
async def roll(staff: Staff, sellers: Sellers, desk: Desk, at: Slot) -> RollOut:
    found = await desk.roll(staff, at)
    return RollOut(
        lesson=lesson_out(found.lesson, sellers),
        booked=[guest_out(found, tie) for tie in found.booked],
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
async def add_lesson(staff: Staff, sellers: Sellers, desk: Desk, at: Slot, body: NewLessonIn) -> LessonOut:
    return lesson_out(await desk.add(staff, body.draft(at)), sellers)


@operations.put("/lessons/{lesson:path}", summary="What changes of a lesson; what is left out stays", tag="studios")
async def change_lesson(staff: Staff, sellers: Sellers, desk: Desk, at: Slot, body: LessonIn) -> LessonOut:
    return lesson_out(await desk.change(staff, body.draft(at)), sellers)


class Why(msgspec.Struct):
    words: Annotated[str, Text(500)] = ""
    """Why; everybody reads it."""


@operations.delete("/lessons/{lesson:path}", summary="Call a lesson off; everybody concerned is told", tag="studios")
async def call_off(staff: Staff, desk: Desk, at: Slot, query: Why) -> None:
    await desk.call_off(staff, at, query.words)
