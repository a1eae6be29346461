"""Booking a place."""

from __future__ import annotations

from collections.abc import Awaitable

from sekkei.runtime.idempotency import Also, Idempotency
from sekkei.web import Answer, Operations
from sekkei.web.once import Repeatable, with_effect
from sekkei_systems.lessons.api.shapes import Identifier, LessonRef, TieOut, tie_out
from sekkei_systems.lessons.design import Contact, UserLesson
from sekkei_systems.lessons.rules.slots import Slot, parse_slot
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.bookings import Bookings

operations = Operations()


@operations.post("/me/bookings", summary="Book a place", status=201, tag="bookings")
async def book(
    member: Member, bookings: Bookings, person: Contact, idempotency: Idempotency, body: LessonRef, headers: Repeatable
) -> Answer[TieOut]:
    slot, row = parse_slot(body.lesson), headers.row("lessons", "", member.user_id)

    def make(also: Also[UserLesson]) -> Awaitable[UserLesson]:
        return bookings.book(member, slot, also)

    made = await with_effect(idempotency, row, ("bookings", str(slot)), make, tie_out, TieOut)
    return Answer(made.answer, headers=made.headers)


@operations.get("/me/bookings/{reservation_id}", summary="My booking of that id, or what became of it", tag="bookings")
async def booking(member: Member, bookings: Bookings, reservation_id: Identifier) -> TieOut:
    return tie_out(await bookings.booking(member, reservation_id))


@operations.delete("/me/bookings/{lesson:path}", summary="Cancel a booking", tag="bookings")
async def cancel(member: Member, bookings: Bookings, at: Slot) -> None:
    await bookings.cancel(member, at)
