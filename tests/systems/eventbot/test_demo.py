"""Sample data."""

from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.store import Embedded
from sekkei_systems.eventbot.system import SYSTEM
from tests.systems.eventbot.conftest import bot_on


async def test_the_demo_fills_every_table(clock: ManualClock) -> None:
    store = Embedded(clock=clock)
    async with bot_on(store, clock) as bot:
        opened = bot.client.shell.deployment.systems["eventbot"]
        await SYSTEM.demo(opened.context, opened.parts)
        await bot.work()
        for table in SYSTEM.design.tables.values():
            found = await store.call("Scan", {"TableName": table.name, "Limit": 5})
            assert found["Count"] > 0, table.name
        titles = [body["embeds"][0]["title"] for _, body in await bot.posts() if body.get("embeds")]
        assert sorted(titles) == ["【満員】オンラインもくもく会", "ボウリング大会", "土曜レイド"]
        listed = await bot.service.events.of_guild("900000000000000001", past=True)
        assert [one.title for one in listed] == ["読書会『達人プログラマー』"]
    await store.close()
