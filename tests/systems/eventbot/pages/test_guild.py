"""A guild's page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sekkei.runtime.refusals import NotThere
from sekkei.web import Redirect, Sent
from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import ATTENDEE_ROLE, GUILD_ID, MODERATOR_ROLE, ORGANISER_ROLE, RECRUIT
from sekkei_systems.eventbot.pages.guild import SettingsForm, feed, save_settings
from sekkei_systems.eventbot.pages.view import Simulated, view_of
from sekkei_systems.eventbot.ports.discord.permissions import Permission
from sekkei_systems.eventbot.rules.drafts import NewNotice
from sekkei_systems.eventbot.system import SYSTEM
from tests.systems.eventbot.conftest import AOI, MEI, REN, Bot, linked


async def test_whoever_manages_the_server_can_have_everything_deleted(quick: Bot) -> None:
    event = await quick.event(capacity=1)
    for person in (REN, MEI):
        await quick.service.joining.join(person.actor, event.event_id)
    await quick.service.guilds.save_template(await quick.host(AOI, event.event_id), "ひな型")
    await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("連絡", "本文"))
    await quick.work()
    manager = await linked(
        quick, "manager@example.com", replace(AOI, permissions=AOI.permissions | Permission.MANAGE_GUILD)
    )
    assert "/purge" in (await manager.get(f"/eventbot/guilds/{GUILD_ID}/settings")).text
    assert (await manager.post(f"/eventbot/guilds/{GUILD_ID}/purge")).status == 303
    for _ in range(4):
        await quick.work(6)
    store = quick.service.desk.db.store
    kept = {"OrganiserLinks"}
    for table in SYSTEM.design.tables.values():
        if table.name not in kept:
            assert (await store.call("Scan", {"TableName": table.name}))["Count"] == 0, table.name


# The calendar's address is its secret.


async def test_the_feed_has_past_and_coming_events_for_whoever_knows_the_address(quick: Bot) -> None:
    guilds, events, desk = quick.service.guilds, quick.service.events, quick.service.desk
    called_off = await quick.event(title="中止の会")
    await quick.event(title="来る会")
    await events.cancel(await quick.host(AOI, called_off.event_id))
    body = bytes((await feed(GUILD_ID, guilds.calendar_key(GUILD_ID), guilds, events, desk)).body).decode()
    assert body.count("BEGIN:VEVENT") == 2
    for guild_id, key in ((GUILD_ID, "0" * 32), ("1", guilds.calendar_key(GUILD_ID)), ("x", "y")):
        with pytest.raises(NotThere):
            await feed(guild_id, key, guilds, events, desk)


# Settings on the web: what Discord would not let somebody do, the page does not either.


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
