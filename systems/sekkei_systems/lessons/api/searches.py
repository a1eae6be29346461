"""Saved searches."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.requests import Request

from sekkei.runtime.system import Context
from sekkei.web import Api, User
from sekkei_systems.lessons.api.shapes import Clock, Identifier, SearchText, time_in
from sekkei_systems.lessons.design import Search
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.searches import Wish

Weekday = Annotated[int, Meta(ge=0, le=6)]


class SearchIn(msgspec.Struct, rename="camel"):
    """At least one of studio, program and instructor."""

    studio: Identifier | None = None
    program: SearchText | None = None
    instructor: SearchText | None = None
    weekdays: Annotated[list[Weekday], Meta(max_length=7)] = []
    """0 is Monday; none means every day."""
    time_from: Clock | None = None
    time_until: Clock | None = None


class SearchOut(SearchIn):
    id: str = ""


class SearchesOut(msgspec.Struct):
    items: list[SearchOut]


def declare(api: Api, service: Service, context: Context) -> None:
    @api.get("/me/searches", summary="What I look for", tag="notices")
    async def my_searches(request: Request, user: User) -> SearchesOut:
        return SearchesOut([search_out(one) for one in await service.searches.of(user.id)])

    @api.post("/me/searches", summary="Tell me of such lessons when they appear or open", status=201, tag="notices")
    async def save_search(request: Request, user: User, body: SearchIn) -> SearchOut:
        return search_out(await service.searches.save(user.id, wish_of(service, body)))

    @api.delete("/me/searches/{search_id}", summary="Look for it no longer", tag="notices")
    async def delete_search(request: Request, user: User, search_id: Identifier) -> None:
        await service.searches.delete(user.id, search_id)


def wish_of(service: Service, given: SearchIn) -> Wish:
    return Wish(
        studio_code=service.access.studio(given.studio).code if given.studio else None,
        program=given.program,
        instructor=given.instructor,
        weekdays=frozenset(given.weekdays),
        time_from=time_in(given.time_from),
        time_until=time_in(given.time_until),
    )


def search_out(search: Search) -> SearchOut:
    return SearchOut(
        id=search.search_id,
        studio=search.studio_code,
        program=search.program,
        instructor=search.instructor,
        weekdays=sorted(search.weekdays),
        time_from=f"{search.time_from:%H:%M}" if search.time_from else None,
        time_until=f"{search.time_until:%H:%M}" if search.time_until else None,
    )
