"""The studio's desk: its timetable with numbers, a new lesson, a file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.datastructures import UploadFile
from starlette.requests import Request

from sekkei.runtime.refusals import Invalid
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.api.shapes import SearchText, TimeOfDay, time_in
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.pages.view import AskedDay, View
from sekkei_systems.lessons.rules.listings import Unreadable
from sekkei_systems.lessons.rules.places import free_places
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.service.access import Access, Staff
from sekkei_systems.lessons.service.desk import Desk
from sekkei_systems.lessons.service.timetable import Timetable

DAYS_SHOWN = 7
PROBLEMS_SHOWN = 3

pages = Pages()


class LessonForm(msgspec.Struct):
    lesson_name: SearchText
    instructor: SearchText
    end_time: TimeOfDay | None = None
    capacity: Annotated[int, Meta(ge=0, le=10_000)] | None = None
    is_open: bool = False


class NewLesson(LessonForm, kw_only=True):
    lesson_date: date
    start_time: TimeOfDay


def lesson_of(slot: Slot, given: LessonForm, now: datetime) -> Lesson:
    return Lesson(
        studio_code=slot.studio_code,
        lesson_date=slot.lesson_date,
        start_time=slot.start_time,
        end_time=time_in(given.end_time),
        lesson_name=given.lesson_name,
        instructor=given.instructor,
        capacity=given.capacity,
        is_open=given.is_open,
        updated_at=now,
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """The desk; a lesson that was refused shows it again."""

    view: View
    staff: Staff
    access: Access
    timetable: Timetable

    async def html(self, status: int, first: date, filled: Form) -> Html:
        code, week = self.staff.studio.code, timedelta(days=DAYS_SHOWN)
        return Html(
            "lessons/studio.html",
            status,
            view=self.view,
            studio=self.staff.studio,
            studios=self.access.run_by(self.view.member),
            lessons=await self.timetable.between(code, first, first + week - timedelta(days=1)),
            first=first,
            earlier=first - week,
            later=first + week,
            slot_of=slot_of,
            free=free_places,
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
        slot = Slot(staff.studio.code, given.lesson_date, time.fromisoformat(given.start_time))
        await desk.add(staff, lesson_of(slot, given, shown.view.now))
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
