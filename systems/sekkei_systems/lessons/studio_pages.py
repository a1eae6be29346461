"""The studio's desk: the timetable with its numbers, one lesson with who comes and who waits, changes, attendance."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from sekkei.runtime import days
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.runtime.system import Context
from sekkei.web import Form, Pages, flash, form, language_of, page, redirect, refill, require_user, t
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.pages import Desk, actor_of, day_in, slot_in
from sekkei_systems.lessons.people_api import Clock, SearchText, time_in
from sekkei_systems.lessons.rules import Slot, free_places, slot_of
from sekkei_systems.lessons.service import ATTENDANCE_BEFORE, Roll
from sekkei_systems.lessons.studios import Studio
from sekkei_systems.lessons.timetable_files import Unreadable

DAYS_SHOWN = 7
PROBLEMS_SHOWN = 3


class LessonForm(msgspec.Struct):
    lesson_name: SearchText
    instructor: SearchText
    end_time: Clock | None = None
    capacity: Annotated[int, Meta(ge=0, le=10_000)] | None = None
    is_open: bool = False


class ChangedLesson(LessonForm, kw_only=True):
    bring_back: bool = False
    """It takes place after all, though it was called off."""


class NewLesson(LessonForm, kw_only=True):
    lesson_date: date
    start_time: Clock


class Attendance(msgspec.Struct):
    user_id: Annotated[str, Meta(min_length=1, max_length=64)]
    came: bool = False


def routes(desk: Desk, context: Context) -> list[BaseRoute]:
    pages = Pages()
    _timetable(pages, desk, context)
    _lesson(pages, desk)
    return pages.routes


def studio_in(request: Request, desk: Desk) -> Studio:
    return desk.service.must_run(actor_of(require_user(request)), request.path_params["code"])


def place(request: Request, desk: Desk) -> tuple[Studio, Slot]:
    studio, slot = studio_in(request, desk), slot_in(request)
    if slot.studio_code != studio.code:
        raise refusals.NoSuchLesson()
    return studio, slot


def lesson_of(slot: Slot, given: LessonForm, desk: Desk) -> Lesson:
    return Lesson(
        studio_code=slot.studio_code,
        lesson_date=slot.lesson_date,
        start_time=slot.start_time,
        end_time=time_in(given.end_time),
        lesson_name=given.lesson_name,
        instructor=given.instructor,
        capacity=given.capacity,
        is_open=given.is_open,
        updated_at=desk.service.now(),
    )


def _timetable(pages: Pages, desk: Desk, context: Context) -> None:
    async def show(request: Request, studio: Studio, status: int, filled: Form) -> Response:
        today = days.today(context.clock)
        first = day_in(request, today)
        actor = actor_of(require_user(request))
        return page(
            request,
            "lessons/studio.html",
            status,
            studio=studio,
            studios=[one for one in desk.service.studios if desk.service.runs(actor, one.code)],
            lessons=await desk.service.timetable.between(studio.code, first, first + timedelta(days=DAYS_SHOWN - 1)),
            first=first,
            earlier=first - timedelta(days=DAYS_SHOWN),
            later=first + timedelta(days=DAYS_SHOWN),
            slot_of=slot_of,
            free=free_places,
            form=filled,
            desk=studio.code,
        )

    @pages.get("/desk/{code}", name="desk")
    async def open_desk(request: Request) -> Response:
        filled = Form({"is_open": True, "lesson_date": day_in(request, days.today(context.clock)).isoformat()})
        return await show(request, studio_in(request, desk), 200, filled)

    @pages.post("/desk/{code}")
    async def add(request: Request) -> Response:
        studio = studio_in(request, desk)
        try:
            given = await form(request, NewLesson)
            slot = Slot(studio.code, given.lesson_date, time.fromisoformat(given.start_time))
            await desk.service.add_lesson(actor_of(require_user(request)), lesson_of(slot, given, desk))
        except (Invalid, refusals.SlotTaken, refusals.LessonOver) as wrong:
            return await show(request, studio, wrong.status, refill(request, wrong))
        flash(request, t(request, "done.lesson"))
        return redirect(request, "lessons:people", code=studio.code, slot=str(slot))

    @pages.post("/desk/{code}/file", name="file")
    async def take_in(request: Request) -> Response:
        studio = studio_in(request, desk)
        given = (await request.form()).get("file")
        if not isinstance(given, UploadFile) or not given.filename:
            flash(request, t(request, "studio.file.none"), "error")
            return redirect(request, "lessons:desk", code=studio.code)
        actor = actor_of(require_user(request))
        try:
            taken, problems = await desk.service.take_in(actor, studio.code, given.filename, await given.read())
        except Unreadable as error:
            flash(request, str(error), "error")
            return redirect(request, "lessons:desk", code=studio.code)
        counts = {"added": taken.added, "changed": taken.changed, "same": taken.unchanged, "left": len(problems)}
        flash(request, t(request, "studio.file.taken", **counts), "error" if problems else "ok")
        for problem in problems[:PROBLEMS_SHOWN]:
            flash(request, problem, "error")
        return redirect(request, "lessons:desk", code=studio.code)


def _lesson(pages: Pages, desk: Desk) -> None:
    async def show(request: Request, roll: Roll, status: int, filled: Form) -> Response:
        slot = slot_of(roll.lesson)
        now = desk.service.now()
        return page(
            request,
            "lessons/people.html",
            status,
            studio=desk.service.studio(slot.studio_code),
            roll=roll,
            slot=slot,
            free=free_places(roll.lesson),
            begun=now >= slot.starts_at,
            takes_attendance=now >= slot.starts_at - ATTENDANCE_BEFORE,
            form=filled,
            desk=slot.studio_code,
        )

    @pages.get("/desk/{code}/people/{slot:path}", name="people")
    async def people(request: Request) -> Response:
        _, slot = place(request, desk)
        roll = await desk.service.roll(actor_of(require_user(request)), slot)
        found = roll.lesson
        filled = {
            "lesson_name": found.lesson_name,
            "instructor": found.instructor,
            "end_time": f"{found.end_time:%H:%M}" if found.end_time else "",
            "capacity": "" if found.capacity is None else found.capacity,
            "is_open": found.is_open,
        }
        return await show(request, roll, 200, Form(filled))

    @pages.post("/desk/{code}/people/{slot:path}")
    async def change(request: Request) -> Response:
        studio, slot = place(request, desk)
        actor = actor_of(require_user(request))
        try:
            given = await form(request, ChangedLesson)
            await desk.service.change_lesson(actor, lesson_of(slot, given, desk), bring_back=given.bring_back)
        except (Invalid, refusals.LessonOver, refusals.CalledOff) as wrong:
            return await show(request, await desk.service.roll(actor, slot), wrong.status, refill(request, wrong))
        flash(request, t(request, "done.lesson"))
        return redirect(request, "lessons:people", code=studio.code, slot=str(slot))

    @pages.post("/desk/{code}/off/{slot:path}", name="call_off")
    async def call_off(request: Request) -> Response:
        studio, slot = place(request, desk)
        try:
            await desk.service.call_off(actor_of(require_user(request)), slot)
        except refusals.LessonOver as refusal:
            flash(request, refusal.text(language_of(request)), "error")
        else:
            flash(request, t(request, "done.called_off"))
        return redirect(request, "lessons:people", code=studio.code, slot=str(slot))

    @pages.post("/desk/{code}/attendance/{slot:path}", name="attendance")
    async def attendance(request: Request) -> Response:
        studio, slot = place(request, desk)
        given = await form(request, Attendance)
        try:
            await desk.service.mark_attendance(actor_of(require_user(request)), slot, given.user_id, given.came)
        except Refusal as refusal:
            flash(request, refusal.text(language_of(request)), "error")
        return redirect(request, "lessons:people", code=studio.code, slot=str(slot))
