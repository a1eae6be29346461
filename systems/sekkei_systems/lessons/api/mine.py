"""What I have to do with lessons: my list, statistics, calendar, favourites."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime import days
from sekkei.runtime.system import Context
from sekkei.web import Api, User
from sekkei_systems.lessons.api.shapes import LessonName, TieOut, known, tie_out
from sekkei_systems.lessons.design import TieKind
from sekkei_systems.lessons.rules.calendar import calendar
from sekkei_systems.lessons.rules.slots import parse_slot
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import Member, member_of


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
    notes: Annotated[str, Meta(max_length=500)] | None = None


class LinkToken(msgspec.Struct):
    token: Annotated[str, Meta(max_length=500)]


def declare(api: Api, service: Service, context: Context) -> None:
    @api.get("/me/lessons", summary="Favourites, waitlists, bookings, history in time order", tag="mine")
    async def mine(request: Request, user: User, query: Wanted) -> TiesOut:
        kind = TieKind(query.type) if query.type else None
        found = await service.lists.all(member_of(user), kind, query.first, query.last)
        return TiesOut([tie_out(tie) for tie in found])

    @api.get("/me/statistics", summary="How often, where, with whom", tag="mine")
    async def my_statistics(request: Request, user: User) -> StatisticsOut:
        found = await service.lists.statistics(member_of(user))
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
        user_id = await service.contacts.reader_of_calendar(query.token)
        ties = await service.lists.all(Member(user_id), TieKind.BOOKING)
        content = calendar(ties, await service.lists.lessons_of(ties), service.access.studios, days.now(context.clock))
        return Response(content, media_type="text/calendar; charset=utf-8", headers={"Cache-Control": "private"})

    @api.put("/me/favorites/{lesson:path}", summary="A favourite, with this note", tag="mine")
    async def favorite(request: Request, user: User, lesson: LessonName, body: FavoriteIn) -> TieOut:
        await known(service.contacts, user)
        return tie_out(await service.favorites.save(member_of(user), parse_slot(lesson), body.notes))

    @api.delete("/me/favorites/{lesson:path}", summary="No favourite any more", tag="mine")
    async def unfavorite(request: Request, user: User, lesson: LessonName) -> None:
        await service.favorites.remove(member_of(user), parse_slot(lesson))


def counted(rows: list[tuple[str, int]]) -> list[Count]:
    return [Count(name, count) for name, count in rows]
