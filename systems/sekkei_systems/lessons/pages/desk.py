"""The studio's desk: its timetable with numbers, a new lesson, a file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from starlette.datastructures import UploadFile
from starlette.requests import Request

from sekkei.runtime.refusals import Invalid
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.pages.view import AskedDay, Typed, View
from sekkei_systems.lessons.rules.drafts import LessonDraft, LessonFields, WholeLesson, values_of
from sekkei_systems.lessons.rules.entered import time_in
from sekkei_systems.lessons.rules.listings import Unreadable, columns
from sekkei_systems.lessons.rules.places import free_places
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.service.access import Access, Staff
from sekkei_systems.lessons.service.desk import Desk
from sekkei_systems.lessons.service.timetable import Timetable

DAYS_SHOWN = 7
PROBLEMS_SHOWN = 3

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
        code, week = self.staff.studio.code, timedelta(days=DAYS_SHOWN)
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
    for problem in problems[:PROBLEMS_SHOWN]:
        answer = answer.flash("studio.file.problem", "error", what=problem)
    return answer
