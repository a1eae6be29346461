"""Settings on the web: what Discord would not let somebody do, the page does not either."""

from __future__ import annotations

from sekkei.web import Redirect, Sent
from sekkei_systems.eventbot.local.world import ATTENDEE_ROLE, GUILD_ID, MODERATOR_ROLE, ORGANISER_ROLE
from sekkei_systems.eventbot.pages.settings import SettingsForm, save_settings
from sekkei_systems.eventbot.pages.view import Simulated, view_of
from tests.systems.eventbot.conftest import AOI, REN, Bot, linked


async def test_saving_goes_back_to_the_page(quick: Bot) -> None:
    organiser, guilds = await quick.organiser(AOI), quick.service.guilds
    view = await view_of(organiser, quick.service.desk, Simulated(True))
    answer = await save_settings(organiser, view, guilds, Sent(SettingsForm(attendee_role_id=ATTENDEE_ROLE)))
    assert answer == Redirect("eventbot:settings", guild_id=GUILD_ID).flash("settings.saved")
    refused = await save_settings(organiser, view, guilds, Sent(SettingsForm(attendee_role_id=MODERATOR_ROLE)))
    assert (refused.template, refused.status) == ("eventbot/settings.html", 403)
    assert (await guilds.settings(GUILD_ID)).attendee_role_id == ATTENDEE_ROLE


async def test_an_organiser_keeps_what_they_may_not_change(quick: Bot) -> None:
    """The form sends every field; those that stay as they are need no permission."""
    await quick.service.guilds.change_settings(await quick.organiser(AOI), organiser_role_id=ORGANISER_ROLE)
    client = await linked(quick, "ren@example.com", REN)
    page = f"/eventbot/guilds/{GUILD_ID}/settings"
    kept = {"organiser_role_id": ORGANISER_ROLE, "remind_minutes_before": "15", "time_zone": "Asia/Tokyo"}
    assert (await client.post(page, kept)).status == 303
    refused = await client.post(page, {**kept, "attendee_role_id": MODERATOR_ROLE})
    assert refused.status == 403
    assert "「ロールの管理」権限" in refused.text
    assert MODERATOR_ROLE in refused.text, "what was typed stays"
