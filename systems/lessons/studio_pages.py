"""The studio's desk: the timetable with its numbers, one lesson with who comes and who waits, changes, calling off."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from sekkei.runtime import days
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.runtime.system import Context
from sekkei.web import Form, Pages, flash, form, language_of, page, redirect, refill, require_user, t
from systems.lessons import refusals
from systems.lessons.design import Lesson
from systems.lessons.pages import Clock, Desk, Name, day_in, slot_in, time_in
from systems.lessons.rules import Slot, free_places, slot_of
from systems.lessons.studios import Studio

DAYS_SHOWN = 7


class LessonForm(msgspec.Struct):
    lesson_date: date
    start_time: Clock
    lesson_name: Name
    instructor: Name
    end_time: Clock | None = None
    capacity: Annotated[int, Meta(ge=0, le=10_000)] | None = None
    is_open: bool = False


def routes(desk: Desk, context: Context) -> list[BaseRoute]:
    pages = Pages()
    _timetable(pages, desk, context)
    _lesson(pages, desk)
    return pages.routes


def _timetable(pages: Pages, desk: Desk, context: Context) -> None:
    async def show(request: Request, studio: Studio, status: int, filled: Form) -> Response:
        today = days.today(context.clock)
        first = day_in(request, today)
        return page(
            request,
            "lessons/studio.html",
            status,
            studio=studio,
            studios=desk.studios,
            lessons=await desk.service.timetable(studio.code, first, first + timedelta(days=DAYS_SHOWN - 1)),
            first=first,
            earlier=first - timedelta(days=DAYS_SHOWN),
            later=first + timedelta(days=DAYS_SHOWN),
            slot_of=slot_of,
            free=free_places,
            form=filled,
            is_staff=True,
        )

    @pages.get("/desk/{code}", name="desk")
    async def open_desk(request: Request) -> Response:
        desk.must_be_staff(require_user(request))
        return await show(request, desk.studio(request.path_params["code"]), 200, Form({"is_open": True}))

    @pages.post("/desk/{code}")
    async def save(request: Request) -> Response:
        desk.must_be_staff(require_user(request))
        studio = desk.studio(request.path_params["code"])
        try:
            given = await form(request, LessonForm)
        except Invalid as wrong:
            return await show(request, studio, 422, refill(request, wrong))
        lesson = Lesson(
            studio_code=studio.code,
            lesson_date=given.lesson_date,
            start_time=time.fromisoformat(given.start_time),
            end_time=time_in(given.end_time),
            lesson_name=given.lesson_name,
            instructor=given.instructor,
            capacity=given.capacity,
            is_open=given.is_open,
            updated_at=days.now(context.clock),
        )
        try:
            await desk.service.save_lesson(lesson)
        except Invalid as wrong:
            return await show(request, studio, 422, refill(request, wrong))
        except Refusal as refusal:
            flash(request, refusal.text(language_of(request)), "error")
            return redirect(request, "lessons:desk", code=studio.code)
        flash(request, t(request, "done.lesson"))
        return redirect(request, "lessons:people", code=studio.code, slot=str(slot_of(lesson)))


def _lesson(pages: Pages, desk: Desk) -> None:
    def place(request: Request) -> tuple[Studio, Slot]:
        desk.must_be_staff(require_user(request))
        studio, slot = desk.studio(request.path_params["code"]), slot_in(request)
        if slot.studio_code != studio.code:
            raise refusals.NoSuchLesson()
        return studio, slot

    @pages.get("/desk/{code}/people/{slot:path}", name="people")
    async def people(request: Request) -> Response:
        studio, slot = place(request)
        roll = await desk.service.roll(slot)
        found = roll.lesson
        filled = Form(
            {
                "lesson_name": found.lesson_name,
                "instructor": found.instructor,
                "end_time": f"{found.end_time:%H:%M}" if found.end_time else "",
                "capacity": "" if found.capacity is None else found.capacity,
                "is_open": found.is_open,
            }
        )
        return page(
            request,
            "lessons/people.html",
            studio=studio,
            roll=roll,
            slot=slot,
            free=free_places(found),
            form=filled,
            is_staff=True,
        )

    @pages.post("/desk/{code}/off/{slot:path}", name="call_off")
    async def call_off(request: Request) -> Response:
        studio, slot = place(request)
        try:
            await desk.service.call_off(slot)
        except refusals.LessonOver as refusal:
            flash(request, refusal.text(language_of(request)), "error")
        else:
            flash(request, t(request, "done.called_off"))
        return redirect(request, "lessons:people", code=studio.code, slot=str(slot))
