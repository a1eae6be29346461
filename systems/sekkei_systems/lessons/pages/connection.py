"""How a studio's own system is reached; for its managers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sekkei.kit.typed import Token
from sekkei.runtime.refusals import Invalid
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.lessons.pages.view import View
from sekkei_systems.lessons.rules.selling import Sellers
from sekkei_systems.lessons.service.access import Staff
from sekkei_systems.lessons.service.connections import Connections, Wanted

pages = Pages()
Typed = Annotated[Token, Meta(max_length=500)]


class ConnectionForm(msgspec.Struct):
    feed_url: Typed = ""
    booking_url: Typed = ""
    booking_page: Typed = ""
    token: Typed = ""
    bookings_entered: bool = False

    def wanted(self) -> Wanted:
        feed, booking, page, token = (
            typed.strip() for typed in (self.feed_url, self.booking_url, self.booking_page, self.token)
        )
        return Wanted(feed, booking, page, token, self.bookings_entered)


@dataclass(frozen=True, slots=True)
class Shown:
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
async def open_connection(shown: Shown) -> Html:
    return await shown.html()


@pages.post("/desk/{code}/connection")
async def save(shown: Shown, connections: Connections, sent: Sent[ConnectionForm]) -> Html | Redirect:
    try:
        await connections.save(shown.staff, sent.value.wanted())
    except Invalid as wrong:
        return await shown.html(wrong.status, sent.refilled(wrong))
    return Redirect("lessons:connection", code=shown.staff.studio.code).flash("done.connection")


@pages.post("/desk/{code}/connection/forget", name="forget_connection")
async def forget(shown: Shown, connections: Connections) -> Redirect:
    await connections.forget(shown.staff)
    return Redirect("lessons:connection", code=shown.staff.studio.code).flash("done.connection.gone")
