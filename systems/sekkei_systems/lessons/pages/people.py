"""One lesson at the desk: who comes, who waits, changes, attendance."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime import days
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.runtime.system import Context
from sekkei.web import Form, Pages, flash, form, language_of, page, redirect, refill, t
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.pages.desk import LessonForm, lesson_of, staff_in
from sekkei_systems.lessons.pages.view import slot_in
from sekkei_systems.lessons.rules.places import free_places
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import Staff
from sekkei_systems.lessons.service.desk import ATTENDANCE_BEFORE, Roll


class ChangedLesson(LessonForm, kw_only=True):
    bring_back: bool = False
    """It takes place after all, though it was called off."""


class Attendance(msgspec.Struct):
    user_id: Annotated[str, Meta(min_length=1, max_length=64)]
    came: bool = False


def place(request: Request, service: Service) -> tuple[Staff, Slot]:
    staff = staff_in(request, service)
    return staff, staff.own(slot_in(request))


def declare(pages: Pages, service: Service, context: Context) -> None:
    async def show(request: Request, roll: Roll, status: int, filled: Form) -> Response:
        slot = slot_of(roll.lesson)
        now = days.now(context.clock)
        return page(
            request,
            "lessons/people.html",
            status,
            studio=service.access.studio(slot.studio_code),
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
        staff, slot = place(request, service)
        roll = await service.desk.roll(staff, slot)
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
        staff, slot = place(request, service)
        try:
            given = await form(request, ChangedLesson)
            await service.desk.change(
                staff, lesson_of(slot, given, days.now(context.clock)), bring_back=given.bring_back
            )
        except (Invalid, refusals.LessonOver, refusals.CalledOff) as wrong:
            return await show(request, await service.desk.roll(staff, slot), wrong.status, refill(request, wrong))
        flash(request, t(request, "done.lesson"))
        return redirect(request, "lessons:people", code=slot.studio_code, slot=str(slot))

    @pages.post("/desk/{code}/off/{slot:path}", name="call_off")
    async def call_off(request: Request) -> Response:
        staff, slot = place(request, service)
        try:
            await service.desk.call_off(staff, slot)
        except refusals.LessonOver as refusal:
            flash(request, refusal.text(language_of(request)), "error")
        else:
            flash(request, t(request, "done.called_off"))
        return redirect(request, "lessons:people", code=slot.studio_code, slot=str(slot))

    @pages.post("/desk/{code}/attendance/{slot:path}", name="attendance")
    async def attendance(request: Request) -> Response:
        staff, slot = place(request, service)
        given = await form(request, Attendance)
        try:
            await service.desk.mark_attendance(staff, slot, given.user_id, given.came)
        except Refusal as refusal:
            flash(request, refusal.text(language_of(request)), "error")
        return redirect(request, "lessons:people", code=slot.studio_code, slot=str(slot))
