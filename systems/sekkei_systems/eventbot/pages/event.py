"""An event: making and changing it, who takes part, its notices, and what its host can do with it."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace
from starlette.responses import Response

from sekkei.kit.typed import Token
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.refusals import Invalid, NotThere, Refusal
from sekkei.web import Form, Html, Pages, Redirect, Sent, download
from sekkei_systems.eventbot.design import Event, Repeat
from sekkei_systems.eventbot.jobs.removal import REMOVE
from sekkei_systems.eventbot.pages.view import Long, Short, Snowflake, View, state_of, texts_of
from sekkei_systems.eventbot.refusals import NoSuchMember, NotPinger
from sekkei_systems.eventbot.rules import drafts, files, modals
from sekkei_systems.eventbot.rules.drafts import EventFields, ordered_options
from sekkei_systems.eventbot.rules.identifiers import is_snowflake, is_uuid, uuid_of
from sekkei_systems.eventbot.rules.render import pages_of, sentences
from sekkei_systems.eventbot.rules.views import NoticeView, has_started
from sekkei_systems.eventbot.service.access import Access, Host, Organiser
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.service.events import Events
from sekkei_systems.eventbot.service.guilds import Guilds
from sekkei_systems.eventbot.service.members import Hands, Queue, view_of_event, view_of_notice
from sekkei_systems.eventbot.service.notices import Notices
from sekkei_systems.eventbot.texts import say

# Making and changing it


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
    return _to_event(event).flash("event.created", title=event.title)


@pages.get("/guilds/{guild_id}/events/{event}/edit", name="edit")
async def show_edit(host: Host, view: View, language: str) -> Html:
    return _edit_page(view, host.event, _basics(host.event, view), _details_of(host.event, view), language)


@pages.post("/guilds/{guild_id}/events/{event}/edit")
async def edit(host: Host, view: View, events: Events, sent: Sent[EventForm], language: str) -> Html | Redirect:
    try:
        draft = modals.read_draft(texts_of(sent.value), view.now)
        event = await events.edit(host, draft, _number(sent.value.version), only=sent.value.only)
    except Refusal as wrong:
        filled = sent.refilled(wrong)
        return _edit_page(view, host.event, filled, _details_of(host.event, view), language, wrong.status)
    return _to_event(event).flash("event.saved")


@pages.post("/guilds/{guild_id}/events/{event}/details")
async def details(host: Host, view: View, events: Events, sent: Sent[DetailsForm], language: str) -> Html | Redirect:
    try:
        read = modals.read_details(texts_of(sent.value), host.event, view.now)
        event = await events.set_details(host, read, _number(sent.value.version))
    except Refusal as wrong:
        return _edit_page(view, host.event, _basics(host.event, view), sent.refilled(wrong), language, wrong.status)
    return _to_event(event).flash("event.saved")


@pages.post("/guilds/{guild_id}/events/{event}/options")
async def options(host: Host, view: View, events: Events, sent: Sent[OptionsForm], language: str) -> Html | Redirect:
    try:
        wanted = drafts.read_options(sent.value.options)
        event = await events.set_options(host, wanted, _number(sent.value.version))
    except Refusal as wrong:
        basic, detail = _basics(host.event, view), _details_of(host.event, view)
        return _edit_page(view, host.event, basic, detail, language, wrong.status, sent.refilled(wrong))
    return _to_event(event).flash("event.saved")


def _to_event(event: Event) -> Redirect:
    return Redirect("eventbot:event", guild_id=event.guild_id, event=uuid_of(event.event_id))


def _basics(event: Event, view: View) -> Form:
    return Form(
        {
            **drafts.values_of(event),
            "start": modals.written(event.event_start_at, view.now.tzinfo, event.event_end_at),
        }
    )


def _details_of(event: Event, view: View) -> Form:
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


def _edit_page(
    view: View, event: Event, form: Form, details: Form, language: str, status: int = 200, chosen: Form | None = None
) -> Html:
    choices = ("none", *(one.value for one in Repeat))
    repeats = [(value, say(language, f"repeat.{value}")) for value in choices]
    chosen = chosen or Form({"options": "\n".join(drafts.option_lines(event.options))})
    return view.page("edit.html", status, event=event, form=form, details=details, repeats=repeats, chosen=chosen)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None


_NOTICES_PER_PAGE = 10


class PageQuery(Struct):
    page: Token = ""

    @property
    def number(self) -> int:
        return int(self.page) if self.page.isascii() and self.page.isdigit() and 0 < len(self.page) < 5 else 1


class NoticeForm(Struct):
    title: Short
    body: Long
    remind: Short = ""


@pages.get("/guilds/{guild_id}/events/{event}", name="event")
async def show(host: Host, view: View, desk: Desk, notices: Notices, query: PageQuery, language: str) -> Html:
    return await _page(host, view, desk, notices, query.number, language, Form())


async def _page(
    host: Host, view: View, desk: Desk, notices: Notices, number: int, language: str, form: Form, status: int = 200
) -> Html:
    event, seen = host.event, await view_of_event(desk.db, host.event)
    listed = await notices.of_event(event, hidden=True)
    pages = pages_of(len(listed), _NOTICES_PER_PAGE)
    number = max(1, min(number, pages))
    shown = listed[(number - 1) * _NOTICES_PER_PAGE : number * _NOTICES_PER_PAGE]
    return view.page(
        "event.html",
        status,
        event=event,
        view=seen,
        state=state_of(event, view.now),
        notices=shown,
        notice_count=len(listed),
        counts=await notices.counts(seen.members, shown),
        number=number,
        pages=pages,
        form=form,
        ways=ordered_options(event.options),
        begun=has_started(event, view.now),
        reminders=_reminders(event),
        troubles=[say(language, f"bot.trouble-{key}") for key, _ in sentences(event.troubles)],
    )


def _reminders(event: Event) -> list[tuple[datetime, bool]]:
    """All of them, and which were sent."""
    first = [(event.event_remind_at, event.reminded_at is not None)] if event.event_remind_at is not None else []
    return [*first, *((datetime.fromisoformat(at), at in event.reminded) for at in event.reminders)]


@pages.post("/guilds/{guild_id}/events/{event}/notices")
async def post_notice(
    host: Host, view: View, desk: Desk, notices: Notices, sent: Sent[NoticeForm], language: str
) -> Html | Redirect:
    try:
        notice = await notices.post(host, modals.read_notice(texts_of(sent.value), host.event, view.now))
    except Refusal as wrong:
        return await _page(host, view, desk, notices, 1, language, sent.refilled(wrong), wrong.status)
    return _to_event(host.event).flash("notice.posted", title=notice.title)


@pages.post("/guilds/{guild_id}/events/{event}/do/{verb}")
async def do(host: Host, events: Events, jobs: Jobs, verb: str) -> Redirect:
    """close, reopen, cancel, cancel-all, pause, resume, repost, retry, delete"""
    event = host.event
    if verb == "delete":
        payload = {"guild_id": event.guild_id, "event_id": event.event_id, "title": event.title}
        await jobs.start(REMOVE, payload, id=f"remove/{uuid_of(event.event_id)}")
        return Redirect("eventbot:guild", guild_id=event.guild_id).flash("event.deleting", title=event.title)
    simple = {"close": events.close, "reopen": events.reopen, "cancel": events.cancel}
    simple |= {"pause": events.pause, "resume": events.resume}
    simple |= {"repost": events.repost, "retry": events.retry, "cancel-all": partial(events.cancel, series=True)}
    if verb not in simple:
        raise NotThere()
    try:
        await simple[verb](host)
    except Refusal as refusal:
        return _to_event(event).flash(refusal)
    return _to_event(event).flash(f"event.done-{verb}")


@pages.get("/guilds/{guild_id}/events/{event}/members.csv")
async def members_csv(host: Host, desk: Desk) -> Response:
    return download("members.csv", files.members_csv(await view_of_event(desk.db, host.event)))


# The organiser's hands: who takes part is changed one by one; who was there is noted; everybody is told something.


_EVENT = "/guilds/{guild_id}/events/{event}"
_MEMBERS = _EVENT + "/members"


class NewMember(Struct):
    user_id: Short
    """Or a name."""
    option: Token = ""


class Chosen(Struct):
    option: Token = ""


class Present(Struct):
    present: Annotated[list[Token], Meta(max_length=10_000)] = []


class Told(Struct):
    text: Long = ""
    option: Token = ""


@pages.post(_MEMBERS)
async def add(host: Host, hands: Hands, guilds: Guilds, form: NewMember) -> Redirect:
    """Anybody on the server, by their name or their id in Discord."""
    try:
        user_id, name = await guilds.find_member(host.event.guild_id, form.user_id)
        await hands.seat(host, user_id, name, form.option or None)
    except Refusal as refusal:
        return _to_event(host.event).flash(refusal)
    return _to_event(host.event).flash("event.done-add", name=name)


@pages.post(_MEMBERS + "/{user_id}/{verb}")
async def act_on_member(host: Host, hands: Hands, queue: Queue, user_id: str, verb: str, form: Chosen) -> Redirect:
    """seat, remove, move"""
    if not is_snowflake(user_id) or verb not in ("seat", "remove", "move"):
        raise NotThere()
    try:
        if verb == "remove":
            await hands.unseat(host, user_id)
        elif verb == "move":
            await hands.move(host, user_id, form.option)
        elif user_id in {one.user_id for one in await queue.waiting(host.event.guild_id, host.event.event_id)}:
            await hands.seat(host, user_id, "", form.option or None)
        else:
            raise NoSuchMember()
    except Refusal as refusal:
        return _to_event(host.event).flash(refusal)
    return _to_event(host.event).flash(f"event.done-{verb}")


@pages.post(_EVENT + "/attendance")
async def attendance(host: Host, hands: Hands, form: Present) -> Redirect:
    """Who was there: those who are ticked, and nobody else."""
    try:
        count = await hands.attend(host, set(form.present))
    except Refusal as refusal:
        return _to_event(host.event).flash(refusal)
    return _to_event(host.event).flash("event.done-attendance", n=count)


@pages.post(_EVENT + "/message")
async def message(host: Host, hands: Hands, form: Told) -> Redirect:
    """One message that rings those who joined."""
    try:
        count = await hands.tell(host, form.text, form.option or None)
    except Refusal as refusal:
        return _to_event(host.event).flash(refusal)
    return _to_event(host.event).flash("event.done-message", n=count)


# A notice: who has confirmed it, and who has not.


_NOTICE = "/guilds/{guild_id}/events/{event}/notices/{notice}"


async def _seen(host: Host, notices: Notices, desk: Desk, notice: str) -> NoticeView:
    return await view_of_notice(desk.db, await notices.of_host(host, _id(notice)), host.event)


def _id(notice: str) -> str:
    if not is_uuid(notice):
        raise NotThere()
    return f"NTC#{notice}"


@pages.get(_NOTICE, name="notice")
async def show_notice(host: Host, view: View, notices: Notices, desk: Desk, notice: str) -> Html:
    return view.page("notice.html", event=host.event, view=await _seen(host, notices, desk, notice))


@pages.get(_NOTICE + "/confirmations.csv")
async def confirmations_csv(host: Host, notices: Notices, desk: Desk, notice: str) -> Response:
    seen = await _seen(host, notices, desk, notice)
    return download("confirmations.csv", files.confirmations_csv(seen))


@pages.post(_NOTICE + "/do/{verb}")
async def act_on_notice(host: Host, notices: Notices, notice: str, verb: str) -> Redirect:
    """close, hide, show, repost"""
    notice_id = _id(notice)
    try:
        if verb == "close":
            await notices.close(host, notice_id)
        elif verb in ("hide", "show"):
            await notices.hide(host, notice_id, verb == "hide")
        elif verb == "repost":
            await notices.repost(host, notice_id)
        else:
            raise NotThere()
    except NotThere:
        raise
    except Refusal as refusal:
        return _to_event(host.event).flash(refusal)
    return _to_event(host.event).flash(f"notice.done-{verb}")
