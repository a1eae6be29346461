"""A guild's settings."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, structs

from sekkei.runtime.refusals import Refusal
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.eventbot.pages.view import Short, Snowflake, View
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.rules.zones import TOKYO
from sekkei_systems.eventbot.service import Guilds, Organiser

pages = Pages()


class SettingsForm(Struct):
    recruit_channel_id: Snowflake | None = None
    notice_channel_id: Snowflake | None = None
    organiser_role_id: Snowflake | None = None
    attendee_role_id: Snowflake | None = None
    creator_role_id: Snowflake | None = None
    member_role_id: Snowflake | None = None
    remind_minutes_before: Annotated[int, Meta(ge=0, le=10080)] = 60
    locale: Short = "ja"
    time_zone: Short = TOKYO
    one_open_notice: bool = False
    make_thread: bool = False
    mirror_events: bool = False


@pages.get("/guilds/{guild_id}/settings", name="settings")
async def show_settings(organiser: Organiser, view: View) -> Html:
    return _page(view, Form({name: value for name, value in vars(view.settings).items() if value is not None}))


@pages.post("/guilds/{guild_id}/settings")
async def save_settings(organiser: Organiser, view: View, guilds: Guilds, sent: Sent[SettingsForm]) -> Html | Redirect:
    try:
        changes = structs.asdict(sent.value)
        changes["locale"] = changes["locale"] if changes["locale"] in ("ja", "en") else "ja"
        await guilds.change_settings(organiser, **changes)
    except Refusal as wrong:
        return _page(view, sent.refilled(wrong), wrong.status)
    return Redirect("eventbot:settings", guild_id=organiser.guild_id).flash("settings.saved")


def _page(view: View, form: Form, status: int = 200) -> Html:
    manages = bool(view.actor.permissions & permissions.MANAGING_GUILD)
    return view.page("settings.html", status, form=form, manages=manages)
