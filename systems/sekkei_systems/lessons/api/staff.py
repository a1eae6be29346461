"""Who runs a studio, and how its own system is reached; for its managers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from sekkei.kit.typed import Line, Token
from sekkei.web import Operations
from sekkei_systems.lessons.api.shapes import Identifier
from sekkei_systems.lessons.design import Role, StaffMember, StudioConnection
from sekkei_systems.lessons.service.access import Access, Member, Roster
from sekkei_systems.lessons.service.connections import Connections, Wanted

operations = Operations()
_Mail = Annotated[str, Line(254)]
_Url = Annotated[Token, Meta(max_length=500)]


class StaffOut(msgspec.Struct, rename="camel"):
    email: str
    role: Literal["manager", "desk"]
    added_by: str
    added_at: datetime


class AllStaffOut(msgspec.Struct):
    items: list[StaffOut]


class StaffIn(msgspec.Struct):
    email: _Mail
    role: Literal["manager", "desk"] = "desk"


class ConnectionIn(msgspec.Struct, rename="camel"):
    """All of it at once; null is none. A token that is left out stays as it is."""

    feed_url: _Url | None = None
    booking_url: _Url | None = None
    booking_page: _Url | None = None
    token: _Url | None = None
    bookings_entered: bool = False
    """What is booked here already was entered in the studio's system."""

    def wanted(self) -> Wanted:
        feed, booking, page, token = (
            (value or "").strip() for value in (self.feed_url, self.booking_url, self.booking_page, self.token)
        )
        return Wanted(feed, booking, page, token, self.bookings_entered)


class ConnectionOut(msgspec.Struct, rename="camel"):
    is_own: bool
    """False: the environment's settings hold."""
    feed_url: str | None = None
    booking_url: str | None = None
    booking_page: str | None = None
    has_token: bool = False


@operations.get("/studios/{studio}/staff", summary="Who runs a studio", tag="studios")
async def everybody(member: Member, access: Access, roster: Roster, studio: Identifier) -> AllStaffOut:
    return AllStaffOut([_staff_out(one) for one in await roster.of(await access.staff(member, studio))])


@operations.put("/studios/{studio}/staff", summary="Add somebody, or change their role", tag="studios")
async def add(member: Member, access: Access, roster: Roster, studio: Identifier, body: StaffIn) -> StaffOut:
    return _staff_out(await roster.add(await access.staff(member, studio), body.email, Role(body.role)))


@operations.delete("/studios/{studio}/staff/{email}", summary="They run it no longer", status=204, tag="studios")
async def remove(member: Member, access: Access, roster: Roster, studio: Identifier, email: _Mail) -> None:
    await roster.remove(await access.staff(member, studio), member, email.lower())


@operations.get("/studios/{studio}/connection", summary="How its own system is reached", tag="studios")
async def connection(member: Member, access: Access, connections: Connections, studio: Identifier) -> ConnectionOut:
    return _connection_out(await connections.of(await access.staff(member, studio)))


@operations.put("/studios/{studio}/connection", summary="Set how its own system is reached", tag="studios")
async def connect(
    member: Member, access: Access, connections: Connections, studio: Identifier, body: ConnectionIn
) -> ConnectionOut:
    return _connection_out(await connections.save(await access.staff(member, studio), body.wanted()))


@operations.delete("/studios/{studio}/connection", summary="The environment's holds again", status=204, tag="studios")
async def disconnect(member: Member, access: Access, connections: Connections, studio: Identifier) -> None:
    await connections.forget(await access.staff(member, studio))


def _staff_out(one: StaffMember) -> StaffOut:
    return StaffOut(one.email, one.role.value, one.added_by, one.added_at)


def _connection_out(found: StudioConnection | None) -> ConnectionOut:
    if found is None:
        return ConnectionOut(is_own=False)
    return ConnectionOut(
        True, found.feed_url, found.booking_url, found.booking_page, has_token=found.sealed_token is not None
    )
