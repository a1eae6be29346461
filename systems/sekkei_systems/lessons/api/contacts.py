"""How I am told, and of what."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.requests import Request

from sekkei.kit.typed import Line, NameLine, Token
from sekkei.web import Operations, Rate, limit
from sekkei_systems.lessons.api.shapes import TimeOfDay
from sekkei_systems.lessons.design import Contact
from sekkei_systems.lessons.rules.notices import addresses_of
from sekkei_systems.lessons.rules.places import NAME_MAX
from sekkei_systems.lessons.rules.slots import optional_time_in
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.contacts import Contacts, Preferences

operations = Operations()


CODES = Rate.per_hour(10)
"""How often a code may be asked for; it goes to an address that is not proven yet."""


_Channel = Literal["mail", "line", "push", "webhook"]
_Topic = Literal["opening", "reminder", "change", "search"]


class PreferencesIn(msgspec.Struct, rename="camel"):
    name: Annotated[str, NameLine(NAME_MAX)]
    channels: list[_Channel]
    muted: list[_Topic] = []
    language: Literal["ja", "en"] = "ja"
    quiet_from: TimeOfDay | None = None
    quiet_until: TimeOfDay | None = None


class PreferencesOut(PreferencesIn):
    addresses: dict[str, str] = {}
    """By channel; all proven to be mine."""


class AddressIn(msgspec.Struct):
    channel: Literal["mail", "push", "webhook"]
    address: Annotated[Token, Meta(min_length=1, max_length=500)]


class CodeIn(msgspec.Struct):
    code: Annotated[str, Line(300)]


class LineCodeOut(msgspec.Struct):
    code: str
    """To be sent to the bot within ten minutes."""


@operations.get("/me/preferences", summary="How I am told, and of what", tag="notices")
async def preferences(person: Contact) -> PreferencesOut:
    return _preferences_out(person)


@operations.put("/me/preferences", summary="How I want to be told, and of what", tag="notices")
async def prefer(member: Member, contacts: Contacts, person: Contact, body: PreferencesIn) -> PreferencesOut:
    wanted = Preferences(
        name=body.name,
        channels=body.channels,
        muted=body.muted,
        language=body.language,
        quiet_from=optional_time_in(body.quiet_from, "quietFrom"),
        quiet_until=optional_time_in(body.quiet_until, "quietUntil"),
    )
    return _preferences_out(await contacts.prefer(member, wanted))


@operations.post("/me/addresses", summary="Use an address: a code is sent there", status=204, tag="notices")
async def begin_address(request: Request, member: Member, contacts: Contacts, person: Contact, body: AddressIn) -> None:
    limit(request, CODES, "lessons-proof")
    await contacts.begin(member, body.channel, body.address)


@operations.post("/me/addresses/line/code", summary="A code that links my LINE when the bot gets it", tag="notices")
async def begin_line(request: Request, member: Member, contacts: Contacts, person: Contact) -> LineCodeOut:
    limit(request, CODES, "lessons-proof")
    return LineCodeOut(await contacts.begin_line(member))


@operations.post("/me/addresses/{channel}/proof", summary="The code that came there", tag="notices")
async def prove(member: Member, contacts: Contacts, channel: _Channel, body: CodeIn) -> PreferencesOut:
    return _preferences_out(await contacts.prove(member, channel, body.code))


@operations.delete("/me/addresses/{channel}", summary="Forget an address", tag="notices")
async def forget(member: Member, contacts: Contacts, person: Contact, channel: _Channel) -> None:
    await contacts.forget(member, channel)


def _preferences_out(person: Contact) -> PreferencesOut:
    return PreferencesOut(
        name=person.name,
        channels=sorted(person.channels),  # type: ignore[arg-type]
        muted=sorted(person.muted),  # type: ignore[arg-type]
        language="en" if person.language == "en" else "ja",
        quiet_from=f"{person.quiet_from:%H:%M}" if person.quiet_from else None,
        quiet_until=f"{person.quiet_until:%H:%M}" if person.quiet_until else None,
        addresses=addresses_of(person),
    )
