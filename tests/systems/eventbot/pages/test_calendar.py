"""The calendar's address is its secret."""

from __future__ import annotations

import pytest

from sekkei.runtime.refusals import NotThere
from sekkei_systems.eventbot.demo.guild import GUILD_ID
from sekkei_systems.eventbot.pages.calendar import feed
from tests.systems.eventbot.conftest import AOI, Bot


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
