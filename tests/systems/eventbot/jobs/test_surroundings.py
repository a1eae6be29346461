"""Thread and native event: each follows the event, and what one is refused is no matter of the other."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import ATTENDEE_ROLE, BOT_ROLE, GUILD_ID, RECRUIT
from sekkei_systems.eventbot.design import Event, events
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.rules.troubles import sentences
from sekkei_systems.eventbot.service import Draft
from tests.systems.eventbot.conftest import AOI, MEI, REN, Bot, settled


async def test_a_native_event_deleted_by_hand_stops_nothing_else(rich: Bot) -> None:
    event = await rich.event()
    await rich.local.forget("scheduled-event", str(event.scheduled_event_id))
    await rich.service.events.edit(await rich.host(AOI, event.event_id), Draft("別の会", start=event.event_start_at))
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


@pytest.mark.parametrize("of_before", [False, True])
async def test_a_lost_answer_to_a_native_event_does_not_make_two(rich: Bot, of_before: bool) -> None:
    """Also where the row does not say with which name it was tried."""
    rich.local.faults.append(Fault("lost", 1, on="POST .*/scheduled-events"))
    event = await rich.event()
    assert (event.mirror_tried, event.scheduled_event_id) == (True, None)
    if of_before:
        await rich.service.desk.db.write(events.update(GUILD_ID, event.event_id).remove(Event.mirror_tried_as))
    for _ in range(4):
        await rich.work(30)
    now = await settled(rich, event)
    assert [id for id, _ in await rich.local.things("scheduled-event")] == [now.scheduled_event_id]


async def test_an_event_made_inside_a_thread_has_no_thread_of_its_own(rich: Bot) -> None:
    rest = rich.client.shell.deployment.systems["eventbot"].parts.transports["discord"]._rest  # type: ignore[attr-defined]
    outer = await rest.post(RECRUIT, {"content": "話"})
    await rest.start_thread(RECRUIT, outer, "話")
    made = await rich.service.events.create(
        await rich.creator(AOI), Draft("会", start=rich.service.desk.now() + timedelta(hours=9)), outer
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
    await rich.service.events.edit(await rich.host(AOI, event.event_id), Draft("別の会", start=event.event_start_at))
    await settled(rich, event)
    assert len([one for one in rich.local.log if one["method"] == "PATCH" and "scheduled-events" in one["path"]]) == 1


async def test_a_lost_answer_to_a_native_event_is_found_although_it_has_begun_meanwhile(rich: Bot) -> None:
    """Discord out of order, or nothing running, until after the start."""
    rich.local.faults.append(Fault("lost", 1, on="POST .*/scheduled-events"))
    event = await rich.event(start=rich.service.desk.now() + timedelta(minutes=20))
    rich.clock.advance(20 * 60)
    now = await settled(rich, event)
    assert [id for id, _ in await rich.local.things("scheduled-event")] == [now.scheduled_event_id]


async def test_what_was_never_made_natively_is_not_made_after_the_start(rich: Bot) -> None:
    rich.local.faults.append(Fault("error", 1, on="POST .*/scheduled-events"))
    event = await rich.event(start=rich.service.desk.now() + timedelta(minutes=20))
    rich.clock.advance(20 * 60)
    now = await settled(rich, event)
    assert (now.scheduled_event_id, now.troubles) == (None, {})


async def test_an_edit_after_a_lost_answer_does_not_make_two_native_events(rich: Bot) -> None:
    rich.local.faults.append(Fault("lost", 1, on="POST .*/scheduled-events"))
    event = await rich.event()
    start = rich.service.desk.now() + timedelta(hours=3)
    await rich.service.events.edit(
        await rich.host(AOI, event.event_id), Draft("別の会", start=start, description="持ち物")
    )
    for _ in range(4):
        await rich.work(30)
    now = await settled(rich, event)
    [(id, native)] = await rich.local.things("scheduled-event")
    assert (id, native["name"], native["description"]) == (now.scheduled_event_id, "別の会", "持ち物")


async def test_a_native_event_that_is_over_is_followed_by_another_when_the_event_is_moved(rich: Bot) -> None:
    """Moved in the moment in which everything died; Discord changes none that is over."""
    event = await rich.event(start=rich.service.desk.now() + timedelta(minutes=20))
    start = rich.service.desk.now() + timedelta(hours=9)
    await rich.service.events.edit(await rich.host(AOI, event.event_id), Draft("もくもく会", start=start))
    rich.clock.advance(3 * 3600)
    now = await settled(rich, event)
    assert now.troubles == {}
    there = dict(await rich.local.things("scheduled-event"))
    assert set(there) == {event.scheduled_event_id, now.scheduled_event_id}
    assert datetime.fromisoformat(there[str(now.scheduled_event_id)]["scheduled_start_time"]) == start
    await rich.service.events.cancel(await rich.host(AOI, event.event_id))
    await settled(rich, event)
    assert [id for id, _ in await rich.local.things("scheduled-event")] == [event.scheduled_event_id]


async def test_a_native_event_called_off_by_hand_is_left_as_it_is(rich: Bot) -> None:
    """Discord will not have it deleted any more; there is nothing to take back, and nothing to mend."""
    event = await rich.event()
    [(id, native)] = await rich.local.things("scheduled-event")
    await rich.local.keep("scheduled-event", id, {**native, "status": 4})
    await rich.service.events.cancel(await rich.host(AOI, event.event_id))
    now = await settled(rich, event)
    assert (now.scheduled_event_id, now.troubles) == (None, {})


async def test_without_the_permission_organisers_read_that_it_stands_there_still(rich: Bot) -> None:
    event = await rich.event()
    rich.local.server.let(BOT_ROLE, deny=permissions.CREATE_EVENTS)
    await rich.service.events.cancel(await rich.host(AOI, event.event_id))
    now = await settled(rich, event)
    assert sentences(now.troubles) == [("mirror-permission", "403 (50013): Missing Permissions")]
    rich.local.server.let(BOT_ROLE, allow=permissions.CREATE_EVENTS)
    await rich.service.events.retry(await rich.host(AOI, event.event_id))
    now = await settled(rich, event)
    assert (now.scheduled_event_id, now.troubles, await rich.local.things("scheduled-event")) == (None, {}, [])


async def test_a_lost_answer_to_the_one_that_follows_does_not_make_two(rich: Bot) -> None:
    event = await rich.event(start=rich.service.desk.now() + timedelta(minutes=20))
    start = rich.service.desk.now() + timedelta(hours=9)
    await rich.service.events.edit(await rich.host(AOI, event.event_id), Draft("もくもく会", start=start))
    rich.clock.advance(3 * 3600)
    rich.local.faults.append(Fault("lost", 1, on="POST .*/scheduled-events"))
    for _ in range(4):
        await rich.work(30)
    now = await settled(rich, event)
    there = {id for id, _ in await rich.local.things("scheduled-event")}
    assert there == {event.scheduled_event_id, now.scheduled_event_id}
    assert len(there) == 2
