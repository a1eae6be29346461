"""An event: who takes part, its notices, and what its host can do with it."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from msgspec import Struct
from starlette.responses import Response

from sekkei.kit.typed import Token
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.refusals import NotThere, Refusal
from sekkei.web import Form, Html, Pages, Redirect, Sent, download
from sekkei_systems.eventbot.design import Event
from sekkei_systems.eventbot.jobs.removal import REMOVE
from sekkei_systems.eventbot.pages.edit import to_event
from sekkei_systems.eventbot.pages.view import Long, Short, View, state_of, texts_of
from sekkei_systems.eventbot.rules import files, modals
from sekkei_systems.eventbot.rules.identifiers import uuid_of
from sekkei_systems.eventbot.rules.options import ordered
from sekkei_systems.eventbot.rules.render import pages_of, sentences
from sekkei_systems.eventbot.rules.views import has_started
from sekkei_systems.eventbot.service.access import Host
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.service.events import Events
from sekkei_systems.eventbot.service.members import view_of_event
from sekkei_systems.eventbot.service.notices import Notices
from sekkei_systems.eventbot.texts import say

pages = Pages()
NOTICES_PER_PAGE = 10


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
    pages = pages_of(len(listed), NOTICES_PER_PAGE)
    number = max(1, min(number, pages))
    shown = listed[(number - 1) * NOTICES_PER_PAGE : number * NOTICES_PER_PAGE]
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
        ways=ordered(event.options),
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
    return to_event(host.event).flash("notice.posted", title=notice.title)


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
        return to_event(event).flash(refusal)
    return to_event(event).flash(f"event.done-{verb}")


@pages.get("/guilds/{guild_id}/events/{event}/members.csv")
async def members_csv(host: Host, desk: Desk) -> Response:
    return download("members.csv", files.members_csv(await view_of_event(desk.db, host.event)))
