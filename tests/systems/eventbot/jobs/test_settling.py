"""Discord is brought in line with what is stored."""

from __future__ import annotations

from datetime import timedelta

from sekkei_systems.eventbot.design import Event, events
from sekkei_systems.eventbot.local.discord import Fault
from sekkei_systems.eventbot.local.world import ATTENDEE_ROLE, GUILD_ID, RECRUIT
from tests.systems.eventbot.conftest import AOI, MEI, REN, START, Bot


async def test_a_permission_that_comes_back_is_used(quick: Bot) -> None:
    """What was forbidden for a while is edited again at the next change, without anybody asking."""
    from sekkei_systems.eventbot.local.discord import Fault

    made = await quick.event(start=quick.service.desk.now() + timedelta(hours=9))
    quick.local.faults.append(Fault("forbidden", 1))
    await quick.service.joining.join(REN.actor, made.event_id)
    await quick.work(6)
    assert (await quick.service.events.get(made.guild_id, made.event_id)).delivery_error is not None
    await quick.service.joining.join(AOI.actor, made.event_id)
    await quick.work(6)
    now = await quick.service.events.get(made.guild_id, made.event_id)
    assert now.delivery_error is None
    assert now.recruit_message_id == made.recruit_message_id
    assert quick.clock.now() > START


async def test_what_discord_forbids_is_shown_and_can_be_posted_again(quick: Bot) -> None:
    quick.local.faults.append(Fault("forbidden", 1))
    event = await quick.event()
    assert event.recruit_message_id is None
    assert "50013" in (event.delivery_error or "")
    panel = await quick.app.command(AOI, RECRUIT, "event manage", {"event": event.event_id[4:]})
    assert "投稿に失敗" in panel.response["data"]["content"]
    await quick.service.events.repost(AOI.actor, event.event_id)
    await quick.work(6)
    now = await quick.service.events.get(GUILD_ID, event.event_id)
    assert now.delivery_error is None
    assert now.recruit_message_id is not None


async def test_a_deleted_message_is_noticed_and_posted_anew_on_request(quick: Bot) -> None:
    event = await quick.event()
    quick.local.faults.append(Fault("gone", 1))
    await quick.service.joining.join(REN.actor, event.event_id)
    await quick.work(6)
    assert "10008" in ((await quick.service.events.get(GUILD_ID, event.event_id)).delivery_error or "")
    await quick.service.events.repost(AOI.actor, event.event_id)
    await quick.work(6)
    again = await quick.service.events.get(GUILD_ID, event.event_id)
    assert again.recruit_message_id not in (None, event.recruit_message_id)


async def test_thread_role_and_native_event(quick: Bot) -> None:
    await quick.service.guilds.change_settings(
        AOI.actor, make_thread=True, mirror_events=True, attendee_role_id=ATTENDEE_ROLE
    )
    event = await quick.event()
    assert event.thread_id is not None
    [(mirrored, native)] = await quick.local.things("scheduled-event")
    assert (mirrored, native["name"]) == (event.scheduled_event_id, event.title)
    for person in (REN, MEI):
        await quick.service.joining.join(person.actor, event.event_id)
    await quick.work(6)
    assert {id for id, _ in await quick.local.things("role")} == {
        f"{REN.id}/{ATTENDEE_ROLE}",
        f"{MEI.id}/{ATTENDEE_ROLE}",
    }
    await quick.service.joining.leave(REN.actor, event.event_id)
    await quick.work(6)
    assert {id for id, _ in await quick.local.things("role")} == {f"{MEI.id}/{ATTENDEE_ROLE}"}
    await quick.service.events.cancel(AOI.actor, event.event_id)
    await quick.work(6)
    assert await quick.local.things("scheduled-event") == []


async def test_while_somebody_edits_a_message_nobody_else_does(quick: Bot) -> None:
    event = await quick.event()
    held = quick.service.desk.now() + timedelta(seconds=20)
    await quick.service.desk.db.write(
        events.update(GUILD_ID, event.event_id).set(Event.editing_until, held).keeping_version()
    )
    before = len(quick.local.log)
    await quick.service.joining.join(REN.actor, event.event_id)
    await quick.work(2)
    assert len(quick.local.log) == before
    await quick.work(30)  # the lease of whoever died has run out
    assert quick.local.log[0]["method"] == "PATCH"
