"""Making an event, and changing it."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from sekkei.kit.typed import Token
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.eventbot.design import Event, Repeat
from sekkei_systems.eventbot.pages.view import Long, Short, Snowflake, View, texts_of
from sekkei_systems.eventbot.refusals import NotPinger
from sekkei_systems.eventbot.rules import drafts, modals
from sekkei_systems.eventbot.rules import options as ways
from sekkei_systems.eventbot.rules.drafts import EventFields
from sekkei_systems.eventbot.rules.identifiers import is_uuid, uuid_of
from sekkei_systems.eventbot.service.access import Access, Host, Organiser
from sekkei_systems.eventbot.service.events import Events
from sekkei_systems.eventbot.service.guilds import Guilds
from sekkei_systems.eventbot.texts import say

pages = Pages()


class NewQuery(Struct):
    template: Token = ""


class EventForm(EventFields[Short], kw_only=True, frozen=True):
    start: Short | UnsetType | None = UNSET
    options: Long = ""
    ping: Snowflake | None = None
    only: bool = False
    version: Token = ""


class OptionsForm(Struct):
    options: Long = ""
    version: Token = ""


class DetailsForm(Struct):
    deadline: Short = ""
    remind: Short = ""
    end: Short = ""
    repeat: Token = "none"
    waiting: Token = "yes"
    version: Token = ""


@pages.get("/guilds/{guild_id}/new", name="new")
async def new(organiser: Organiser, view: View, guilds: Guilds, query: NewQuery) -> Html:
    values: dict[str, Any] = {}
    if is_uuid(query.template):
        found = await guilds.template(organiser.guild_id, f"TPL#{query.template}")
        values = {**drafts.values_of(found), "options": "\n".join(found.options)}
    return await _new(view, guilds, Form(values))


async def _new(view: View, guilds: Guilds, form: Form, status: int = 200) -> Html:
    choices = await guilds.choices(view.actor.guild_id)
    roles = [("", "—"), *((id, f"@{name.lstrip('@')}") for id, name in choices.roles)] if choices else []
    return view.page("edit.html", status, event=None, form=form, roles=roles)


@pages.post("/guilds/{guild_id}/events")
async def create(
    organiser: Organiser, view: View, access: Access, events: Events, guilds: Guilds, sent: Sent[EventForm]
) -> Html | Redirect:
    try:
        draft = replace(modals.read_draft(texts_of(sent.value), view.now), ping=sent.value.ping)
        if draft.ping is not None:
            await guilds.may_ping(organiser, draft.ping)
        event = await events.create(await access.creator(organiser), draft)
    except (Invalid, NotPinger) as wrong:
        return await _new(view, guilds, sent.refilled(wrong), wrong.status)
    return to_event(event).flash("event.created", title=event.title)


@pages.get("/guilds/{guild_id}/events/{event}/edit", name="edit")
async def show_edit(host: Host, view: View, language: str) -> Html:
    return _page(view, host.event, basics(host.event, view), details_of(host.event, view), language)


@pages.post("/guilds/{guild_id}/events/{event}/edit")
async def edit(host: Host, view: View, events: Events, sent: Sent[EventForm], language: str) -> Html | Redirect:
    try:
        draft = modals.read_draft(texts_of(sent.value), view.now)
        event = await events.edit(host, draft, _number(sent.value.version), only=sent.value.only)
    except Refusal as wrong:
        filled = sent.refilled(wrong)
        return _page(view, host.event, filled, details_of(host.event, view), language, wrong.status)
    return to_event(event).flash("event.saved")


@pages.post("/guilds/{guild_id}/events/{event}/details")
async def details(host: Host, view: View, events: Events, sent: Sent[DetailsForm], language: str) -> Html | Redirect:
    try:
        read = modals.read_details(texts_of(sent.value), host.event, view.now)
        event = await events.set_details(host, read, _number(sent.value.version))
    except Refusal as wrong:
        return _page(view, host.event, basics(host.event, view), sent.refilled(wrong), language, wrong.status)
    return to_event(event).flash("event.saved")


@pages.post("/guilds/{guild_id}/events/{event}/options")
async def options(host: Host, view: View, events: Events, sent: Sent[OptionsForm], language: str) -> Html | Redirect:
    try:
        wanted = ways.read(sent.value.options)
        event = await events.set_options(host, wanted, _number(sent.value.version))
    except Refusal as wrong:
        basic, detail = basics(host.event, view), details_of(host.event, view)
        return _page(view, host.event, basic, detail, language, wrong.status, sent.refilled(wrong))
    return to_event(event).flash("event.saved")


def to_event(event: Event) -> Redirect:
    return Redirect("eventbot:event", guild_id=event.guild_id, event=uuid_of(event.event_id))


def basics(event: Event, view: View) -> Form:
    return Form(
        {
            **drafts.values_of(event),
            "start": modals.written(event.event_start_at, view.now.tzinfo, event.event_end_at),
        }
    )


def details_of(event: Event, view: View) -> Form:
    here = view.now.tzinfo
    return Form(
        {
            "deadline": modals.written(event.deadline_at, here),
            "remind": modals.written_reminders(event, here),
            "end": modals.written(event.event_end_at, here),
            "repeat": event.repeat.value if event.repeat else "none",
            "waiting": "yes" if event.waiting_list else "no",
        }
    )


def _page(
    view: View, event: Event, form: Form, details: Form, language: str, status: int = 200, chosen: Form | None = None
) -> Html:
    choices = ("none", *(one.value for one in Repeat))
    repeats = [(value, say(language, f"repeat.{value}")) for value in choices]
    chosen = chosen or Form({"options": "\n".join(ways.lines(event.options))})
    return view.page("edit.html", status, event=event, form=form, details=details, repeats=repeats, chosen=chosen)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None
