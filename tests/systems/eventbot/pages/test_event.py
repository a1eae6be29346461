"""The page of an event."""

from __future__ import annotations

from datetime import timedelta

from sekkei_systems.eventbot.demo.guild import BOT_ROLE, GUILD_ID
from sekkei_systems.eventbot.ports.discord.permissions import (
    CREATE_PUBLIC_THREADS,
    MANAGE_ROLES,
)
from sekkei_systems.eventbot.rules.drafts import Details
from tests.systems.eventbot.conftest import AOI, REN, Bot, linked, settled


async def test_each_refusal_has_its_own_sentence_and_a_way_to_try_again(rich: Bot) -> None:
    rich.local.server.let(BOT_ROLE, deny=CREATE_PUBLIC_THREADS | MANAGE_ROLES)
    event = await rich.event()
    await rich.service.joining.join(REN.actor, event.event_id)
    await settled(rich, event)
    client = await linked(rich, "aoi@example.com", AOI)
    page = f"/eventbot/guilds/{GUILD_ID}/events/{event.event_id[4:]}"
    shown = (await client.get(page)).text
    assert "「公開スレッドの作成」を許可" in shown
    assert "「ロールの管理」を許可" in shown
    assert "create public threads" in (await client.get(f"{page}?lang=en")).text
    rich.local.server.let(BOT_ROLE, allow=CREATE_PUBLIC_THREADS | MANAGE_ROLES)
    assert (await client.post(f"{page}/do/retry")).status == 303
    await settled(rich, event)
    assert "do/retry" not in (await client.get(page)).text


async def test_further_reminders_are_shown_also_without_a_first_one(quick: Bot) -> None:
    start = quick.service.desk.now() + timedelta(days=2)
    event = await quick.event(start=start)
    details = Details(further=(start - timedelta(hours=5),))
    await quick.service.events.set_details(await quick.host(AOI, event.event_id), details)
    client = await linked(quick, "aoi@example.com", AOI)
    shown = (await client.get(f"/eventbot/guilds/{GUILD_ID}/events/{event.event_id[4:]}?lang=en")).text
    assert "Reminder" in shown
    assert f"{start - timedelta(hours=5):%H:%M}</time>" in shown
