"""The JSON API for clients, and the signed push of studios."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, datetime
from typing import Annotated, Literal

import msgspec
import orjson
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from sekkei.design import Put
from sekkei.runtime.design import Once
from sekkei.runtime.idempotency import Idempotency
from sekkei.runtime.refusals import Invalid
from sekkei.runtime.system import Context
from sekkei.web import Api, Pages, User
from systems.lessons.design import Kind, Lesson, UserLesson
from systems.lessons.monitor import Monitor
from systems.lessons.providers import availability_in, verify_push
from systems.lessons.refusals import KeyReused
from systems.lessons.rules import Slot, free_places, parse_slot, slot_of
from systems.lessons.service import AlreadyDone, Also, Service

KEY_LENGTH_MAX = 255


class LessonOut(msgspec.Struct):
    lesson: str
    """studio/date/time"""
    name: str
    instructor: str
    starts_at: datetime
    capacity: int | None
    free: int | None
    is_open: bool


class TieOut(msgspec.Struct):
    lesson: str
    name: str
    instructor: str
    starts_at: datetime
    type: str
    status: str
    notes: str | None = None
    waitlist_id: str | None = None
    reservation_id: str | None = None


class LessonsOut(msgspec.Struct):
    items: list[LessonOut]


class TiesOut(msgspec.Struct):
    items: list[TieOut]


class LessonRef(msgspec.Struct):
    lesson: Annotated[str, Meta(max_length=60)]


class Between(msgspec.Struct):
    first: date
    last: date


class Wanted(msgspec.Struct):
    type: Literal["favorite", "waitlist", "booking", "history"] | None = None
    first: date | None = None
    last: date | None = None


class FavoriteIn(msgspec.Struct):
    notes: Annotated[str, Meta(max_length=500)] | None = None


def routes(service: Service, monitor: Monitor, context: Context) -> list[BaseRoute]:
    api = Api("lessons", title="Studio lessons")

    @api.get("/studios/{studio}/lessons", summary="A studio's lessons between two days")
    async def timetable(request: Request, user: User, studio: str, query: Between) -> LessonsOut:
        return LessonsOut([lesson_out(found) for found in await service.timetable(studio, query.first, query.last)])

    @api.get("/me/lessons", summary="My favourites, waitlists, bookings and history, in time order")
    async def mine(request: Request, user: User, query: Wanted) -> TiesOut:
        kind = Kind(query.type) if query.type else None
        found = await service.my_list(user.id, kind, query.first, query.last)
        return TiesOut([tie_out(tie) for tie in found])

    @api.put("/me/favorites/{studio}/{day}/{start}", summary="Add a favourite, with a note")
    async def favorite(request: Request, user: User, studio: str, day: str, start: str, body: FavoriteIn) -> TieOut:
        return tie_out(await service.add_favorite(user.id, parse_slot(f"{studio}/{day}/{start}"), body.notes))

    @api.delete("/me/favorites/{studio}/{day}/{start}", summary="Remove a favourite")
    async def unfavorite(request: Request, user: User, studio: str, day: str, start: str) -> None:
        await service.remove_favorite(user.id, parse_slot(f"{studio}/{day}/{start}"))

    @api.post("/me/waitlist", summary="Wait for a place; once for one Idempotency-Key", status=201)
    async def wait(request: Request, user: User, body: LessonRef) -> TieOut:
        return await once(request, context.idempotency, user, service.join_waitlist, parse_slot(body.lesson))

    @api.delete("/me/waitlist/{studio}/{day}/{start}", summary="Wait no longer")
    async def leave(request: Request, user: User, studio: str, day: str, start: str) -> None:
        await service.leave_waitlist(user.id, parse_slot(f"{studio}/{day}/{start}"))

    @api.post("/me/bookings", summary="Book a place; once for one Idempotency-Key", status=201)
    async def book(request: Request, user: User, body: LessonRef) -> TieOut:
        return await once(request, context.idempotency, user, service.book, parse_slot(body.lesson))

    @api.delete("/me/bookings/{studio}/{day}/{start}", summary="Cancel a booking")
    async def cancel(request: Request, user: User, studio: str, day: str, start: str) -> None:
        await service.cancel_booking(user.id, parse_slot(f"{studio}/{day}/{start}"))

    return [*api.routes, *_push(monitor, context)]


Operation = Callable[[str, Slot, Also | None], Awaitable[UserLesson]]


async def once(request: Request, idempotency: Idempotency, user: User, operation: Operation, slot: Slot) -> TieOut:
    """Do it; a request with an Idempotency-Key that has been carried out before gets the answer of that time.

    The key is written in the transaction of the effect, so that there is never one without the other.
    """
    key = request.headers.get("idempotency-key")
    if key is None:
        return tie_out(await operation(user.id, slot, None))
    if not 1 <= len(key) <= KEY_LENGTH_MAX:
        raise Invalid(field="Idempotency-Key")
    row, asked = f"lessons/{user.id}/{key}", f"{request.url.path} {slot}"

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


def _push(monitor: Monitor, context: Context) -> list[BaseRoute]:
    pages = Pages()
    given = context.settings.get("lessons_push_secret").encode()
    secret = given or context.settings.secrets.key("lessons availability")

    @pages.webhook("/availability/{slot:path}", name="availability")
    async def availability(request: Request) -> Response:
        """A studio says how many places are free: X-Signature over X-Timestamp, the lesson and the raw body."""
        body, slot = await request.body(), request.path_params["slot"]
        signature, timestamp = request.headers.get("x-signature", ""), request.headers.get("x-timestamp", "")
        verify_push(secret, slot, body, signature, timestamp, context.clock)
        try:
            found = availability_in(orjson.loads(body))
        except ValueError as error:
            raise Invalid(field="body") from error
        told = await monitor.pushed(parse_slot(slot), found)
        return JSONResponse({"told": told})

    return pages.routes


def lesson_out(found: Lesson) -> LessonOut:
    slot = slot_of(found)
    return LessonOut(
        lesson=str(slot),
        name=found.lesson_name,
        instructor=found.instructor,
        starts_at=slot.starts_at,
        capacity=found.capacity,
        free=free_places(found),
        is_open=found.is_open,
    )


def tie_out(tie: UserLesson) -> TieOut:
    return TieOut(
        lesson=str(slot_of(tie)),
        name=tie.lesson_name,
        instructor=tie.instructor,
        starts_at=tie.starts_at,
        type=tie.kind.value,
        status=tie.status.value,
        notes=tie.notes,
        waitlist_id=tie.waitlist_id,
        reservation_id=tie.reservation_id,
    )
