"""Who runs a studio, and the secret that its own system signs with; for its managers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from sekkei.kit.typed import Line, Token
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.lessons.design import Role
from sekkei_systems.lessons.pages.view import View
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.service.access import Member, Roster, Staff
from sekkei_systems.lessons.service.connections import Connections, StudioSecrets, Wanted

pages = Pages()
_Mail = Annotated[str, Line(254)]


class NewStaff(msgspec.Struct):
    email: _Mail
    role: Literal["manager", "desk"] = "desk"


class Gone(msgspec.Struct):
    email: _Mail


@dataclass(frozen=True, slots=True)
class Shown:
    view: View
    staff: Staff
    roster: Roster
    secrets: StudioSecrets

    async def html(self, secret: str = "") -> Html:
        """`secret` is shown once, on the page that answers its making."""
        return Html(
            "lessons/staff.html",
            view=self.view,
            studio=self.staff.managing().studio,
            people=await self.roster.of(self.staff),
            secret=secret,
            has_secret=await self.secrets.find(self.staff.studio.code),
            form=Form({"role": "desk"}),
        )

    @property
    def again(self) -> Redirect:
        return Redirect("lessons:staff", code=self.staff.studio.code)


@pages.get("/desk/{code}/staff", name="staff")
async def open_staff(shown: Shown) -> Html:
    return await shown.html()


@pages.post("/desk/{code}/staff")
async def add(shown: Shown, roster: Roster, form: NewStaff) -> Redirect:
    try:
        await roster.add(shown.staff.managing(), form.email, Role(form.role))
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.staff")


@pages.post("/desk/{code}/staff/remove", name="remove_staff")
async def remove(shown: Shown, member: Member, roster: Roster, form: Gone) -> Redirect:
    try:
        await roster.remove(shown.staff.managing(), member, form.email)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.staff.gone")


@pages.post("/desk/{code}/secret", name="renew_secret")
async def renew(shown: Shown, secrets: StudioSecrets) -> Html:
    return await shown.html(await secrets.renew(shown.staff))


@pages.post("/desk/{code}/secret/forget", name="forget_secret")
async def forget(shown: Shown, secrets: StudioSecrets) -> Redirect:
    await secrets.forget(shown.staff)
    return shown.again.flash("done.secret.gone")


# How a studio's own system is reached; for its managers.


_Address = Annotated[Token, Meta(max_length=500)]


class ConnectionForm(msgspec.Struct):
    feed_url: _Address = ""
    booking_url: _Address = ""
    booking_page: _Address = ""
    token: _Address = ""
    bookings_entered: bool = False

    def wanted(self) -> Wanted:
        feed, booking, page, token = (
            typed.strip() for typed in (self.feed_url, self.booking_url, self.booking_page, self.token)
        )
        return Wanted(feed, booking, page, token, self.bookings_entered)


@dataclass(frozen=True, slots=True)
class ShownConnection:
    view: View
    staff: Staff
    connections: Connections
    sellers: Sellers

    async def html(self, status: int = 200, filled: Form | None = None) -> Html:
        found = await self.connections.of(self.staff)
        kept: dict[str, Any] = {
            name: (getattr(found, name) if found else None) or ""
            for name in ("feed_url", "booking_url", "booking_page")
        }
        return Html(
            "lessons/connection.html",
            status,
            view=self.view,
            studio=self.staff.managing().studio,
            found=found,
            is_local=found is None and self.sellers.is_local(self.staff.studio.code),
            form=filled or Form(kept),
        )


@pages.get("/desk/{code}/connection", name="connection")
async def open_connection(shown: ShownConnection) -> Html:
    return await shown.html()


@pages.post("/desk/{code}/connection")
async def save(shown: ShownConnection, connections: Connections, sent: Sent[ConnectionForm]) -> Html | Redirect:
    try:
        await connections.save(shown.staff, sent.value.wanted())
    except Invalid as wrong:
        return await shown.html(wrong.status, sent.refilled(wrong))
    return Redirect("lessons:connection", code=shown.staff.studio.code).flash("done.connection")


@pages.post("/desk/{code}/connection/forget", name="forget_connection")
async def disconnect(shown: ShownConnection, connections: Connections) -> Redirect:
    await connections.forget(shown.staff)
    return Redirect("lessons:connection", code=shown.staff.studio.code).flash("done.connection.gone")
