"""What I have to do with lessons: my list, statistics, calendar, favourites."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.responses import Response

from sekkei.clock import Clock
from sekkei.kit.typed import Text, Token
from sekkei.runtime import days
from sekkei.web import Operations, calendar_feed
from sekkei_systems.lessons.api.shapes import TieOut, tie_out
from sekkei_systems.lessons.design import Contact, TieKind
from sekkei_systems.lessons.rules.calendar import calendar
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.access import Access, Member
from sekkei_systems.lessons.service.contacts import Contacts
from sekkei_systems.lessons.service.favorites import Favorites
from sekkei_systems.lessons.service.lists import Lists

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
        months=counted(found.months),
        studios=counted(found.studios),
        instructors=counted(found.instructors),
        names=counted(found.names),
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


def counted(rows: list[tuple[str, int]]) -> list[Count]:
    return [Count(name, count) for name, count in rows]
