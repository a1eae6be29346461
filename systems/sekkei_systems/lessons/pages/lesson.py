"""One lesson: what it is, what I have to do with it, and what I can do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime import days
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.runtime.system import Context
from sekkei.web import Form, Pages, User, flash, form, language_of, page, redirect, refill, require_user, t
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import TieKind
from sekkei_systems.lessons.pages.view import desk_of, known, live_at, slot_in
from sekkei_systems.lessons.rules.places import free_places, is_available
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import Member, member_of


class Note(msgspec.Struct):
    notes: Annotated[str, Meta(max_length=500)] = ""


def declare(pages: Pages, service: Service, context: Context) -> None:
    _actions(pages, service)

    async def show(request: Request, user: User, status: int = 200, filled: Form | None = None) -> Response:
        slot, now = slot_in(request), days.now(context.clock)
        studio = service.access.studio(slot.studio_code)
        live = live_at(request, context, studio.code)
        view = await service.lists.view(member_of(user), slot)
        favorite = view.ties.get(TieKind.FAVORITE)
        policy = service.policy
        return page(
            request,
            "lessons/lesson.html",
            status,
            view=view,
            live=live,
            slot=slot,
            studio=studio,
            available=is_available(view.lesson) and not view.held,
            free=free_places(view.lesson),
            overlaps=[
                service.notices.words(other, language=language_of(request))
                for other in await service.lists.overlaps(member_of(user), view.lesson)
            ],
            favorite=favorite,
            waiting=view.ties.get(TieKind.WAITLIST),
            booking=view.ties.get(TieKind.BOOKING),
            cancel_hours=f"{policy.cancel_until / timedelta(hours=1):g}",
            may_cancel=policy.may_cancel(slot.starts_at, now),
            late=policy.is_late(slot.starts_at, now),
            over=slot.starts_at <= now,
            form=filled or Form({"notes": (favorite.notes or "") if favorite else ""}),
            desk=desk_of(request, service),
        )

    @pages.get("/lessons/{slot:path}", name="lesson")
    async def lesson(request: Request) -> Response:
        return await show(request, require_user(request))

    @pages.post("/notes/{slot:path}", name="note")
    async def note(request: Request) -> Response:
        user = require_user(request)
        try:
            given = await form(request, Note)
            await service.favorites.change_note(member_of(user), slot_in(request), given.notes or None)
        except Invalid as wrong:
            return await show(request, user, 422, refill(request, wrong))
        flash(request, t(request, "done.note"))
        return redirect(request, "lessons:lesson", slot=str(slot_in(request)))


def _actions(pages: Pages, service: Service) -> None:
    actions: dict[str, tuple[Callable[[Member, Slot], Awaitable[object]], str]] = {
        "book": (service.bookings.book, "done.booked"),
        "cancel": (service.bookings.cancel, "done.cancelled"),
        "wait": (service.waitlist.join, "done.waiting"),
        "leave": (service.waitlist.leave, "done.left"),
        "favorite": (service.favorites.add, "done.favorite"),
        "unfavorite": (service.favorites.remove, "done.unfavorite"),
    }

    @pages.post("/act/{action}/{slot:path}", name="act")
    async def act(request: Request) -> Response:
        user = require_user(request)
        found = actions.get(request.path_params["action"])
        if found is None:
            raise refusals.NoSuchLesson()
        slot = slot_in(request)
        operation, said = found
        await known(request, service, user)
        try:
            await operation(member_of(user), slot)
        except refusals.NoSuchLesson:
            raise
        except Refusal as refusal:
            flash(request, refusal.text(language_of(request)), "error")
        else:
            flash(request, t(request, said))
        return redirect(request, "lessons:lesson", slot=str(slot))
