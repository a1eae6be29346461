"""Who sees the pages of a guild, and by which clocks."""

from __future__ import annotations

from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import GUILD_ID, ORGANISER_ROLE, RECRUIT
from tests.systems.eventbot.conftest import AOI, REN, Bot, linked


async def test_the_pages_go_by_the_roles_of_today(quick: Bot) -> None:
    """Whoever loses the organisers' role in Discord loses the pages, without waiting for the link to end."""
    await quick.service.guilds.change_settings(await quick.organiser(AOI), organiser_role_id=ORGANISER_ROLE)
    client = await linked(quick, "ren@example.com", REN)
    page = f"/eventbot/guilds/{GUILD_ID}"
    assert (await client.get(page)).status == 200
    quick.local.server.members[REN.id]["roles"].remove(ORGANISER_ROLE)
    assert (await client.get(page)).status == 200  # for five minutes what was said last holds
    quick.clock.advance(301)
    assert (await client.get(page)).status == 403
    quick.local.server.members[REN.id]["roles"].append(ORGANISER_ROLE)
    quick.clock.advance(301)
    assert (await client.get(page)).status == 200


async def test_whoever_leaves_the_server_loses_the_pages(quick: Bot) -> None:
    client = await linked(quick, "aoi@example.com", AOI)
    del quick.local.server.members[AOI.id]
    quick.clock.advance(301)
    assert (await client.get(f"/eventbot/guilds/{GUILD_ID}")).status == 404
    assert await quick.service.guilds.links(await client.sign_in_by_email("aoi@example.com")) == []


async def test_while_discord_is_silent_the_old_roles_hold_for_an_hour(quick: Bot) -> None:
    client = await linked(quick, "aoi@example.com", AOI)
    page = f"/eventbot/guilds/{GUILD_ID}"
    for seconds, status in ((301, 200), (3000, 200), (600, 429)):
        quick.clock.advance(seconds)
        quick.local.faults.append(Fault("error", 1))
        assert (await client.get(page)).status == status
    assert (await client.get(page)).status == 200


async def test_the_pages_show_the_clocks_of_the_guild(quick: Bot) -> None:
    await quick.service.guilds.change_settings(
        await quick.organiser(AOI), recruit_channel_id=RECRUIT, time_zone="Europe/Berlin"
    )
    client = await linked(quick, "aoi@example.com", AOI)
    base = f"/eventbot/guilds/{GUILD_ID}"
    made = await client.post(f"{base}/events", {"title": "会", "start": "2026-01-20 21:00-23:00"})
    shown = (await client.get(made.location)).text
    assert "1月20日(火)" in shown
    assert ">21:00</time>" in shown
    assert "2026-01-20 21:00-23:00" in (await client.get(f"{made.location}/edit")).text
    wrong = await client.post(f"{base}/settings", {"time_zone": "Mars/Olympus"})
    assert wrong.status == 422
    assert "タイムゾーン「Mars/Olympus」" in wrong.text
