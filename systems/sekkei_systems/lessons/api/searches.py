"""Saved searches."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from sekkei.web import Operations
from sekkei_systems.lessons.api.shapes import Identifier, TimeOfDay
from sekkei_systems.lessons.design import Contact, Search
from sekkei_systems.lessons.rules.slots import optional_time_in
from sekkei_systems.lessons.rules.timetable import Name
from sekkei_systems.lessons.service.access import Access, Member
from sekkei_systems.lessons.service.searches import Searches, Wish

operations = Operations()


_Weekday = Annotated[int, Meta(ge=0, le=6)]


class SearchIn(msgspec.Struct, rename="camel"):
    """At least one of studio, program and instructor."""

    studio: Identifier | None = None
    program: Name | None = None
    instructor: Name | None = None
    weekdays: Annotated[list[_Weekday], Meta(max_length=7)] = []
    """0 is Monday; none means every day."""
    time_from: TimeOfDay | None = None
    time_until: TimeOfDay | None = None


class SearchOut(SearchIn):
    id: str = ""


class SearchesOut(msgspec.Struct):
    items: list[SearchOut]


@operations.get("/me/searches", summary="What I look for", tag="notices")
async def my_searches(member: Member, searches: Searches) -> SearchesOut:
    return SearchesOut([_search_out(one) for one in await searches.of(member)])


@operations.post("/me/searches", summary="Tell me of such lessons when they appear or open", status=201, tag="notices")
async def save_search(member: Member, person: Contact, access: Access, searches: Searches, body: SearchIn) -> SearchOut:
    return _search_out(await searches.save(member, wish_of(access, body)))


@operations.delete("/me/searches/{search_id}", summary="Look for it no longer", tag="notices")
async def delete_search(member: Member, searches: Searches, search_id: Identifier) -> None:
    await searches.delete(member, search_id)


def wish_of(access: Access, given: SearchIn) -> Wish:
    return Wish(
        studio_code=access.studio(given.studio).code if given.studio else None,
        program=given.program,
        instructor=given.instructor,
        weekdays=frozenset(given.weekdays),
        time_from=optional_time_in(given.time_from, "time_from"),
        time_until=optional_time_in(given.time_until, "time_until"),
    )


def _search_out(search: Search) -> SearchOut:
    return SearchOut(
        id=search.search_id,
        studio=search.studio_code,
        program=search.program,
        instructor=search.instructor,
        weekdays=sorted(search.weekdays),
        time_from=f"{search.time_from:%H:%M}" if search.time_from else None,
        time_until=f"{search.time_until:%H:%M}" if search.time_until else None,
    )
