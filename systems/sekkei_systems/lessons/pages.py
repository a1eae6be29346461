"""What people look at: the timetable, a lesson, my list, history, and what a link in a notice opens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from sekkei.runtime import days
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.runtime.system import Context
from sekkei.web import (
    Form,
    Pages,
    User,
    current_user,
    flash,
    form,
    language_of,
    live_url,
    page,
    redirect,
    refill,
    require_user,
    sse,
    t,
)
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.contacts import Contacts
from sekkei_systems.lessons.design import Status, TieKind
from sekkei_systems.lessons.notices import Notices
from sekkei_systems.lessons.people import Contact
from sekkei_systems.lessons.reactions import topic
from sekkei_systems.lessons.rules import FIRST_DAY, LAST_DAY, Slot, free_places, is_available, parse_slot, slot_of
from sekkei_systems.lessons.searches import Searches
from sekkei_systems.lessons.service import Actor, Service

DAYS_SHOWN = 14
NEXT_SHOWN = 4


class Note(msgspec.Struct):
    notes: Annotated[str, Meta(max_length=500)] = ""


@dataclass(frozen=True, slots=True)
class Desk:
    """What the pages need."""

    service: Service
    contacts: Contacts
    searches: Searches
    notices: Notices

    @property
    def names(self) -> dict[str, str]:
        return {studio.code: studio.name for studio in self.service.studios}


def routes(desk: Desk, context: Context) -> list[BaseRoute]:
    pages = Pages()
    _timetable(pages, desk, context)
    _lesson(pages, desk, context)
    _actions(pages, desk)
    _mine(pages, desk, context)
    _offers(pages, desk)
    return pages.routes


def day_in(request: Request, otherwise: date) -> date:
    try:
        found = date.fromisoformat(request.query_params.get("date", ""))
    except ValueError:
        return otherwise
    return found if FIRST_DAY <= found <= LAST_DAY else otherwise


def slot_in(request: Request) -> Slot:
    return parse_slot(request.path_params["slot"])


def actor_of(user: User) -> Actor:
    return Actor(user.id, user.email if user.verified else "")


def desk_of(request: Request, desk: Desk) -> str | None:
    """The studio that whoever looks runs, for the menu."""
    user = current_user(request)
    studio = desk.service.runs_any(actor_of(user)) if user else None
    return studio.code if studio else None


async def known(request: Request, desk: Desk, user: User) -> Contact:
    """Whoever registers for something is to hear of it, also without having been asked how."""
    email = user.email if user.verified else ""
    return await desk.contacts.ensure(user.id, user.name, email, language_of(request))


def live_at(request: Request, context: Context, studio_code: str) -> str:
    """Where an open page hears of changes at a studio; asked for before its data is read."""
    return live_url(request, context.live, topic(studio_code), f"/lessons/studios/{studio_code}/live")


def _timetable(pages: Pages, desk: Desk, context: Context) -> None:
    @pages.get("/", name="timetable")
    async def timetable(request: Request) -> Response:
        user = require_user(request)
        today = days.today(context.clock)
        studio = desk.service.studio(request.query_params.get("studio") or desk.service.studios[0].code)
        day = day_in(request, today)
        live = live_at(request, context, studio.code)
        lessons = await desk.service.timetable.between(studio.code, day, day)
        mine = await desk.service.my_list(user.id, first=min(day, today))
        active = [tie for tie in mine if tie.status is Status.ACTIVE]
        ties: dict[Slot, list[TieKind]] = {}
        for tie in active:
            ties.setdefault(slot_of(tie), []).append(tie.kind)
        now = days.now(context.clock)
        upcoming = [tie for tie in active if tie.kind is not TieKind.FAVORITE and tie.starts_at > now]
        return page(
            request,
            "lessons/timetable.html",
            studio=studio,
            studios=desk.service.studios,
            live=live,
            day=day,
            shown_days=[today + timedelta(days=number) for number in range(DAYS_SHOWN)],
            lessons=lessons,
            ties=ties,
            slot_of=slot_of,
            free=free_places,
            over=lambda lesson: slot_of(lesson).starts_at <= now,
            upcoming=upcoming[:NEXT_SHOWN],
            names=desk.names,
            today=today,
            desk=desk_of(request, desk),
        )

    @pages.get("/studios/{code}/live", name="live")
    async def listen(request: Request) -> Response:
        require_user(request)
        return sse(request, context.live, topic(desk.service.studio(request.path_params["code"]).code))


def _lesson(pages: Pages, desk: Desk, context: Context) -> None:
    async def show(request: Request, user: User, status: int = 200, filled: Form | None = None) -> Response:
        slot, now = slot_in(request), days.now(context.clock)
        studio = desk.service.studio(slot.studio_code)
        live = live_at(request, context, studio.code)
        view = await desk.service.view(user.id, slot)
        favorite = view.ties.get(TieKind.FAVORITE)
        policy = desk.service.policy
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
                desk.notices.words(other, language=language_of(request))
                for other in await desk.service.overlaps(user.id, view.lesson)
            ],
            favorite=favorite,
            waiting=view.ties.get(TieKind.WAITLIST),
            booking=view.ties.get(TieKind.BOOKING),
            cancel_hours=f"{policy.cancel_until / timedelta(hours=1):g}",
            may_cancel=policy.may_cancel(slot.starts_at, now),
            late=policy.is_late(slot.starts_at, now),
            over=slot.starts_at <= now,
            form=filled or Form({"notes": (favorite.notes or "") if favorite else ""}),
            desk=desk_of(request, desk),
        )

    @pages.get("/lessons/{slot:path}", name="lesson")
    async def lesson(request: Request) -> Response:
        return await show(request, require_user(request))

    @pages.post("/notes/{slot:path}", name="note")
    async def note(request: Request) -> Response:
        user = require_user(request)
        try:
            given = await form(request, Note)
            await desk.service.change_note(user.id, slot_in(request), given.notes or None)
        except Invalid as wrong:
            return await show(request, user, 422, refill(request, wrong))
        flash(request, t(request, "done.note"))
        return redirect(request, "lessons:lesson", slot=str(slot_in(request)))


def _actions(pages: Pages, desk: Desk) -> None:
    service = desk.service
    actions: dict[str, tuple[Callable[[str, Slot], Awaitable[object]], str]] = {
        "book": (service.book, "done.booked"),
        "cancel": (service.cancel_booking, "done.cancelled"),
        "wait": (service.join_waitlist, "done.waiting"),
        "leave": (service.leave_waitlist, "done.left"),
        "favorite": (service.add_favorite, "done.favorite"),
        "unfavorite": (service.remove_favorite, "done.unfavorite"),
    }

    @pages.post("/act/{action}/{slot:path}", name="act")
    async def act(request: Request) -> Response:
        user = require_user(request)
        found = actions.get(request.path_params["action"])
        if found is None:
            raise refusals.NoSuchLesson()
        slot = slot_in(request)
        operation, said = found
        await known(request, desk, user)
        try:
            await operation(user.id, slot)
        except refusals.NoSuchLesson:
            raise
        except Refusal as refusal:
            flash(request, refusal.text(language_of(request)), "error")
        else:
            flash(request, t(request, said))
        return redirect(request, "lessons:lesson", slot=str(slot))


def _mine(pages: Pages, desk: Desk, context: Context) -> None:
    @pages.get("/mine", name="mine")
    async def mine(request: Request) -> Response:
        user = require_user(request)
        wanted = request.query_params.get("type", "")
        kind = TieKind(wanted) if wanted in [one.value for one in TieKind] else None
        everything = await desk.service.my_list(user.id, first=days.today(context.clock))
        now = days.now(context.clock)
        active = [tie for tie in everything if tie.status is Status.ACTIVE and tie.starts_at > now]
        shown = [tie for tie in active if kind is None or tie.kind is kind]
        return page(
            request,
            "lessons/mine.html",
            ties=shown,
            counts={one: sum(tie.kind is one for tie in active) for one in TieKind},
            total=len(active),
            positions=await desk.service.positions([tie for tie in shown if tie.kind is TieKind.WAITLIST]),
            kind=kind,
            kinds=[TieKind.BOOKING, TieKind.WAITLIST, TieKind.FAVORITE],
            names=desk.names,
            slot_of=slot_of,
            desk=desk_of(request, desk),
        )

    @pages.get("/history", name="history")
    async def history(request: Request) -> Response:
        user = require_user(request)
        return page(
            request,
            "lessons/history.html",
            ties=(await desk.service.my_list(user.id, TieKind.HISTORY))[::-1],
            found=await desk.service.statistics(user.id),
            names=desk.names,
            desk=desk_of(request, desk),
        )


def _offers(pages: Pages, desk: Desk) -> None:
    """The link in a notice: who has it may take or give back that one place for that one person, without signing in.
    Looking changes nothing, because programs look too."""

    @pages.get("/offers/{token}", name="offer")
    async def offer(request: Request) -> Response:
        tap = await desk.contacts.tapped(request.path_params["token"])
        tie = await desk.service.tie_of_link(tap.user_id, tap.slot, tap.tie_id)
        view = await desk.service.view(tap.user_id, tap.slot)
        return page(
            request,
            "lessons/offer.html",
            view=view,
            tie=tie,
            slot=tap.slot,
            words=desk.notices.words(view.lesson, language=language_of(request)),
            available=is_available(view.lesson) and not view.held and tie.status is Status.ACTIVE,
            # What was booked after the link was over is none of its business.
            booking=None if tie.status is Status.CANCELLED else view.ties.get(TieKind.BOOKING),
            may_cancel=desk.service.policy.may_cancel(tap.slot.starts_at, desk.service.now()),
            late=desk.service.policy.is_late(tap.slot.starts_at, desk.service.now()),
            token=request.path_params["token"],
        )

    @pages.post("/offers/{token}", name="take")
    async def take(request: Request) -> Response:
        tap = await desk.contacts.tapped(request.path_params["token"])
        tie = await desk.service.tie_of_link(tap.user_id, tap.slot, tap.tie_id)
        try:
            if tie.status is Status.CANCELLED:
                raise refusals.LinkOver()
            await desk.service.book(tap.user_id, tap.slot)
        except refusals.AlreadyRegistered:
            pass
        except (refusals.Full, refusals.Held):
            flash(request, t(request, "offer.gone"), "error")
        except refusals.Closed as refusal:
            flash(request, refusal.text(language_of(request)), "error")
        return redirect(request, "lessons:offer", token=request.path_params["token"])

    @pages.post("/offers/{token}/cancel", name="give_back")
    async def give_back(request: Request) -> Response:
        tap = await desk.contacts.tapped(request.path_params["token"])
        tie = await desk.service.tie_of_link(tap.user_id, tap.slot, tap.tie_id)
        if tie.status is Status.CANCELLED:
            raise refusals.LinkOver()
        try:
            await desk.service.cancel_booking(tap.user_id, tap.slot)
        except Refusal as refusal:
            flash(request, refusal.text(language_of(request)), "error")
        else:
            flash(request, t(request, "done.cancelled"))
        return redirect(request, "lessons:offer", token=request.path_params["token"])
