"""Thread and native event: each follows the event, and what one is refused is no matter of the other."""

from __future__ import annotations

from datetime import timedelta

from sekkei_systems.eventbot.local.discord import Fault
from sekkei_systems.eventbot.local.world import ATTENDEE_ROLE, RECRUIT
from sekkei_systems.eventbot.service import Draft
from tests.systems.eventbot.conftest import AOI, MEI, REN, Bot, settled


async def test_a_native_event_deleted_by_hand_stops_nothing_else(rich: Bot) -> None:
    event = await rich.event()
    await rich.local.forget("scheduled-event", str(event.scheduled_event_id))
    await rich.service.events.edit(await rich.host(AOI, event.event_id), Draft("別の会", event.event_start_at))
    await rich.service.joining.join(REN.actor, event.event_id)
    now = await settled(rich, event)
    assert await rich.local.holders(ATTENDEE_ROLE) == {REN.id}
    assert now.troubles.keys() == {"mirror"}
    assert "10070" in now.troubles["mirror"]
    await rich.service.events.retry(await rich.host(AOI, event.event_id))
    now = await settled(rich, event)
    assert now.troubles == {}
    [(id, native)] = await rich.local.things("scheduled-event")
    assert (id, native["name"]) == (now.scheduled_event_id, "別の会")


async def test_a_lost_answer_to_a_thread_finds_the_thread_again(rich: Bot) -> None:
    rich.local.faults.append(Fault("lost", 1, on="POST .*/threads"))
    event = await rich.event()
    for _ in range(4):
        await rich.work(30)
    now = await settled(rich, event)
    assert (now.thread_id, now.troubles) == (event.recruit_message_id, {})
    assert now.scheduled_event_id is not None


async def test_a_lost_answer_to_a_native_event_does_not_make_two(rich: Bot) -> None:
    rich.local.faults.append(Fault("lost", 1, on="POST .*/scheduled-events"))
    event = await rich.event()
    for _ in range(4):
        await rich.work(30)
    now = await settled(rich, event)
    assert [id for id, _ in await rich.local.things("scheduled-event")] == [now.scheduled_event_id]


async def test_an_event_made_inside_a_thread_has_no_thread_of_its_own(rich: Bot) -> None:
    rest = rich.client.shell.deployment.systems["eventbot"].parts.transports["discord"]._rest  # type: ignore[attr-defined]
    outer = await rest.post(RECRUIT, {"content": "話"})
    await rest.start_thread(RECRUIT, outer, "話")
    made = await rich.service.events.create(
        await rich.creator(AOI), Draft("会", rich.service.desk.now() + timedelta(hours=9)), outer
    )
    await rich.service.joining.join(REN.actor, made.event_id)
    now = await settled(rich, made)
    assert now.recruit_message_id is not None
    assert "50024" in now.troubles["thread"]
    assert await rich.local.holders(ATTENDEE_ROLE) == {REN.id}


async def test_the_native_event_is_patched_only_when_it_changed(rich: Bot) -> None:
    event = await rich.event()
    for person in (REN, MEI):
        await rich.service.joining.join(person.actor, event.event_id)
        await settled(rich, event)
    assert not [one for one in rich.local.log if one["method"] == "PATCH" and "scheduled-events" in one["path"]]
    await rich.service.events.edit(await rich.host(AOI, event.event_id), Draft("別の会", event.event_start_at))
    await settled(rich, event)
    assert len([one for one in rich.local.log if one["method"] == "PATCH" and "scheduled-events" in one["path"]]) == 1
