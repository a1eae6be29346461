"""A guild's settings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta, Struct, structs

from sekkei.kit.typed import Token
from sekkei.runtime.refusals import Refusal
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.days import ZONE
from sekkei_systems.eventbot.pages.view import Snowflake, View
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.service.access import Organiser
from sekkei_systems.eventbot.service.guilds import Choices, Guilds

pages = Pages()


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
    manages = bool(view.actor.permissions & permissions.MANAGING_GUILD)
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
