"""The part of the API about how I am told: preferences, proven addresses, saved searches."""

from __future__ import annotations

from datetime import time
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.requests import Request

from sekkei.runtime.refusals import Invalid
from sekkei.web import Api, Rate, User, limit
from sekkei_systems.lessons.api_shapes import Identifier
from sekkei_systems.lessons.contacts import Contacts, Preferences
from sekkei_systems.lessons.notices import addresses_of
from sekkei_systems.lessons.people import Contact, Search
from sekkei_systems.lessons.searches import Searches, Wish
from sekkei_systems.lessons.service import Service

CODES = Rate.per_hour(10)
"""How often a code may be asked for; it goes to an address that is not proven yet."""

Channel = Literal["mail", "line", "push", "webhook"]
Topic = Literal["opening", "reminder", "change", "search"]
Weekday = Annotated[int, Meta(ge=0, le=6)]
Clock = Annotated[str, Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
"""A time of the day: 09:30."""
SearchText = Annotated[str, Meta(min_length=1, max_length=200)]


class PreferencesIn(msgspec.Struct, rename="camel"):
    name: Annotated[str, Meta(min_length=1, max_length=50)]
    channels: list[Channel]
    muted: list[Topic] = []
    language: Literal["ja", "en"] = "ja"
    quiet_from: Clock | None = None
    quiet_until: Clock | None = None


class PreferencesOut(PreferencesIn):
    addresses: dict[str, str] = {}
    """By channel; all proven to be mine."""


class AddressIn(msgspec.Struct):
    channel: Literal["mail", "push", "webhook"]
    address: Annotated[str, Meta(min_length=1, max_length=500)]


class CodeIn(msgspec.Struct):
    code: Annotated[str, Meta(min_length=1, max_length=20)]


class LineCodeOut(msgspec.Struct):
    code: str
    """To be sent to the bot within ten minutes."""


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


def declare(api: Api, service: Service, contacts: Contacts, searches: Searches) -> None:
    _preferences(api, contacts)
    _searches(api, service, searches)


def _preferences(api: Api, contacts: Contacts) -> None:
    async def mine(user: User) -> Contact:
        return await contacts.ensure(user.id, user.name, user.email if user.verified else "")

    @api.get("/me/preferences", summary="How I am told, and of what", tag="notices")
    async def preferences(request: Request, user: User) -> PreferencesOut:
        return preferences_out(await mine(user))

    @api.put("/me/preferences", summary="How I want to be told, and of what", tag="notices")
    async def prefer(request: Request, user: User, body: PreferencesIn) -> PreferencesOut:
        await mine(user)
        wanted = Preferences(
            name=body.name,
            channels=body.channels,
            muted=body.muted,
            language=body.language,
            quiet_from=time_in(body.quiet_from),
            quiet_until=time_in(body.quiet_until),
        )
        return preferences_out(await contacts.prefer(user.id, wanted))

    @api.post("/me/addresses", summary="Use an address: a code is sent there", status=204, tag="notices")
    async def begin_address(request: Request, user: User, body: AddressIn) -> None:
        limit(request, CODES, "lessons-proof")
        await mine(user)
        await contacts.begin(user.id, body.channel, body.address)

    @api.post("/me/addresses/line/code", summary="A code that links my LINE when the bot gets it", tag="notices")
    async def begin_line(request: Request, user: User) -> LineCodeOut:
        limit(request, CODES, "lessons-proof")
        await mine(user)
        return LineCodeOut(await contacts.begin_line(user.id))

    @api.post("/me/addresses/{channel}/proof", summary="The code that came there", tag="notices")
    async def prove(request: Request, user: User, channel: Channel, body: CodeIn) -> PreferencesOut:
        return preferences_out(await contacts.prove(user.id, channel, body.code))

    @api.delete("/me/addresses/{channel}", summary="Forget an address", tag="notices")
    async def forget(request: Request, user: User, channel: Channel) -> None:
        await mine(user)
        await contacts.forget(user.id, channel)


def _searches(api: Api, service: Service, searches: Searches) -> None:
    @api.get("/me/searches", summary="What I look for", tag="notices")
    async def my_searches(request: Request, user: User) -> SearchesOut:
        return SearchesOut([search_out(one) for one in await searches.of(user.id)])

    @api.post("/me/searches", summary="Tell me of such lessons when they appear or open", status=201, tag="notices")
    async def save_search(request: Request, user: User, body: SearchIn) -> SearchOut:
        return search_out(await searches.save(user.id, wish_of(service, body)))

    @api.delete("/me/searches/{search_id}", summary="Look for it no longer", tag="notices")
    async def delete_search(request: Request, user: User, search_id: Identifier) -> None:
        await searches.delete(user.id, search_id)


def wish_of(service: Service, given: SearchIn) -> Wish:
    return Wish(
        studio_code=service.studio(given.studio).code if given.studio else None,
        program=given.program,
        instructor=given.instructor,
        weekdays=frozenset(given.weekdays),
        time_from=time_in(given.time_from),
        time_until=time_in(given.time_until),
    )


def time_in(text: str | None) -> time | None:
    if not text:
        return None
    try:
        return time.fromisoformat(text)
    except ValueError:
        raise Invalid(field="time") from None


def preferences_out(person: Contact) -> PreferencesOut:
    return PreferencesOut(
        name=person.name,
        channels=sorted(person.channels),  # type: ignore[arg-type]
        muted=sorted(person.muted),  # type: ignore[arg-type]
        language="en" if person.language == "en" else "ja",
        quiet_from=f"{person.quiet_from:%H:%M}" if person.quiet_from else None,
        quiet_until=f"{person.quiet_until:%H:%M}" if person.quiet_until else None,
        addresses=addresses_of(person),
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
