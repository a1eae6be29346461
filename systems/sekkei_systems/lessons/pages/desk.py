"""The studio's desk: its timetable with numbers, a new lesson, a file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, structs
from starlette.datastructures import UploadFile
from starlette.requests import Request

from sekkei.kit.typed import Line, NameLine, Text, Token
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.pages.view import AskedDay, Typed, View
from sekkei_systems.lessons.rules.places import NAME_MAX, elsewhere, free_places
from sekkei_systems.lessons.rules.slots import Slot, slot_of, span, time_in
from sekkei_systems.lessons.rules.timetable import (
    LessonDraft,
    LessonFields,
    Unreadable,
    WholeLesson,
    columns,
    texts_of,
    values_of,
)
from sekkei_systems.lessons.rules.waitlist import holds_offer
from sekkei_systems.lessons.service.access import Access, Staff
from sekkei_systems.lessons.service.acts import Acts
from sekkei_systems.lessons.service.contacts import Members
from sekkei_systems.lessons.service.desk import ATTENDANCE_BEFORE, ClassMessages, Desk, Undoing
from sekkei_systems.lessons.service.moves import Moves
from sekkei_systems.lessons.service.timetable import Timetable

_DAYS_SHOWN = 7
_PROBLEMS_SHOWN = 3

pages = Pages()


class LessonForm(LessonFields[Typed], frozen=True):
    is_open: bool = False

    def draft(self, slot: Slot) -> LessonDraft:
        return LessonDraft(slot, **values_of(self), is_open=self.is_open)


class NewLesson(WholeLesson[Typed], LessonForm, kw_only=True, frozen=True):
    lesson_date: date
    start_time: Typed


@dataclass(frozen=True, slots=True)
class Shown:
    """The desk; a lesson that was refused shows it again."""

    view: View
    staff: Staff
    access: Access
    timetable: Timetable
    desk: Desk

    async def html(self, status: int, first: date, filled: Form) -> Html:
        code, week = self.staff.studio.code, timedelta(days=_DAYS_SHOWN)
        return Html(
            "lessons/studio.html",
            status,
            view=self.view,
            studio=self.staff.studio,
            studios=await self.access.run_by(self.view.member),
            lessons=await self.timetable.between(code, first, first + week - timedelta(days=1)),
            waiting=await self.desk.waiting(self.staff, first, first + week - timedelta(days=1)),
            first=first,
            earlier=first - week,
            later=first + week,
            slot_of=slot_of,
            free=free_places,
            columns=columns(self.view.language),
            form=filled,
        )


@pages.get("/desk/{code}", name="desk")
async def open_desk(shown: Shown, query: AskedDay) -> Html:
    day = query.day(shown.view.today)
    return await shown.html(200, day, Form({"is_open": True, "lesson_date": day.isoformat()}))


@pages.post("/desk/{code}")
async def add(shown: Shown, staff: Staff, desk: Desk, query: AskedDay, sent: Sent[NewLesson]) -> Html | Redirect:
    try:
        given = sent.value
        slot = Slot(staff.studio.code, given.lesson_date, time_in(given.start_time, "start_time"))
        await desk.add(staff, given.draft(slot))
    except (Invalid, refusals.SlotTaken, refusals.LessonOver) as wrong:
        return await shown.html(wrong.status, query.day(shown.view.today), sent.refilled(wrong))
    return Redirect("lessons:people", code=staff.studio.code, slot=str(slot)).flash("done.lesson")


@pages.post("/desk/{code}/file", name="file")
async def take_in(request: Request, staff: Staff, desk: Desk) -> Redirect:
    answer = Redirect("lessons:desk", code=staff.studio.code)
    given = (await request.form()).get("file")
    if not isinstance(given, UploadFile) or not given.filename:
        return answer.flash("studio.file.none", "error")
    try:
        taken, problems = await desk.take_in(staff, given.filename, await given.read())
    except Unreadable as error:
        return answer.flash("studio.file.problem", "error", what=str(error))
    counts = {"added": taken.added, "changed": taken.changed, "same": taken.unchanged, "left": len(problems)}
    answer = answer.flash("studio.file.taken", "error" if problems else "ok", **counts)
    for problem in problems[:_PROBLEMS_SHOWN]:
        answer = answer.flash("studio.file.problem", "error", what=problem)
    return answer


# One lesson at the desk: who comes, who waits, changes, attendance.


class ChangedLesson(LessonForm, frozen=True):
    bring_back: bool = False
    """It takes place after all, though it was called off."""

    def draft(self, slot: Slot) -> LessonDraft:
        return structs.replace(super().draft(slot), called_off=False if self.bring_back else UNSET)


class Attendance(msgspec.Struct):
    user_id: Annotated[Token, Meta(max_length=64)]
    came: bool = False


@dataclass(frozen=True, slots=True)
class ShownLesson:
    """The page; a change that was refused shows it again."""

    view: View
    staff: Staff
    at: Slot
    desk: Desk
    acts: Acts

    async def html(self, status: int = 200, filled: Form | None = None) -> Html:
        now, roll = self.view.now, await self.desk.roll(self.staff, self.at)
        return Html(
            "lessons/people.html",
            status,
            view=self.view,
            studio=self.staff.studio,
            roll=roll,
            slot=self.at,
            free=free_places(roll.lesson),
            elsewhere=elsewhere(roll.lesson),
            offered=lambda tie: holds_offer(tie, now),
            begun=now >= self.at.starts_at,
            takes_attendance=now >= self.at.starts_at - ATTENDANCE_BEFORE,
            form=filled or Form(_filled_with(roll.lesson)),
            acts=[(act, self.acts.may_undo(act)) for act in await self.acts.of(self.at)],
            blank=Form({"lesson_date": f"{self.at.lesson_date}", "start_time": f"{self.at.start_time:%H:%M}"}),
            over=now >= span(roll.lesson)[1],
        )

    @property
    def again(self) -> Redirect:
        return Redirect("lessons:people", code=self.staff.studio.code, slot=str(self.at))


def _filled_with(lesson: Lesson) -> dict[str, object]:
    texts = {name: "" if value is None else value for name, value in texts_of(lesson).items()}
    return {**texts, "is_open": lesson.is_open}


@pages.get("/desk/{code}/people/{slot:path}", name="people")
async def people(shown: ShownLesson) -> Html:
    return await shown.html()


@pages.post("/desk/{code}/people/{slot:path}")
async def change(shown: ShownLesson, desk: Desk, sent: Sent[ChangedLesson]) -> Html | Redirect:
    try:
        await desk.change(shown.staff, sent.value.draft(shown.at))
    except (Invalid, refusals.LessonOver, refusals.CalledOff) as wrong:
        return await shown.html(wrong.status, sent.refilled(wrong))
    return shown.again.flash("done.lesson")


@pages.post("/desk/{code}/attendance/{slot:path}", name="attendance")
async def attendance(shown: ShownLesson, desk: Desk, form: Attendance) -> Redirect:
    try:
        await desk.mark_attendance(shown.staff, shown.at, form.user_id, form.came)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again


# What the desk does with a lesson: places, moves, messages, calling off; and taking that back.


_Words = Annotated[str, Text(1000)]


class Guest(msgspec.Struct):
    user_id: Annotated[Token, Meta(max_length=64)]


class Seat(msgspec.Struct):
    """A member by their mail address, or a walk-in by name."""

    email: Annotated[str, Line(254, 0)] = ""
    name: Annotated[str, NameLine(NAME_MAX, 0)] = ""


class Target(msgspec.Struct):
    lesson_date: date
    start_time: Typed


class Said(msgspec.Struct):
    words: _Words = ""
    waiting: bool = False


class Act(msgspec.Struct):
    act_id: Annotated[Token, Meta(max_length=64)]


@pages.post("/desk/{code}/book/{slot:path}", name="book_for")
async def book_for(shown: ShownLesson, desk: Desk, form: Guest) -> Redirect:
    try:
        await desk.book_for(shown.staff, shown.at, form.user_id)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.booked_for")


@pages.post("/desk/{code}/cancel/{slot:path}", name="cancel_for")
async def cancel_for(shown: ShownLesson, desk: Desk, form: Guest) -> Redirect:
    try:
        await desk.cancel_for(shown.staff, shown.at, form.user_id)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.cancelled_for")


@pages.post("/desk/{code}/seat/{slot:path}", name="seat")
async def seat(shown: ShownLesson, desk: Desk, members: Members, form: Seat) -> Redirect:
    try:
        if form.email.strip():
            await desk.book_for(shown.staff, shown.at, (await members.by_mail(form.email)).user_id)
            return shown.again.flash("done.booked_for")
        await desk.walk_in(shown.staff, shown.at, form.name)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.walk_in")


@pages.post("/desk/{code}/move/{slot:path}", name="move")
async def move(shown: ShownLesson, moves: Moves, form: Target) -> Redirect:
    code = shown.staff.studio.code
    try:
        to = Slot(code, form.lesson_date, time_in(form.start_time, "start_time"))
        await moves.move(shown.staff, shown.at, to)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return Redirect("lessons:people", code=code, slot=str(to)).flash("done.moved")


@pages.post("/desk/{code}/message/{slot:path}", name="message")
async def message(shown: ShownLesson, class_messages: ClassMessages, form: Said) -> Redirect:
    try:
        reached = await class_messages.send(shown.staff, shown.at, form.words, to_waiting=form.waiting)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.message", n=reached)


@pages.post("/desk/{code}/off/{slot:path}", name="call_off")
async def call_off(shown: ShownLesson, desk: Desk, form: Said) -> Redirect:
    try:
        await desk.call_off(shown.staff, shown.at, form.words)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.called_off")


@pages.post("/desk/{code}/undo/{slot:path}", name="undo")
async def undo(shown: ShownLesson, undoing: Undoing, form: Act) -> Redirect:
    try:
        at = await undoing.undo(shown.staff, shown.at, form.act_id)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return Redirect("lessons:people", code=shown.staff.studio.code, slot=str(at)).flash("done.undone")
