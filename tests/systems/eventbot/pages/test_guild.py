"""A guild's page."""

from __future__ import annotations

from dataclasses import replace

from sekkei_systems.eventbot.demo.guild import GUILD_ID
from sekkei_systems.eventbot.ports.discord.permissions import (
    MANAGE_GUILD,
)
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
    manager = await linked(quick, "manager@example.com", replace(AOI, permissions=AOI.permissions | MANAGE_GUILD))
    assert "/purge" in (await manager.get(f"/eventbot/guilds/{GUILD_ID}/settings")).text
    assert (await manager.post(f"/eventbot/guilds/{GUILD_ID}/purge")).status == 303
    for _ in range(4):
        await quick.work(6)
    store = quick.service.desk.db.store
    kept = {"OrganiserLinks"}
    for table in SYSTEM.design.tables.values():
        if table.name not in kept:
            assert (await store.call("Scan", {"TableName": table.name}))["Count"] == 0, table.name
