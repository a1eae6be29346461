"""Saved searches."""

from __future__ import annotations

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime import days
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.runtime.system import Context
from sekkei.web import Form, Pages, User, flash, form, language_of, page, redirect, refill, require_user, t
from sekkei_systems.lessons.api.searches import SearchIn, wish_of
from sekkei_systems.lessons.pages.view import desk_of, known
from sekkei_systems.lessons.service import Service

SUGGESTED_DAYS = 7


def declare(pages: Pages, service: Service, context: Context) -> None:
    async def show(request: Request, user: User, status: int, filled: Form) -> Response:
        today = days.today(context.clock)
        last = today + timedelta(days=SUGGESTED_DAYS)
        lessons = [
            lesson
            for studio in service.access.studios
            for lesson in await service.timetable.between(studio.code, today, last)
        ]
        return page(
            request,
            "lessons/searches.html",
            status,
            searches=await service.searches.of(user.id),
            form=filled,
            studios=[("", t(request, "search.anywhere")), *service.access.names.items()],
            programs=sorted({lesson.program or lesson.lesson_name for lesson in lessons}),
            instructors=sorted({lesson.instructor for lesson in lessons}),
            weekdays=[(str(day), t(request, f"weekday.{day}")) for day in range(7)],
            names=service.access.names,
            desk=desk_of(request, service),
        )

    @pages.get("/searches", name="searches")
    async def searches(request: Request) -> Response:
        given = {name: request.query_params.get(name, "") for name in ("studio", "program", "instructor")}
        return await show(request, require_user(request), 200, Form(given))

    @pages.post("/searches")
    async def save(request: Request) -> Response:
        user = require_user(request)
        await known(request, service, user)
        try:
            given = await form(request, SearchIn)
            await service.searches.save(user.id, wish_of(service, given))
        except Invalid as wrong:
            return await show(request, user, 422, refill(request, wrong))
        except Refusal as refusal:
            flash(request, refusal.text(language_of(request)), "error")
        else:
            flash(request, t(request, "done.search"))
        return redirect(request, "lessons:searches")

    @pages.post("/searches/{search_id}/delete", name="delete_search")
    async def delete(request: Request) -> Response:
        await service.searches.delete(require_user(request).id, request.path_params["search_id"])
        flash(request, t(request, "done.search.deleted"))
        return redirect(request, "lessons:searches")
