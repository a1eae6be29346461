"""What is deleted takes with it what it gave."""

from __future__ import annotations

from sekkei_systems.eventbot.design import holders_of_role
from sekkei_systems.eventbot.local.world import ATTENDEE_ROLE, BOT_ROLE, GUILD_ID
from sekkei_systems.eventbot.ports.discord import permissions
from tests.systems.eventbot.conftest import AOI, MEI, REN, Bot, settled


async def test_deleting_takes_back_role_message_and_native_event(rich: Bot) -> None:
    event, other = await rich.event(), await rich.event(title="残る会")
    for person in (REN, MEI):
        await rich.service.joining.join(person.actor, event.event_id)
    await rich.service.joining.join(MEI.actor, other.event_id)
    await settled(rich, event)
    assert await rich.local.holders(ATTENDEE_ROLE) == {REN.id, MEI.id}
    assert len(await rich.local.things("scheduled-event")) == 2
    await rich.press(AOI, event, "deleteyes")
    await settled(rich, other)
    assert await rich.local.holders(ATTENDEE_ROLE) == {MEI.id}
    assert [id for id, _ in await rich.local.things("scheduled-event")] == [other.scheduled_event_id]
    assert event.recruit_message_id not in {one.message_id for one, _ in await rich.posts()}


async def test_a_refusal_does_not_keep_the_data_alive(rich: Bot) -> None:
    event = await rich.event()
    await rich.service.joining.join(REN.actor, event.event_id)
    await settled(rich, event)
    rich.local.server.let(BOT_ROLE, deny=permissions.MANAGE_ROLES)
    await rich.press(AOI, event, "deleteyes")
    for _ in range(4):
        await rich.work(6)
    assert await rich.service.events.of_guild(GUILD_ID) == []
    assert await rich.service.desk.db.all(holders_of_role(GUILD_ID, ATTENDEE_ROLE)) == []
