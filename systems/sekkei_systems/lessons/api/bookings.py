"""Booking a place."""

from __future__ import annotations

from starlette.requests import Request

from sekkei.runtime.system import Context
from sekkei.web import Api, User
from sekkei_systems.lessons.api.once import LessonRef, Repeatable, once
from sekkei_systems.lessons.api.shapes import Identifier, LessonName, TieOut, known, tie_out
from sekkei_systems.lessons.rules.slots import parse_slot
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import member_of


def declare(api: Api, service: Service, context: Context) -> None:
    @api.post("/me/bookings", summary="Book a place", status=201, tag="bookings")
    async def book(request: Request, user: User, body: LessonRef, headers: Repeatable) -> TieOut:
        await known(service.contacts, user)
        asked = f"bookings {parse_slot(body.lesson)}"
        return await once(context.idempotency, user, headers.key, asked, service.bookings.book, parse_slot(body.lesson))

    @api.get("/me/bookings/{reservation_id}", summary="My booking of that id, or what became of it", tag="bookings")
    async def booking(request: Request, user: User, reservation_id: Identifier) -> TieOut:
        return tie_out(await service.bookings.booking(member_of(user), reservation_id))

    @api.delete("/me/bookings/{lesson:path}", summary="Cancel a booking", tag="bookings")
    async def cancel(request: Request, user: User, lesson: LessonName) -> None:
        await service.bookings.cancel(member_of(user), parse_slot(lesson))
