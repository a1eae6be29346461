"""The JSON API for clients and studios, and the signed push of studios' own systems.

A lesson is named by studio, day and time: `gnz/2025-07-30/19:30`; in a path it may be written with %2F.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from sekkei.design import Put, TransactionFailed
from sekkei.runtime.design import Once
from sekkei.runtime.idempotency import Idempotency
from sekkei.runtime.refusals import Invalid
from sekkei.runtime.system import Context
from sekkei.web import Api, User
from sekkei_systems.lessons import people_api, studio_api
from sekkei_systems.lessons.api_shapes import Identifier, LessonName, LessonOut, StudioOut, TieOut, lesson_out, tie_out
from sekkei_systems.lessons.calendar_feed import calendar
from sekkei_systems.lessons.contacts import Contacts
from sekkei_systems.lessons.design import TieKind, UserLesson
from sekkei_systems.lessons.monitor import Monitor
from sekkei_systems.lessons.providers import PUSH_SECONDS_MAX, availability_in, verify_push
from sekkei_systems.lessons.refusals import KeyReused, Replayed
from sekkei_systems.lessons.rules import Slot, parse_slot
from sekkei_systems.lessons.searches import Searches
from sekkei_systems.lessons.service import AlreadyDone, Also, Service


class LessonView(msgspec.Struct):
    """A lesson as I see it."""

    lesson: LessonOut
    mine: list[TieOut]
    waiting: int
    position: int | None
    """My place in the queue, from 1."""
    overlaps: list[LessonOut]
    """What I have booked that takes place at the same time."""


class StudiosOut(msgspec.Struct):
    items: list[StudioOut]


class LessonsOut(msgspec.Struct):
    items: list[LessonOut]


class TiesOut(msgspec.Struct):
    items: list[TieOut]


class LessonRef(msgspec.Struct):
    lesson: LessonName


class Count(msgspec.Struct):
    name: str
    count: int


class StatisticsOut(msgspec.Struct, rename="camel"):
    lessons: int
    absences: int
    late_cancels: int
    months: list[Count]
    studios: list[Count]
    instructors: list[Count]
    names: list[Count]


class Between(msgspec.Struct, rename={"first": "from", "last": "to"}):
    first: date
    last: date


class Wanted(msgspec.Struct, rename={"first": "from", "last": "to"}):
    type: Literal["favorite", "waitlist", "booking", "history"] | None = None
    first: date | None = None
    last: date | None = None


class FavoriteIn(msgspec.Struct):
    notes: Annotated[str, Meta(max_length=500)] | None = None


class LinkToken(msgspec.Struct):
    token: Annotated[str, Meta(max_length=500)]


class AvailabilityIn(msgspec.Struct, rename="camel"):
    """What a studio says is free; null when it does not count."""

    available: Annotated[int, Meta(ge=0, lt=10**6)] | None = None
    total: Annotated[int, Meta(ge=0, lt=10**6)] | None = None
    is_open: bool = True


class ToldOut(msgspec.Struct):
    told: int
    """How many of those who wait were told."""


class Signed(msgspec.Struct, rename={"signature": "X-Signature", "timestamp": "X-Timestamp"}):
    signature: Annotated[str, Meta(max_length=200)] = ""
    """sha256=<hex>, HMAC over <timestamp>.<lesson>.<body>"""
    timestamp: Annotated[str, Meta(max_length=20)] = ""
    """Seconds; five minutes to either side."""


class Repeatable(msgspec.Struct, rename={"key": "Idempotency-Key"}):
    key: Annotated[str, Meta(min_length=1, max_length=255)] | None = None
    """The same key is carried out once."""


def routes(
    service: Service, contacts: Contacts, searches: Searches, monitor: Monitor, context: Context
) -> list[BaseRoute]:
    api = Api("lessons", title="Studio lessons", about="Timetables, favourites, waitlists, bookings, notices.")
    _timetable(api, service)
    _push(api, service, monitor, context)
    _mine(api, service, contacts)
    _waitlist(api, service, contacts, context)
    _bookings(api, service, contacts, context)
    people_api.declare(api, service, contacts, searches)
    studio_api.declare(api, service)
    return api.routes


def _timetable(api: Api, service: Service) -> None:
    @api.get("/studios", summary="All studios", tag="timetable")
    async def studios(request: Request, user: User) -> StudiosOut:
        return StudiosOut([StudioOut(studio.code, studio.name) for studio in service.studios])

    @api.get("/studios/{studio}/lessons", summary="A studio's lessons between two days", tag="timetable")
    async def timetable(request: Request, user: User, studio: Identifier, query: Between) -> LessonsOut:
        found = await service.timetable.between(service.studio(studio).code, query.first, query.last)
        return LessonsOut([lesson_out(lesson) for lesson in found])

    @api.get("/lessons/{lesson:path}", summary="One lesson, what I have to do with it, my place", tag="timetable")
    async def lesson(request: Request, user: User, lesson: LessonName) -> LessonView:
        view = await service.view(user.id, parse_slot(lesson))
        overlaps = [] if TieKind.BOOKING in view.ties else await service.overlaps(user.id, view.lesson)
        return LessonView(
            lesson=lesson_out(view.lesson),
            mine=[tie_out(tie) for tie in view.ties.values()],
            waiting=view.waiting,
            position=view.position,
            overlaps=[lesson_out(one) for one in overlaps],
        )


def _mine(api: Api, service: Service, contacts: Contacts) -> None:
    @api.get("/me/lessons", summary="Favourites, waitlists, bookings, history in time order", tag="mine")
    async def mine(request: Request, user: User, query: Wanted) -> TiesOut:
        kind = TieKind(query.type) if query.type else None
        found = await service.my_list(user.id, kind, query.first, query.last)
        return TiesOut([tie_out(tie) for tie in found])

    @api.get("/me/statistics", summary="How often, where, with whom", tag="mine")
    async def my_statistics(request: Request, user: User) -> StatisticsOut:
        found = await service.statistics(user.id)
        return StatisticsOut(
            lessons=found.lessons,
            absences=found.absences,
            late_cancels=found.late_cancels,
            months=counted(found.months),
            studios=counted(found.studios),
            instructors=counted(found.instructors),
            names=counted(found.names),
        )

    @api.get("/me/calendar.ics", summary="My bookings as a calendar, by the token of its address", tag="mine")
    async def my_calendar(request: Request, query: LinkToken) -> Response:
        user_id = await contacts.reader_of_calendar(query.token)
        ties = await service.my_list(user_id, TieKind.BOOKING)
        content = calendar(ties, await service.lessons_of(ties), service.studios, service.now())
        return Response(content, media_type="text/calendar; charset=utf-8", headers={"Cache-Control": "private"})

    @api.put("/me/favorites/{lesson:path}", summary="A favourite, with this note", tag="mine")
    async def favorite(request: Request, user: User, lesson: LessonName, body: FavoriteIn) -> TieOut:
        await known(contacts, user)
        return tie_out(await service.save_favorite(user.id, parse_slot(lesson), body.notes))

    @api.delete("/me/favorites/{lesson:path}", summary="No favourite any more", tag="mine")
    async def unfavorite(request: Request, user: User, lesson: LessonName) -> None:
        await service.remove_favorite(user.id, parse_slot(lesson))


def _waitlist(api: Api, service: Service, contacts: Contacts, context: Context) -> None:
    @api.post("/me/waitlist", summary="Wait for a place", status=201, tag="waitlist")
    async def wait(request: Request, user: User, body: LessonRef, headers: Repeatable) -> TieOut:
        await known(contacts, user)
        asked = f"waitlist {parse_slot(body.lesson)}"
        return await once(context.idempotency, user, headers.key, asked, service.join_waitlist, parse_slot(body.lesson))

    @api.get("/me/waitlist/{waitlist_id}", summary="My entry of that id", tag="waitlist")
    async def waitlist_entry(request: Request, user: User, waitlist_id: Identifier) -> TieOut:
        return tie_out(await service.by_waitlist_id(user.id, waitlist_id))

    @api.delete("/me/waitlist/{lesson:path}", summary="Wait no longer", tag="waitlist")
    async def leave(request: Request, user: User, lesson: LessonName) -> None:
        await service.leave_waitlist(user.id, parse_slot(lesson))


def _bookings(api: Api, service: Service, contacts: Contacts, context: Context) -> None:
    @api.post("/me/bookings", summary="Book a place", status=201, tag="bookings")
    async def book(request: Request, user: User, body: LessonRef, headers: Repeatable) -> TieOut:
        await known(contacts, user)
        asked = f"bookings {parse_slot(body.lesson)}"
        return await once(context.idempotency, user, headers.key, asked, service.book, parse_slot(body.lesson))

    @api.get("/me/bookings/{reservation_id}", summary="My booking of that id, or what became of it", tag="bookings")
    async def booking(request: Request, user: User, reservation_id: Identifier) -> TieOut:
        return tie_out(await service.by_reservation_id(user.id, reservation_id))

    @api.delete("/me/bookings/{lesson:path}", summary="Cancel a booking", tag="bookings")
    async def cancel(request: Request, user: User, lesson: LessonName) -> None:
        await service.cancel_booking(user.id, parse_slot(lesson))


def _push(api: Api, service: Service, monitor: Monitor, context: Context) -> None:
    given = context.settings.get("lessons_push_secret").encode()
    secret = given or context.settings.secrets.key("lessons availability")

    @api.post("/lessons/{lesson:path}/availability", summary="A studio says what is free", tag="studios", webhook=True)
    async def availability(request: Request, lesson: LessonName, headers: Signed, body: AvailabilityIn) -> ToldOut:
        """Signed with the secret that studio and lesson list share. What was received once is refused the next time;
        to say it again, sign it anew. What was signed before the newest push of that lesson is ignored."""
        raw = await request.body()
        said_at = verify_push(secret, lesson, raw, headers.signature, headers.timestamp, context.clock)
        try:
            found = availability_in(msgspec.to_builtins(body))
        except ValueError as error:
            raise Invalid(field="available") from error
        slot = parse_slot(lesson)
        await service.timetable.upcoming(slot)
        kept = timedelta(seconds=2 * PUSH_SECONDS_MAX)
        try:
            await context.runtime.transact(context.idempotency.mark(f"lessons/push/{headers.signature}", kept=kept))
        except TransactionFailed:
            raise Replayed() from None
        return ToldOut(await monitor.pushed(slot, found, said_at))


Operation = Callable[[str, Slot, Also | None], Awaitable[UserLesson]]


def counted(rows: list[tuple[str, int]]) -> list[Count]:
    return [Count(name, count) for name, count in rows]


async def known(contacts: Contacts, user: User) -> None:
    """Whoever registers for something is to hear of it, also without having been asked how."""
    await contacts.ensure(user.id, user.name, user.email if user.verified else "")


async def once(
    idempotency: Idempotency, user: User, key: str | None, asked: str, operation: Operation, slot: Slot
) -> TieOut:
    """Do it; a request with an Idempotency-Key that has been carried out before gets the answer of that time.

    The key is written in the transaction of the effect, so that there is never one without the other.
    """
    if key is None:
        return tie_out(await operation(user.id, slot, None))
    row = f"lessons/{user.id}/{key}"

    def mark(tie: UserLesson) -> Put[Once]:
        return idempotency.mark(row, {"asked": asked, "answer": msgspec.to_builtins(tie_out(tie))})

    answered = await idempotency.answer(row)
    if answered is None:
        try:
            return tie_out(await operation(user.id, slot, mark))
        except AlreadyDone:
            answered = await idempotency.answer(row)
    if answered is None or answered["asked"] != asked:
        raise KeyReused()
    return msgspec.convert(answered["answer"], TieOut)
