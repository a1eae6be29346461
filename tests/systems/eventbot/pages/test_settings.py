"""Settings on the web: what Discord would not let somebody do, the page does not either."""

from __future__ import annotations

from sekkei.web import Redirect, Sent
from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import ATTENDEE_ROLE, GUILD_ID, MODERATOR_ROLE, ORGANISER_ROLE, RECRUIT
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


async def test_channels_and_roles_are_chosen_by_name(quick: Bot) -> None:
    await quick.service.guilds.change_settings(await quick.organiser(AOI), attendee_role_id=ATTENDEE_ROLE)
    client = await linked(quick, "aoi@example.com", AOI)
    page = f"/eventbot/guilds/{GUILD_ID}/settings"
    shown = (await client.get(page)).text
    assert f'<option value="{RECRUIT}">#イベント募集</option>' in shown
    assert f'<option value="{ATTENDEE_ROLE}" selected>@参加者</option>' in shown
    attendee = shown[shown.index('name="attendee_role_id"') : shown.index('name="creator_role_id"')]
    assert MODERATOR_ROLE not in attendee, "what the bot would never give is not offered"
    quick.local.server.remove_role(ATTENDEE_ROLE)
    assert f'<option value="{ATTENDEE_ROLE}" selected>{ATTENDEE_ROLE}</option>' in (await client.get(page)).text


async def test_while_discord_is_silent_ids_can_be_typed(quick: Bot) -> None:
    client = await linked(quick, "aoi@example.com", AOI)
    quick.local.faults.append(Fault("error", 9))
    shown = await client.get(f"/eventbot/guilds/{GUILD_ID}/settings")
    assert shown.status == 200
    assert '<input id="f-recruit_channel_id"' in shown.text
