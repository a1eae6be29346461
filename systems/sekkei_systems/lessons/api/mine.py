"""What I have to do with lessons: my list, statistics, calendar, favourites."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType
from starlette.responses import Response

from sekkei.clock import Clock
from sekkei.kit.calendars import Entry, write
from sekkei.kit.typed import Text, Token
from sekkei.runtime import days
from sekkei.runtime.idempotency import Also, Idempotency
from sekkei.web import Answer, Operations, calendar_feed
from sekkei.web.once import Repeatable, with_effect
from sekkei_systems.lessons.api.shapes import Identifier, LessonRef, TieOut, tie_out
from sekkei_systems.lessons.design import Contact, Lesson, Status, TieKind, UserLesson, copies_of
from sekkei_systems.lessons.rules.slots import LENGTH_DEFAULT, Slot, parse_slot, slot_of, span
from sekkei_systems.lessons.rules.studios import Studio
from sekkei_systems.lessons.rules.waitlist import Wishes
from sekkei_systems.lessons.service.access import Access, Member
from sekkei_systems.lessons.service.bookings import Bookings
from sekkei_systems.lessons.service.contacts import Contacts
from sekkei_systems.lessons.service.lists import Favorites, Lists
from sekkei_systems.lessons.service.waitlist import Waitlist

# A user's bookings as a calendar that calendar programs subscribe to.


def calendar(
    ties: Iterable[UserLesson], lessons: Mapping[Slot, Lesson], studios: Sequence[Studio], now: datetime
) -> bytes:
    """`lessons` are those that are booked, as far as the timetable still has them."""
    names = {studio.code: studio.name for studio in studios}
    booked = (tie for tie in ties if tie.kind is TieKind.BOOKING and tie.status is not Status.CANCELLED)
    return write("lessons", "レッスン", (_entry(tie, lessons.get(slot_of(tie)), names) for tie in booked), now)


def _entry(tie: UserLesson, lesson: Lesson | None, names: Mapping[str, str]) -> Entry:
    start, end = span(lesson) if lesson else (tie.starts_at, tie.starts_at + LENGTH_DEFAULT)
    return Entry(
        uid=str(tie.reservation_id),
        summary=tie.lesson_name,
        start=start,
        end=end,
        description="\n".join(value for name, value in copies_of(tie).items() if value and name != "lesson_name"),
        location=names.get(tie.studio_code, tie.studio_code),
        changed_at=tie.updated_at,
    )


operations = Operations()


class TiesOut(msgspec.Struct):
    items: list[TieOut]


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


class Wanted(msgspec.Struct, rename={"first": "from", "last": "to"}):
    type: Literal["favorite", "waitlist", "booking", "history"] | None = None
    first: date | None = None
    last: date | None = None


class FavoriteIn(msgspec.Struct):
    notes: Annotated[str, Text(500)] | None = None


class LinkToken(msgspec.Struct):
    token: Annotated[Token, Meta(max_length=500)]


@operations.get("/me/lessons", summary="Favourites, waitlists, bookings, history in time order", tag="mine")
async def mine(member: Member, lists: Lists, query: Wanted) -> TiesOut:
    kind = TieKind(query.type) if query.type else None
    found = await lists.all(member, kind, query.first, query.last)
    return TiesOut([tie_out(tie) for tie in found])


@operations.get("/me/statistics", summary="How often, where, with whom", tag="mine")
async def my_statistics(member: Member, lists: Lists) -> StatisticsOut:
    found = await lists.statistics(member)
    return StatisticsOut(
        lessons=found.lessons,
        absences=found.absences,
        late_cancels=found.late_cancels,
        months=_counted(found.months),
        studios=_counted(found.studios),
        instructors=_counted(found.instructors),
        names=_counted(found.names),
    )


@operations.get("/me/calendar.ics", summary="My bookings as a calendar, by the token of its address", tag="mine")
async def my_calendar(access: Access, lists: Lists, contacts: Contacts, clock: Clock, query: LinkToken) -> Response:
    user_id = await contacts.reader_of_calendar(query.token)
    ties = await lists.all(Member(user_id), TieKind.BOOKING)
    return calendar_feed(calendar(ties, await lists.lessons_of(ties), access.studios, days.now(clock)))


@operations.put("/me/favorites/{lesson:path}", summary="A favourite, with this note", tag="mine")
async def favorite(member: Member, favorites: Favorites, person: Contact, at: Slot, body: FavoriteIn) -> TieOut:
    return tie_out(await favorites.save(member, at, body.notes))


@operations.delete("/me/favorites/{lesson:path}", summary="No favourite any more", tag="mine")
async def unfavorite(member: Member, favorites: Favorites, at: Slot) -> None:
    await favorites.remove(member, at)


def _counted(rows: list[tuple[str, int]]) -> list[Count]:
    return [Count(name, count) for name, count in rows]


# Waiting for a place.


@operations.post("/me/waitlist", summary="Wait for a place", status=201, tag="waitlist")
async def wait(
    member: Member, waitlist: Waitlist, person: Contact, idempotency: Idempotency, body: LessonRef, headers: Repeatable
) -> Answer[TieOut]:
    slot, row = parse_slot(body.lesson), headers.row("lessons", "", member.user_id)

    def make(also: Also[UserLesson]) -> Awaitable[UserLesson]:
        return waitlist.join(member, slot, also)

    made = await with_effect(idempotency, row, ("waitlist", str(slot)), make, tie_out, TieOut)
    return Answer(made.answer, headers=made.headers)


@operations.get("/me/waitlist/{waitlist_id}", summary="My entry of that id", tag="waitlist")
async def waitlist_entry(member: Member, waitlist: Waitlist, waitlist_id: Identifier) -> TieOut:
    return tie_out(await waitlist.entry(member, waitlist_id))


class WishesIn(msgspec.Struct, rename="camel"):
    """What is left out stays as it is; null ends it."""

    book_hours: Annotated[int, Meta(ge=0, le=336)] | UnsetType | None = UNSET
    """Book a free place for me without asking, until so many hours before the start."""
    paused_until: date | UnsetType | None = UNSET
    """Tell me nothing until this day."""


@operations.put("/me/waitlist/{lesson:path}", summary="How I wait: booked for me, or paused", tag="waitlist")
async def prefer(member: Member, waitlist: Waitlist, at: Slot, body: WishesIn) -> TieOut:
    return tie_out(await waitlist.prefer(member, at, Wishes(body.book_hours, body.paused_until)))


@operations.delete("/me/waitlist/{lesson:path}", summary="Wait no longer", tag="waitlist")
async def leave(member: Member, waitlist: Waitlist, at: Slot) -> None:
    await waitlist.leave(member, at)


# Booking a place.


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
