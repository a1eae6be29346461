"""For those who run a studio: its timetable, who comes, who waits, who was there."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from sekkei.kit.typed import Line, NameLine, Text
from sekkei.runtime.refusals import Invalid
from sekkei.web import Operations
from sekkei_systems.lessons.api.shapes import Identifier, LessonName, LessonOut, TieOut, TimeOfDay, lesson_out, tie_out
from sekkei_systems.lessons.api.timetable import Between
from sekkei_systems.lessons.design import UserLesson
from sekkei_systems.lessons.rules.places import NAME_MAX
from sekkei_systems.lessons.rules.slots import Slot, parse_slot, slot_of
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.rules.timetable import LessonDraft, LessonFields, WholeLesson, spelt, values_of
from sekkei_systems.lessons.service.access import Access, Member, Staff
from sekkei_systems.lessons.service.acts import Acts
from sekkei_systems.lessons.service.contacts import Members
from sekkei_systems.lessons.service.desk import ClassMessages, Desk, Roll, Undoing
from sekkei_systems.lessons.service.moves import Moves
from sekkei_systems.lessons.service.timetable import DAYS_MAX, Timetable

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


def _guest_out(roll: Roll, tie: UserLesson) -> GuestOut:
    walk_in = tie.guest_name is not None
    return GuestOut(tie.user_id, roll.name(tie), tie.created_at, tie.attended, walk_in=walk_in)


@operations.get("/roll/{lesson:path}", summary="Who comes and who waits", tag="studios")
async def roll(staff: Staff, sellers: Sellers, desk: Desk, at: Slot) -> RollOut:
    found = await desk.roll(staff, at)
    return RollOut(
        lesson=lesson_out(found.lesson, sellers),
        booked=[_guest_out(found, tie) for tie in found.booked],
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


# For those who run a studio: places at the counter, moves, messages, and taking that back.


class SeatIn(msgspec.Struct, rename="camel"):
    """A place for a member (by id or mail address), or for a walk-in by name: one of the three."""

    user_id: Identifier | None = None
    email: Annotated[str, Line(254)] | None = None
    name: Annotated[str, NameLine(NAME_MAX)] | None = None


class MoveIn(msgspec.Struct):
    to: LessonName


class MessageIn(msgspec.Struct):
    words: Annotated[str, Text(1000, 1)]
    waiting: bool = False
    """To those who wait, too."""


class ReachedOut(msgspec.Struct):
    reached: int


class ActOut(msgspec.Struct, rename="camel"):
    id: str
    verb: str
    by: str
    at: datetime
    user_id: str | None
    name: str | None
    words: str | None
    target: str | None
    undone: bool
    may_undo: bool


class ActsOut(msgspec.Struct):
    items: list[ActOut]
    """Newest first."""


class RowOut(msgspec.Struct):
    lesson: LessonOut
    waiting: int


class RowsOut(msgspec.Struct):
    items: list[RowOut]


@operations.get("/desk/{studio}", summary="A studio's lessons, with how many wait for each", tag="studios")
async def rows(
    member: Member, access: Access, timetable: Timetable, desk: Desk, sellers: Sellers, studio: str, query: Between
) -> RowsOut:
    staff = await access.staff(member, studio)
    last = min(query.last, query.first + timedelta(days=DAYS_MAX - 1)) if query.last >= query.first else query.last
    waiting = await desk.waiting(staff, query.first, last) if last >= query.first else {}
    found = await timetable.between(studio, query.first, last)
    return RowsOut([RowOut(lesson_out(one, sellers), waiting.get(slot_of(one), 0)) for one in found])


@operations.post("/desk/{lesson:path}/places", summary="A place for a member or a walk-in", status=201, tag="studios")
async def seat(staff: Staff, desk: Desk, members: Members, at: Slot, body: SeatIn) -> TieOut:
    if sum(one is not None for one in (body.user_id, body.email, body.name)) != 1:
        raise Invalid(field="name")
    if body.name is not None:
        return tie_out(await desk.walk_in(staff, at, body.name))
    user_id = body.user_id or (await members.by_mail(body.email or "")).user_id
    return tie_out(await desk.book_for(staff, at, user_id))


@operations.delete("/desk/{user_id}/{lesson:path}", summary="Cancel somebody's booking", tag="studios")
async def cancel(staff: Staff, desk: Desk, user_id: Identifier, at: Slot) -> None:
    await desk.cancel_for(staff, at, user_id)


@operations.post(
    "/desk/{lesson:path}/move", summary="Move a lesson, with everybody who has to do with it", tag="studios"
)
async def move(staff: Staff, moves: Moves, sellers: Sellers, at: Slot, body: MoveIn) -> LessonOut:
    return lesson_out(await moves.move(staff, at, parse_slot(body.to, "to")), sellers)


@operations.post("/desk/{lesson:path}/messages", summary="Say something to those who come", tag="studios")
async def message(staff: Staff, class_messages: ClassMessages, at: Slot, body: MessageIn) -> ReachedOut:
    return ReachedOut(await class_messages.send(staff, at, body.words, to_waiting=body.waiting))


@operations.get("/desk/{lesson:path}/acts", summary="What the desk did to a lesson", tag="studios")
async def acts(staff: Staff, acts: Acts, at: Slot) -> ActsOut:
    found = await acts.of(staff.own(at))
    return ActsOut(
        [
            ActOut(
                id=act.act_id,
                verb=act.verb.value,
                by=act.by,
                at=act.done_at,
                user_id=act.user_id,
                name=act.name,
                words=act.words,
                target=act.target,
                undone=act.undone_at is not None,
                may_undo=acts.may_undo(act),
            )
            for act in found
        ]
    )


@operations.post("/desk/{lesson:path}/acts/{act_id}/undo", summary="Take something back", status=204, tag="studios")
async def undo(staff: Staff, undoing: Undoing, at: Slot, act_id: Identifier) -> None:
    await undoing.undo(staff, at, act_id)
