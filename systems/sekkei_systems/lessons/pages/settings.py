"""How I am told and of what: preferences, addresses that are proven by a code, links."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.runtime.system import Context
from sekkei.web import Form, Pages, User, flash, form, language_of, limit, page, redirect, refill, require_user, t
from sekkei_systems.lessons.api.preferences import CODES
from sekkei_systems.lessons.api.shapes import Clock, time_in
from sekkei_systems.lessons.design import Contact
from sekkei_systems.lessons.pages.view import desk_of, known
from sekkei_systems.lessons.rules.notices import TOPICS, addresses_of
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.contacts import CHANNELS, Preferences


class PreferencesForm(msgspec.Struct):
    name: Annotated[str, Meta(min_length=1, max_length=50)]
    channels: list[str] = []
    topics: list[str] = []
    language: str = "ja"
    quiet_from: Clock | None = None
    quiet_until: Clock | None = None


class AddressForm(msgspec.Struct):
    channel: str
    address: Annotated[str, Meta(min_length=1, max_length=500)]


class CodeForm(msgspec.Struct):
    channel: str
    code: Annotated[str, Meta(min_length=1, max_length=20)]


Show = Callable[..., Awaitable[Response]]


def declare(pages: Pages, service: Service, context: Context) -> None:
    show = Settings(service, context).show
    _preferences(pages, service, show)
    _addresses(pages, service, show)
    _links(pages, service)


class Settings:
    """The page, as it is and with what is wrong beside one of its forms."""

    def __init__(self, service: Service, context: Context) -> None:
        self._service = service
        self._url = f"{context.settings.public_url}/lessons/api/me/calendar.ics"
        self._has_line = bool(context.settings.get("line_channel_secret"))

    async def show(
        self, request: Request, user: User, status: int = 200, *, line_code: str = "", **forms: Form
    ) -> Response:
        person = await known(request, self._service, user)
        token = await self._service.contacts.calendar_link(user.id)
        addresses = addresses_of(person)
        return page(
            request,
            "lessons/settings.html",
            status,
            person=person,
            form=forms.get("preferences") or Form(_values(person)),
            address_form=forms.get("address") or Form({"channel": "mail"}),
            code_form=forms.get("code") or Form(),
            blank=Form(),
            addresses=addresses,
            pending=await self._service.contacts.pending(user.id),
            channels=CHANNELS,
            proven=[(channel, t(request, f"channel.{channel}")) for channel in CHANNELS if channel in addresses],
            topics=[(topic, t(request, f"topic.{topic}")) for topic in TOPICS],
            has_line=self._has_line,
            line_code=line_code,
            feed=f"{self._url}?token={token}" if token else "",
            desk=desk_of(request, self._service),
        )


def _values(person: Contact) -> dict[str, Any]:
    return {
        "name": person.name,
        "channels": sorted(person.channels),
        "topics": [topic for topic in TOPICS if topic not in person.muted],
        "language": person.language,
        "quiet_from": f"{person.quiet_from:%H:%M}" if person.quiet_from else "",
        "quiet_until": f"{person.quiet_until:%H:%M}" if person.quiet_until else "",
    }


def _preferences(pages: Pages, service: Service, show: Show) -> None:
    @pages.get("/settings", name="settings")
    async def settings(request: Request) -> Response:
        return await show(request, require_user(request))

    @pages.post("/settings")
    async def save(request: Request) -> Response:
        user = require_user(request)
        await known(request, service, user)
        try:
            given = await form(request, PreferencesForm)
            wanted = Preferences(
                name=given.name,
                channels=given.channels,
                muted=[topic for topic in TOPICS if topic not in given.topics],
                language=given.language,
                quiet_from=time_in(given.quiet_from),
                quiet_until=time_in(given.quiet_until),
            )
            await service.contacts.prefer(user.id, wanted)
        except Invalid as wrong:
            return await show(request, user, 422, preferences=refill(request, wrong))
        flash(request, t(request, "done.settings"))
        return redirect(request, "lessons:settings")


def _addresses(pages: Pages, service: Service, show: Show) -> None:
    @pages.post("/settings/addresses", name="address")
    async def address(request: Request) -> Response:
        user = require_user(request)
        limit(request, CODES, "lessons-proof")
        await known(request, service, user)
        try:
            given = await form(request, AddressForm)
            await service.contacts.begin(user.id, given.channel, given.address)
        except Invalid as wrong:
            filled = refill(request, wrong)
            errors = {"address": next(iter(filled.errors.values()))}
            return await show(request, user, 422, address=Form(filled.values, errors))
        flash(request, t(request, "done.code"))
        return redirect(request, "lessons:settings")

    @pages.post("/settings/proof", name="proof")
    async def proof(request: Request) -> Response:
        user = require_user(request)
        try:
            given = await form(request, CodeForm)
            await service.contacts.prove(user.id, given.channel, given.code)
        except Invalid as wrong:
            return await show(request, user, 422, code=refill(request, wrong))
        except Refusal as refusal:
            flash(request, refusal.text(language_of(request)), "error")
        else:
            flash(request, t(request, "done.proven"))
        return redirect(request, "lessons:settings")

    @pages.post("/settings/line", name="line_code")
    async def line(request: Request) -> Response:
        user = require_user(request)
        limit(request, CODES, "lessons-proof")
        await known(request, service, user)
        code = await service.contacts.begin_line(user.id)
        return await show(request, user, line_code=code)

    @pages.post("/settings/forget/{channel}", name="forget")
    async def forget(request: Request) -> Response:
        user = require_user(request)
        await known(request, service, user)
        await service.contacts.forget(user.id, request.path_params["channel"])
        flash(request, t(request, "done.forgotten"))
        return redirect(request, "lessons:settings")


def _links(pages: Pages, service: Service) -> None:
    @pages.post("/settings/calendar", name="renew_calendar")
    async def renew(request: Request) -> Response:
        user = require_user(request)
        await known(request, service, user)
        await service.contacts.renew_calendar(user.id)
        flash(request, t(request, "done.calendar"))
        return redirect(request, "lessons:settings")

    @pages.post("/settings/calendar/stop", name="stop_calendar")
    async def stop(request: Request) -> Response:
        user = require_user(request)
        await known(request, service, user)
        await service.contacts.stop_calendar(user.id)
        flash(request, t(request, "done.calendar.stopped"))
        return redirect(request, "lessons:settings")

    @pages.post("/settings/links", name="void_links")
    async def void(request: Request) -> Response:
        user = require_user(request)
        await known(request, service, user)
        await service.contacts.void_links(user.id)
        flash(request, t(request, "done.links"))
        return redirect(request, "lessons:settings")
