"""Leaving with the account: its ties to guilds go, what people do in Discord stays."""

from __future__ import annotations

from sekkei.runtime.data_subjects import Person
from sekkei_systems.eventbot.demo.guild import GUILD_ID
from sekkei_systems.eventbot.service.personal import EventPeople
from tests.systems.eventbot.conftest import AOI, Bot
from tests.systems.leaving import exported, leave

ACCOUNT = Person("account", "aoi@example.com", "葵")


async def test_the_ties_of_an_account_go_and_its_events_stay(quick: Bot) -> None:
    event = await quick.event()
    guilds = quick.service.guilds
    await guilds.accept_link(ACCOUNT.user_id, await guilds.link(await quick.organiser(AOI)))
    people = EventPeople(quick.service.desk.db).personal()
    found = await exported(people, ACCOUNT)
    assert [one["guild_id"] for one in found["guilds.json"]] == [GUILD_ID]
    await leave(people, ACCOUNT)
    assert await exported(people, ACCOUNT) == {}
    assert await guilds.actor(ACCOUNT.user_id, GUILD_ID) is None
    assert (await quick.service.desk.event(GUILD_ID, event.event_id)).created_by == event.created_by
