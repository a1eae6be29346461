"""What people look at: the timetable, a lesson, my list, history, notices."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
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
from sekkei.web.accounts import email_of
from systems.lessons import refusals
from systems.lessons.calendar_feed import calendar
from systems.lessons.design import Contact, Kind, Status
from systems.lessons.links import Links
from systems.lessons.notices import Notices
from systems.lessons.reactions import topic
from systems.lessons.rules import FIRST_DAY, LAST_DAY, Slot, free_places, is_available, parse_slot, slot_of
from systems.lessons.service import Service
from systems.lessons.studios import Studio

DAYS_SHOWN = 14
NEXT_SHOWN = 4
CHANNELS = ("mail", "line", "push")

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Clock = Annotated[str, Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
"""A time as browsers send it: 09:30."""


class Note(msgspec.Struct):
    notes: Annotated[str, Meta(max_length=500)] = ""


class ContactForm(msgspec.Struct):
    name: Annotated[str, Meta(min_length=1, max_length=50)]
    email: Annotated[str, Meta(max_length=254)] = ""
    line_user_id: Annotated[str, Meta(max_length=64)] = ""
    push_token: Annotated[str, Meta(max_length=200)] = ""
    channels: list[str] = []
    quiet_from: Clock | None = None
    quiet_until: Clock | None = None


@dataclass(frozen=True, slots=True)
class Desk:
    """What the pages need beside the service."""

    service: Service
    links: Links
    notices: Notices
    studios: list[Studio]
    staff: frozenset[str]

    def studio(self, code: str) -> Studio:
        found = next((studio for studio in self.studios if studio.code == code), None)
        if found is None:
            raise refusals.NoSuchLesson()
        return found

    def must_be_staff(self, user: User) -> None:
        if not (user.verified and user.email in self.staff):
            raise refusals.NotStaff()


def routes(desk: Desk, context: Context) -> list[BaseRoute]:
    pages = Pages()
    _timetable(pages, desk, context)
    _lesson(pages, desk, context)
    _mine(pages, desk, context)
    _settings(pages, desk)
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


def time_in(text: str | None) -> time | None:
    return time.fromisoformat(text) if text else None


def is_staff(request: Request, desk: Desk) -> bool:
    user = current_user(request)
    return user is not None and user.verified and user.email in desk.staff


def live_at(request: Request, context: Context, studio_code: str) -> str:
    """Where an open page hears of changes at a studio; asked for before its data is read."""
    return live_url(request, context.live, topic(studio_code), f"/lessons/studios/{studio_code}/live")


def _timetable(pages: Pages, desk: Desk, context: Context) -> None:
    @pages.get("/", name="timetable")
    async def timetable(request: Request) -> Response:
        user = require_user(request)
        today = days.today(context.clock)
        studio = desk.studio(request.query_params.get("studio") or desk.studios[0].code)
        day = day_in(request, today)
        live = live_at(request, context, studio.code)
        lessons = await desk.service.timetable(studio.code, day, day)
        mine = await desk.service.my_list(user.id, first=min(day, today))
        active = [tie for tie in mine if tie.status is Status.ACTIVE]
        ties: dict[Slot, list[Kind]] = {}
        for tie in active:
            ties.setdefault(slot_of(tie), []).append(tie.kind)
        now = days.now(context.clock)
        upcoming = [tie for tie in active if tie.kind is not Kind.FAVORITE and tie.starts_at > now]
        return page(
            request,
            "lessons/timetable.html",
            studio=studio,
            studios=desk.studios,
            live=live,
            day=day,
            shown_days=[today + timedelta(days=number) for number in range(DAYS_SHOWN)],
            lessons=lessons,
            ties=ties,
            slot_of=slot_of,
            free=free_places,
            over=lambda lesson: slot_of(lesson).starts_at <= now,
            upcoming=upcoming[:NEXT_SHOWN],
            names={one.code: one.name for one in desk.studios},
            today=today,
            is_staff=is_staff(request, desk),
        )

    @pages.get("/studios/{code}/live", name="live")
    async def listen(request: Request) -> Response:
        require_user(request)
        return sse(request, context.live, topic(desk.studio(request.path_params["code"]).code))


def _lesson(pages: Pages, desk: Desk, context: Context) -> None:
    async def show(request: Request, user: User, status: int = 200, filled: Form | None = None) -> Response:
        live = live_at(request, context, desk.studio(slot_in(request).studio_code).code)
        view = await desk.service.view(user.id, slot_in(request))
        favorite = view.ties.get(Kind.FAVORITE)
        waiting = view.ties.get(Kind.WAITLIST)
        return page(
            request,
            "lessons/lesson.html",
            status,
            view=view,
            live=live,
            slot=slot_in(request),
            studio=desk.studio(view.lesson.studio_code),
            available=is_available(view.lesson),
            free=free_places(view.lesson),
            overlaps=[desk.notices.words(other) for other in await desk.service.overlaps(user.id, slot_in(request))],
            favorite=favorite,
            waiting=waiting,
            booking=view.ties.get(Kind.BOOKING),
            cancel_hours=f"{desk.service.policy.cancel_until / timedelta(hours=1):g}",
            over=slot_in(request).starts_at <= days.now(context.clock),
            form=filled or Form({"notes": (favorite.notes or "") if favorite else ""}),
            is_staff=is_staff(request, desk),
        )

    @pages.get("/lessons/{slot:path}", name="lesson")
    async def lesson(request: Request) -> Response:
        return await show(request, require_user(request))

    actions: dict[str, tuple[Callable[[str, Slot], Awaitable[object]], str]] = {
        "book": (desk.service.book, "done.booked"),
        "cancel": (desk.service.cancel_booking, "done.cancelled"),
        "wait": (desk.service.join_waitlist, "done.waiting"),
        "leave": (desk.service.leave_waitlist, "done.left"),
        "favorite": (desk.service.add_favorite, "done.favorite"),
        "unfavorite": (desk.service.remove_favorite, "done.unfavorite"),
    }

    @pages.post("/act/{action}/{slot:path}", name="act")
    async def act(request: Request) -> Response:
        user = require_user(request)
        found = actions.get(request.path_params["action"])
        if found is None:
            raise refusals.NoSuchLesson()
        slot = slot_in(request)
        operation, said = found
        try:
            await operation(user.id, slot)
        except refusals.NoSuchLesson:
            raise
        except Refusal as refusal:
            flash(request, refusal.text(language_of(request)), "error")
        else:
            flash(request, t(request, said))
        return redirect(request, "lessons:lesson", slot=str(slot))

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


def _mine(pages: Pages, desk: Desk, context: Context) -> None:
    @pages.get("/mine", name="mine")
    async def mine(request: Request) -> Response:
        user = require_user(request)
        wanted = request.query_params.get("type", "")
        kind = Kind(wanted) if wanted in [one.value for one in Kind] else None
        ties = await desk.service.my_list(user.id, kind, first=days.today(context.clock))
        return page(
            request,
            "lessons/mine.html",
            ties=[tie for tie in ties if tie.status is Status.ACTIVE],
            kind=kind,
            kinds=[Kind.BOOKING, Kind.WAITLIST, Kind.FAVORITE],
            names={studio.code: studio.name for studio in desk.studios},
            slot_of=slot_of,
            feed=f"{context.settings.public_url}/lessons/calendar/{desk.links.calendar(user.id)}.ics",
            is_staff=is_staff(request, desk),
        )

    @pages.get("/history", name="history")
    async def history(request: Request) -> Response:
        user = require_user(request)
        return page(
            request,
            "lessons/history.html",
            ties=(await desk.service.my_list(user.id, Kind.HISTORY))[::-1],
            found={
                name: sorted(counts.items(), key=lambda one: (-one[1], one[0]))
                for name, counts in (await desk.service.statistics(user.id)).items()
            },
            names={studio.code: studio.name for studio in desk.studios},
            is_staff=is_staff(request, desk),
        )

    @pages.get("/calendar/{token}.ics", name="calendar")
    async def feed(request: Request) -> Response:
        user_id = desk.links.read_calendar(request.path_params["token"])
        content = calendar(await desk.service.my_list(user_id, Kind.BOOKING), days.now(context.clock))
        return Response(content, media_type="text/calendar; charset=utf-8")


def _settings(pages: Pages, desk: Desk) -> None:
    async def show(request: Request, status: int, filled: Form) -> Response:
        return page(
            request,
            "lessons/settings.html",
            status,
            form=filled,
            channels=[(channel, t(request, f"channel.{channel}")) for channel in CHANNELS],
            is_staff=is_staff(request, desk),
        )

    @pages.get("/settings", name="settings")
    async def settings(request: Request) -> Response:
        user = require_user(request)
        found = await desk.service.contact(user.id) or Contact(
            user_id=user.id, name=user.name, email=user.email, channels=frozenset({"mail"})
        )
        values = {
            "name": found.name,
            "email": found.email or "",
            "line_user_id": found.line_user_id or "",
            "push_token": found.push_token or "",
            "channels": sorted(found.channels),
            "quiet_from": f"{found.quiet_from:%H:%M}" if found.quiet_from else "",
            "quiet_until": f"{found.quiet_until:%H:%M}" if found.quiet_until else "",
        }
        return await show(request, 200, Form(values))

    @pages.post("/settings")
    async def save(request: Request) -> Response:
        user = require_user(request)
        try:
            given = await form(request, ContactForm)
            email = email_of(given.email) if given.email else None
        except Invalid as wrong:
            return await show(request, 422, refill(request, wrong))
        await desk.service.save_contact(
            Contact(
                user_id=user.id,
                name=given.name,
                email=email,
                line_user_id=given.line_user_id or None,
                push_token=given.push_token or None,
                channels=frozenset(given.channels) & frozenset(CHANNELS),
                quiet_from=time_in(given.quiet_from),
                quiet_until=time_in(given.quiet_until),
            )
        )
        flash(request, t(request, "done.settings"))
        return redirect(request, "lessons:settings")


def _offers(pages: Pages, desk: Desk) -> None:
    """The link in a notice: who has it may take that one place for that one person, without signing in."""

    @pages.get("/offers/{token}", name="offer")
    async def offer(request: Request) -> Response:
        user_id, slot = desk.links.read_offer(request.path_params["token"])
        view = await desk.service.view(user_id, slot)
        return page(
            request,
            "lessons/offer.html",
            view=view,
            words=desk.notices.words(view.lesson),
            available=is_available(view.lesson),
            booking=view.ties.get(Kind.BOOKING),
            token=request.path_params["token"],
        )

    @pages.post("/offers/{token}", name="take")
    async def take(request: Request) -> Response:
        user_id, slot = desk.links.read_offer(request.path_params["token"])
        try:
            await desk.service.book(user_id, slot)
        except refusals.AlreadyRegistered:
            pass
        except (refusals.Full, refusals.Held):
            flash(request, t(request, "offer.gone"), "error")
        return redirect(request, "lessons:offer", token=request.path_params["token"])
