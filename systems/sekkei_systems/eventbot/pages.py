"""The organisers' pages: events, members, notices and who has confirmed. Whoever may do what, the service decides."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sekkei.runtime.jobs import Jobs
from sekkei.runtime.live import Live
from sekkei.runtime.refusals import Invalid, NotThere, Refusal
from sekkei.web.forms import Form, form, refill
from sekkei.web.identity.users import require_user
from sekkei.web.live import sse
from sekkei.web.rendering import flash, page, redirect
from sekkei.web.texts import language_of, t
from sekkei_systems.eventbot.design import Event, Repeat
from sekkei_systems.eventbot.jobs import PURGE, REMOVE
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.rules import calendar, modals, spreadsheet
from sekkei_systems.eventbot.rules.identifiers import is_snowflake, is_uuid, uuid_of
from sekkei_systems.eventbot.rules.render import event_state, pages_of
from sekkei_systems.eventbot.rules.troubles import sentences
from sekkei_systems.eventbot.rules.zones import TOKYO, zone_label, zone_of
from sekkei_systems.eventbot.service import Actor, Service

Short = Annotated[str, Meta(max_length=200)]
Long = Annotated[str, Meta(max_length=4000)]
Channel = Annotated[str, Meta(pattern="^[0-9]{1,20}$")]
NOTICES_PER_PAGE = 10


class EventForm(Struct):
    title: Short
    start: Short = ""
    capacity: Short = ""
    location: Short = ""
    description: Long = ""
    version: Short = ""


class DetailsForm(Struct):
    deadline: Short = ""
    remind: Short = ""
    end: Short = ""
    repeat: Short = "none"
    waiting: Short = "yes"
    version: Short = ""


class NoticeForm(Struct):
    title: Short
    body: Long
    remind: Short = ""


class LinkForm(Struct):
    token: Annotated[str, Meta(max_length=6000)]


class SettingsForm(Struct):
    recruit_channel_id: Channel | None = None
    notice_channel_id: Channel | None = None
    organiser_role_id: Channel | None = None
    attendee_role_id: Channel | None = None
    creator_role_id: Channel | None = None
    member_role_id: Channel | None = None
    remind_minutes_before: Annotated[int, Meta(ge=0, le=10080)] = 60
    locale: Short = "ja"
    time_zone: Short = TOKYO
    one_open_notice: bool = False
    make_thread: bool = False
    mirror_events: bool = False


class Pages:
    """Routes below /eventbot."""

    def __init__(self, service: Service, jobs: Jobs, live: Live, simulated: bool) -> None:
        self._service, self._jobs, self._live, self._simulated = service, jobs, live, simulated

    def routes(self) -> list[Route]:
        guild, event = "/guilds/{guild_id}", "/guilds/{guild_id}/events/{event}"
        notice = event + "/notices/{notice}"
        return [
            Route("/", self.home, methods=["GET"], name="home"),
            Route("/link", self.show_link, methods=["GET"], name="link"),
            Route("/link", self.accept_link, methods=["POST"]),
            Route("/calendar/{guild_id}/{key}.ics", self.calendar, methods=["GET"], name="calendar"),
            Route(guild, self.guild, methods=["GET"], name="guild"),
            Route(guild + "/live", self.live, methods=["GET"]),
            Route(guild + "/unlink", self.unlink, methods=["POST"]),
            Route(guild + "/purge", self.purge, methods=["POST"]),
            Route(guild + "/settings", self.show_settings, methods=["GET"], name="settings"),
            Route(guild + "/settings", self.save_settings, methods=["POST"]),
            Route(guild + "/templates/{template}/delete", self.delete_template, methods=["POST"]),
            Route(guild + "/events", self.create, methods=["POST"]),
            Route(guild + "/new", self.new, methods=["GET"], name="new"),
            Route(event, self.event, methods=["GET"], name="event"),
            Route(event + "/edit", self.show_edit, methods=["GET"], name="edit"),
            Route(event + "/edit", self.edit, methods=["POST"]),
            Route(event + "/details", self.details, methods=["POST"]),
            Route(event + "/members.csv", self.members_csv, methods=["GET"]),
            Route(event + "/notices", self.post_notice, methods=["POST"]),
            Route(event + "/do/{verb}", self.do, methods=["POST"]),
            Route(notice, self.notice, methods=["GET"], name="notice"),
            Route(notice + "/confirmations.csv", self.confirmations_csv, methods=["GET"]),
            Route(notice + "/do/{verb}", self.do_notice, methods=["POST"]),
        ]

    async def _actor(self, request: Request) -> Actor:
        """Who the signed-in account is in this guild; a guild that one has no link to does not exist."""
        user = require_user(request)
        guild_id = request.path_params["guild_id"]
        actor = await self._service.guilds.actor(user.id, guild_id) if is_snowflake(guild_id) else None
        if actor is None:
            raise NotThere()
        request.state.zone = (await self._service.guilds.settings(guild_id)).time_zone
        return actor

    async def _organiser(self, request: Request) -> Actor:
        actor = await self._actor(request)
        await self._service.desk.must_organise(actor)
        return actor

    def _event_id(self, request: Request) -> str:
        found = request.path_params["event"]
        if not is_uuid(found):
            raise NotThere()
        return f"EVT#{found}"

    async def _shown(self, request: Request) -> tuple[Actor, Event]:
        """An event that this person may look after: their own, or any for an organiser."""
        actor = await self._actor(request)
        event = await self._service.events.get(actor.guild_id, self._event_id(request))
        await self._service.desk.must_organise(actor, event)
        return actor, event

    def _page(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        zone = getattr(request.state, "zone", TOKYO)
        values |= {"zone": zone_of(zone), "zone_label": zone_label(zone), "simulated": self._simulated}
        return page(request, f"eventbot/{template}", status, **values)

    def _now(self, request: Request) -> datetime:
        """As the clocks of the guild show it."""
        return self._service.desk.now().astimezone(zone_of(request.state.zone))

    def _to_event(self, request: Request, event: Event) -> Response:
        return redirect(request, "eventbot:event", guild_id=event.guild_id, event=uuid_of(event.event_id))

    # Guilds

    async def home(self, request: Request) -> Response:
        links = await self._service.guilds.links(require_user(request).id)
        if len(links) == 1:
            return redirect(request, "eventbot:guild", guild_id=links[0].guild_id)
        return self._page(request, "guilds.html", links=links)

    async def show_link(self, request: Request) -> Response:
        """The link from Discord asks once more, so that following it changes nothing by itself."""
        require_user(request)
        return self._page(request, "link.html", token=request.query_params.get("token", ""))

    async def accept_link(self, request: Request) -> Response:
        user = require_user(request)
        link = await self._service.guilds.accept_link(user.id, (await form(request, LinkForm)).token)
        flash(request, t(request, "link.done", name=link.user_name))
        return redirect(request, "eventbot:guild", guild_id=link.guild_id)

    async def unlink(self, request: Request) -> Response:
        actor = await self._actor(request)
        await self._service.guilds.unlink(require_user(request).id, actor.guild_id)
        return redirect(request, "eventbot:home")

    async def purge(self, request: Request) -> Response:
        """Everything that the bot knows of a guild goes, in a job of its own."""
        actor = await self._actor(request)
        await self._service.guilds.must_manage(actor)
        started = f"purge/{actor.guild_id}/{int(self._service.desk.clock.now())}"
        await self._jobs.start(PURGE, {"guild_id": actor.guild_id}, id=started)
        flash(request, t(request, "settings.purging"))
        return redirect(request, "eventbot:guild", guild_id=actor.guild_id)

    async def guild(self, request: Request) -> Response:
        actor = await self._organiser(request)
        past = request.query_params.get("show") == "past"
        listed = await self._service.events.of_guild(actor.guild_id, past=past)
        links = await self._service.guilds.links(require_user(request).id)
        name = next((one.guild_name for one in links if one.guild_id == actor.guild_id), "") or actor.guild_id
        feed = f"/eventbot/calendar/{actor.guild_id}/{self._service.guilds.calendar_key(actor.guild_id)}.ics"
        templates = await self._service.guilds.templates(actor.guild_id)
        return self._page(
            request,
            "guild.html",
            actor=actor,
            name=name,
            listed=[(event, self._state(event)) for event in listed],
            past=past,
            feed=feed,
            templates=templates,
        )

    def _state(self, event: Event) -> str:
        """open, full, closed, started, cancelled"""
        from sekkei_systems.eventbot.rules.views import EventView

        state = event_state(EventView(event, (), (), (), ()), self._service.desk.now())[0]
        if state == "" and event.capacity is not None and event.member_count >= event.capacity:
            return "full"
        return state or "open"

    async def live(self, request: Request) -> Response:
        actor = await self._actor(request)
        return sse(request, self._live, f"eventbot/{actor.guild_id}")

    async def show_settings(self, request: Request) -> Response:
        actor = await self._organiser(request)
        settings = await self._service.guilds.settings(actor.guild_id)
        values = {name: value for name, value in vars(settings).items() if value is not None}
        manages = bool(actor.permissions & (permissions.MANAGING_GUILD))
        return self._page(request, "settings.html", actor=actor, form=Form(values), manages=manages)

    async def save_settings(self, request: Request) -> Response:
        actor = await self._organiser(request)
        try:
            given = await form(request, SettingsForm)
            changes = {name: getattr(given, name) for name in SettingsForm.__struct_fields__}
            changes["locale"] = given.locale if given.locale in ("ja", "en") else "ja"
            await self._service.guilds.change_settings(actor, **changes)
        except Refusal as wrong:
            filled = refill(request, wrong)
            return self._page(request, "settings.html", wrong.status, actor=actor, form=filled, manages=False)
        flash(request, t(request, "settings.saved"))
        return redirect(request, "eventbot:settings", guild_id=actor.guild_id)

    async def delete_template(self, request: Request) -> Response:
        actor = await self._organiser(request)
        template = request.path_params["template"]
        if not is_uuid(template):
            raise NotThere()
        await self._service.guilds.delete_template(actor, f"TPL#{template}")
        return redirect(request, "eventbot:guild", guild_id=actor.guild_id)

    async def calendar(self, request: Request) -> Response:
        """For calendar programs, which cannot sign in; the address itself is the secret."""
        guild_id, key = request.path_params["guild_id"], request.path_params["key"]
        guilds = self._service.guilds
        if not is_snowflake(guild_id) or not guilds.calendar_allowed(guild_id, key):
            raise NotThere()
        listed = await self._service.events.of_guild(guild_id, past=True)
        listed += await self._service.events.of_guild(guild_id)
        body = calendar.feed(t(request, "pages.calendar-name"), listed, self._service.desk.now())
        return Response(
            body, media_type="text/calendar; charset=utf-8", headers={"Cache-Control": "private, max-age=300"}
        )

    # Events

    async def new(self, request: Request) -> Response:
        actor = await self._organiser(request)
        values: dict[str, Any] = {}
        template = request.query_params.get("template", "")
        if is_uuid(template):
            found = await self._service.guilds.template(actor.guild_id, f"TPL#{template}")
            values = {name: getattr(found, name) or "" for name in ("title", "description", "location", "capacity")}
        return self._page(request, "edit.html", actor=actor, event=None, form=Form(values))

    async def create(self, request: Request) -> Response:
        actor = await self._organiser(request)
        try:
            given = await form(request, EventForm)
            draft = modals.read_draft(_texts(given), self._now(request))
            event = await self._service.events.create(actor, draft)
        except Invalid as wrong:
            return self._page(request, "edit.html", 422, actor=actor, event=None, form=refill(request, wrong))
        flash(request, t(request, "event.created", title=event.title))
        return self._to_event(request, event)

    async def event(self, request: Request) -> Response:
        return await self._event_page(request)

    async def _event_page(self, request: Request, status: int = 200, wrong: Form | None = None) -> Response:
        actor, event = await self._shown(request)
        service = self._service
        view = await service.events.view(actor.guild_id, event.event_id)
        listed = await service.notices.of_event(actor, event.event_id)
        pages = pages_of(len(listed), NOTICES_PER_PAGE)
        asked = request.query_params.get("page", "")
        number = min(int(asked), pages) if asked.isascii() and asked.isdigit() and 0 < len(asked) < 5 else 1
        number = max(number, 1)
        shown = listed[(number - 1) * NOTICES_PER_PAGE : number * NOTICES_PER_PAGE]
        return self._page(
            request,
            "event.html",
            status,
            actor=actor,
            event=event,
            view=view,
            state=self._state(event),
            notices=shown,
            notice_count=len(listed),
            counts=await service.notices.counts(event, shown),
            number=number,
            pages=pages,
            form=wrong or Form(),
            troubles=[t(request, f"bot.trouble-{key}") for key, _ in sentences(event.troubles)],
        )

    async def show_edit(self, request: Request) -> Response:
        actor, event = await self._shown(request)
        values = {
            "title": event.title,
            "start": modals.written(event.event_start_at, self._now(request).tzinfo, event.event_end_at),
            "capacity": event.capacity or "",
            "location": event.location or "",
            "description": event.description or "",
        }
        return self._edit_page(request, actor, event, Form(values))

    def _edit_page(
        self, request: Request, actor: Actor, event: Event, filled: Form, details: Form | None = None, status: int = 200
    ) -> Response:
        here = self._now(request).tzinfo
        values = {
            "deadline": modals.written(event.deadline_at, here),
            "remind": modals.written(event.event_remind_at, here),
            "end": modals.written(event.event_end_at, here),
            "repeat": event.repeat.value if event.repeat else "none",
            "waiting": "yes" if event.waiting_list else "no",
        }
        return self._page(
            request,
            "edit.html",
            status,
            actor=actor,
            event=event,
            form=filled,
            details=details or Form(values),
            repeats=[(value, t(request, f"repeat.{value}")) for value in ("none", *(one.value for one in Repeat))],
        )

    async def edit(self, request: Request) -> Response:
        actor, event = await self._shown(request)
        try:
            given = await form(request, EventForm)
            draft = modals.read_draft(_texts(given), self._now(request))
            event = await self._service.events.edit(actor, event.event_id, draft, _number(given.version))
        except Refusal as wrong:
            return self._edit_page(request, actor, event, refill(request, wrong), status=wrong.status)
        flash(request, t(request, "event.saved"))
        return self._to_event(request, event)

    async def details(self, request: Request) -> Response:
        actor, event = await self._shown(request)
        try:
            given = await form(request, DetailsForm)
            details = modals.read_details(_texts(given), event, self._now(request))
            event = await self._service.events.set_details(actor, event.event_id, details, _number(given.version))
        except Refusal as wrong:
            values = Form(
                {
                    "title": event.title,
                    "start": modals.written(event.event_start_at, self._now(request).tzinfo, event.event_end_at),
                }
            )
            return self._edit_page(request, actor, event, values, refill(request, wrong), wrong.status)
        flash(request, t(request, "event.saved"))
        return self._to_event(request, event)

    async def do(self, request: Request) -> Response:
        """close, reopen, cancel, repost, retry, delete"""
        actor, event = await self._shown(request)
        verb = request.path_params["verb"]
        service = self._service.events
        simple = {"close": service.close, "reopen": service.reopen, "cancel": service.cancel}
        simple |= {"repost": service.repost, "retry": service.retry}
        if verb == "delete":
            payload = {"guild_id": event.guild_id, "event_id": event.event_id, "title": event.title}
            await self._jobs.start(REMOVE, payload, id=f"remove/{uuid_of(event.event_id)}")
            flash(request, t(request, "event.deleting", title=event.title))
            return redirect(request, "eventbot:guild", guild_id=event.guild_id)
        if verb not in simple:
            raise NotThere()
        try:
            await simple[verb](actor, event.event_id)
        except Refusal as refusal:
            if refusal.status == 403:
                raise
            flash(request, refusal.text(language_of(request)), "error")
        else:
            flash(request, t(request, f"event.done-{verb}"))
        return self._to_event(request, event)

    async def members_csv(self, request: Request) -> Response:
        actor, event = await self._shown(request)
        view = await self._service.events.view(actor.guild_id, event.event_id)
        return _download(spreadsheet.members_csv(view), "members.csv")

    # Notices

    async def post_notice(self, request: Request) -> Response:
        actor, event = await self._shown(request)
        try:
            new = modals.read_notice(_texts(await form(request, NoticeForm)), event, self._now(request))
            notice = await self._service.notices.post(actor, event.event_id, new)
        except Refusal as wrong:
            return await self._event_page(request, wrong.status, refill(request, wrong))
        flash(request, t(request, "notice.posted", title=notice.title))
        return self._to_event(request, event)

    async def _notice_id(self, request: Request, event: Event) -> str:
        """A notice of this very event."""
        found = request.path_params["notice"]
        if not is_uuid(found):
            raise NotThere()
        notice = await self._service.desk.notice(event.guild_id, f"NTC#{found}")
        if notice.event_id != event.event_id:
            raise NotThere()
        return notice.notice_id

    async def notice(self, request: Request) -> Response:
        actor, event = await self._shown(request)
        view = await self._service.notices.view(actor.guild_id, await self._notice_id(request, event))
        return self._page(request, "notice.html", actor=actor, event=event, view=view)

    async def confirmations_csv(self, request: Request) -> Response:
        actor, event = await self._shown(request)
        view = await self._service.notices.view(actor.guild_id, await self._notice_id(request, event))
        return _download(spreadsheet.confirmations_csv(view), "confirmations.csv")

    async def do_notice(self, request: Request) -> Response:
        """close, hide, show, repost"""
        actor, event = await self._shown(request)
        notice_id, verb = await self._notice_id(request, event), request.path_params["verb"]
        service = self._service.notices
        try:
            if verb == "close":
                await service.close(actor, notice_id)
            elif verb in ("hide", "show"):
                await service.hide(actor, notice_id, verb == "hide")
            elif verb == "repost":
                await service.repost(actor, notice_id)
            else:
                raise NotThere()
        except Refusal as refusal:
            if refusal.status in (403, 404):
                raise
            flash(request, refusal.text(language_of(request)), "error")
        else:
            flash(request, t(request, f"notice.done-{verb}"))
        return self._to_event(request, event)


def _texts(given: Struct) -> dict[str, str]:
    return {name: str(getattr(given, name)) for name in given.__struct_fields__}


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None


def _download(body: bytes, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(body, media_type="text/csv; charset=utf-8", headers=headers)
