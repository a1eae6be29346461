"""The studio's desk: its timetable with numbers, a new lesson, a file."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime import days
from sekkei.runtime.refusals import Invalid
from sekkei.runtime.system import Context
from sekkei.web import Form, Pages, flash, form, page, redirect, refill, require_user, t
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.api.shapes import Clock, SearchText, time_in
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.pages.view import day_in
from sekkei_systems.lessons.rules.listings import Unreadable
from sekkei_systems.lessons.rules.places import free_places
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import Staff, member_of

DAYS_SHOWN = 7
PROBLEMS_SHOWN = 3


class LessonForm(msgspec.Struct):
    lesson_name: SearchText
    instructor: SearchText
    end_time: Clock | None = None
    capacity: Annotated[int, Meta(ge=0, le=10_000)] | None = None
    is_open: bool = False


class NewLesson(LessonForm, kw_only=True):
    lesson_date: date
    start_time: Clock


def staff_in(request: Request, service: Service) -> Staff:
    return service.access.staff(member_of(require_user(request)), request.path_params["code"])


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


def declare(pages: Pages, service: Service, context: Context) -> None:
    async def show(request: Request, staff: Staff, status: int, filled: Form) -> Response:
        first, code = day_in(request, days.today(context.clock)), staff.studio.code
        return page(
            request,
            "lessons/studio.html",
            status,
            studio=staff.studio,
            studios=service.access.run_by(member_of(require_user(request))),
            lessons=await service.timetable.between(code, first, first + timedelta(days=DAYS_SHOWN - 1)),
            first=first,
            earlier=first - timedelta(days=DAYS_SHOWN),
            later=first + timedelta(days=DAYS_SHOWN),
            slot_of=slot_of,
            free=free_places,
            form=filled,
            desk=code,
        )

    @pages.get("/desk/{code}", name="desk")
    async def open_desk(request: Request) -> Response:
        filled = Form({"is_open": True, "lesson_date": day_in(request, days.today(context.clock)).isoformat()})
        return await show(request, staff_in(request, service), 200, filled)

    @pages.post("/desk/{code}")
    async def add(request: Request) -> Response:
        staff = staff_in(request, service)
        try:
            given = await form(request, NewLesson)
            slot = Slot(staff.studio.code, given.lesson_date, time.fromisoformat(given.start_time))
            await service.desk.add(staff, lesson_of(slot, given, days.now(context.clock)))
        except (Invalid, refusals.SlotTaken, refusals.LessonOver) as wrong:
            return await show(request, staff, wrong.status, refill(request, wrong))
        flash(request, t(request, "done.lesson"))
        return redirect(request, "lessons:people", code=staff.studio.code, slot=str(slot))

    @pages.post("/desk/{code}/file", name="file")
    async def take_in(request: Request) -> Response:
        staff = staff_in(request, service)
        given = (await request.form()).get("file")
        if not isinstance(given, UploadFile) or not given.filename:
            flash(request, t(request, "studio.file.none"), "error")
            return redirect(request, "lessons:desk", code=staff.studio.code)
        try:
            taken, problems = await service.desk.take_in(staff, given.filename, await given.read())
        except Unreadable as error:
            flash(request, str(error), "error")
            return redirect(request, "lessons:desk", code=staff.studio.code)
        counts = {"added": taken.added, "changed": taken.changed, "same": taken.unchanged, "left": len(problems)}
        flash(request, t(request, "studio.file.taken", **counts), "error" if problems else "ok")
        for problem in problems[:PROBLEMS_SHOWN]:
            flash(request, problem, "error")
        return redirect(request, "lessons:desk", code=staff.studio.code)
