"""A guild: its events, its settings, its calendar, its templates, and the end of all its data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta, Struct, structs
from starlette.responses import Response

from sekkei.kit.typed import Token
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.refusals import NotThere, Refusal
from sekkei.web import Events as Happenings
from sekkei.web import Form, Html, Pages, Redirect, Sent, User, calendar_feed
from sekkei_systems.days import ZONE
from sekkei_systems.eventbot.jobs.removal import PURGE
from sekkei_systems.eventbot.pages.view import Snowflake, View, state_of
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.rules import files
from sekkei_systems.eventbot.rules.identifiers import is_snowflake, is_uuid
from sekkei_systems.eventbot.service.access import Actor, Manager, Organiser
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.service.events import Events
from sekkei_systems.eventbot.service.guilds import Choices, Guilds
from sekkei_systems.eventbot.texts import t

pages = Pages()


class GuildQuery(Struct):
    show: Token = ""


@pages.get("/guilds/{guild_id}", name="guild")
async def guild(
    user: User, organiser: Organiser, view: View, events: Events, guilds: Guilds, query: GuildQuery
) -> Html:
    past = query.show == "past"
    listed = await events.of_guild(organiser.guild_id, past=past)
    return view.page(
        "guild.html",
        name=await guilds.name(user.id, organiser.guild_id),
        listed=[(event, state_of(event, view.now)) for event in listed],
        past=past,
        feed=f"/eventbot/calendar/{organiser.guild_id}/{guilds.calendar_key(organiser.guild_id)}.ics",
        templates=await guilds.templates(organiser.guild_id),
    )


@pages.get("/guilds/{guild_id}/live")
async def live(actor: Actor) -> Happenings:
    return Happenings(f"eventbot/{actor.guild_id}")


@pages.post("/guilds/{guild_id}/purge")
async def purge(manager: Manager, jobs: Jobs, desk: Desk) -> Redirect:
    """Everything that the bot knows of a guild goes, in a job of its own."""
    started = f"purge/{manager.guild_id}/{int(desk.clock.now())}"
    await jobs.start(PURGE, {"guild_id": manager.guild_id}, id=started)
    return Redirect("eventbot:guild", guild_id=manager.guild_id).flash("settings.purging")


@pages.post("/guilds/{guild_id}/templates/{template}/delete")
async def delete_template(organiser: Organiser, guilds: Guilds, template: str) -> Redirect:
    if not is_uuid(template):
        raise NotThere()
    await guilds.delete_template(organiser, f"TPL#{template}")
    return Redirect("eventbot:guild", guild_id=organiser.guild_id)


# A guild's events for calendar programs, which cannot sign in: the address itself is the secret.


@pages.get("/calendar/{guild_id}/{key}.ics", name="calendar")
async def feed(guild_id: str, key: str, guilds: Guilds, events: Events, desk: Desk) -> Response:
    if not is_snowflake(guild_id) or not guilds.calendar_allowed(guild_id, key):
        raise NotThere()
    return calendar_feed(files.feed(t("pages.calendar-name"), await events.all_of_guild(guild_id), desk.now()))


# A guild's settings.


class SettingsForm(Struct):
    recruit_channel_id: Snowflake | None = None
    notice_channel_id: Snowflake | None = None
    organiser_role_id: Snowflake | None = None
    attendee_role_id: Snowflake | None = None
    creator_role_id: Snowflake | None = None
    member_role_id: Snowflake | None = None
    remind_minutes_before: Annotated[int, Meta(ge=0, le=10080)] = 60
    locale: Token = "ja"
    time_zone: Token = ZONE
    one_open_notice: bool = False
    make_thread: bool = False
    mirror_events: bool = False


@pages.get("/guilds/{guild_id}/settings", name="settings")
async def show_settings(organiser: Organiser, view: View, guilds: Guilds) -> Html:
    values = {name: value for name, value in vars(view.settings).items() if value is not None}
    return await _page(view, guilds, Form(values))


@pages.post("/guilds/{guild_id}/settings")
async def save_settings(organiser: Organiser, view: View, guilds: Guilds, sent: Sent[SettingsForm]) -> Html | Redirect:
    try:
        changes = structs.asdict(sent.value)
        changes["locale"] = changes["locale"] if changes["locale"] in ("ja", "en") else "ja"
        await guilds.change_settings(organiser, **changes)
    except Refusal as wrong:
        return await _page(view, guilds, sent.refilled(wrong), wrong.status)
    return Redirect("eventbot:settings", guild_id=organiser.guild_id).flash("settings.saved")


async def _page(view: View, guilds: Guilds, form: Form, status: int = 200) -> Html:
    manages = bool(view.actor.permissions & permissions.Permission.MANAGING_GUILD)
    choices = await guilds.choices(view.actor.guild_id)
    offered = _offered(choices, form) if choices is not None else None
    return view.page("settings.html", status, form=form, manages=manages, offered=offered)


def _offered(choices: Choices, form: Form) -> dict[str, list[tuple[str, str]]]:
    """For each setting what can be chosen by name; what is set but gone from Discord stays, as its id."""
    listed = {
        "recruit_channel_id": [(id, f"#{name}") for id, name in choices.channels],
        "notice_channel_id": [(id, f"#{name}") for id, name in choices.channels],
        "organiser_role_id": _roles(choices.roles),
        "attendee_role_id": _roles(choices.givable),
        "creator_role_id": _roles(choices.roles),
        "member_role_id": _roles(choices.roles),
    }
    found = {}
    for name, known in listed.items():
        current = str(form.values.get(name) or "")
        gone = [(current, current)] if current and current not in dict(known) else []
        found[name] = [("", "—"), *known, *gone]
    return found


def _roles(roles: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(id, f"@{name.lstrip('@')}") for id, name in roles]
