"""Reminders ring once, in order, and where they can be read."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import GUILD_ID, NOTICES, RECRUIT, Person
from sekkei_systems.eventbot.design import Event, Notice, direct_reminders
from sekkei_systems.eventbot.jobs.reminders import Reminders
from sekkei_systems.eventbot.rules.drafts import Details, Draft, NewNotice
from sekkei_systems.eventbot.rules.render import sentences
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, Bot, settled, somebody


async def test_a_notice_reminds_only_those_who_have_not_confirmed(quick: Bot) -> None:
    event = await quick.event(start=quick.service.desk.now() + timedelta(hours=8))
    for person in (REN, MEI, SOTA):
        await quick.service.joining.join(person.actor, event.event_id)
    remind_at = quick.service.desk.now() + timedelta(hours=1)
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("題", "文", remind_at))
    await quick.work()
    assert (
        await quick.service.desk.notice(GUILD_ID, notice.notice_id)
    ).remind_schedule_name == f"ntc-{notice.notice_id[4:]}-r"
    await quick.service.notices.confirm(MEI.actor, notice.notice_id)
    await quick.work(3600)
    calls = [body for _, body in await quick.posts() if "まだ確認していない" in body.get("content", "")]
    assert [sorted(call["allowed_mentions"]["users"]) for call in calls] == [[REN.id, SOTA.id]]


async def test_a_thread_that_is_gone_is_made_good_by_the_notice_channel(rich: Bot) -> None:
    await rich.service.guilds.change_settings(await rich.organiser(AOI), notice_channel_id=NOTICES)
    event = await rich.event(start=rich.service.desk.now() + timedelta(hours=3))
    await rich.service.joining.join(REN.actor, event.event_id)
    await settled(rich, event)
    assert event.thread_id is not None
    await rich.local.forget("thread", event.thread_id)
    await rich.work(2 * 3600)
    for _ in range(3):
        await rich.work(6)
    [(message, _)] = await rich.posts(NOTICES)
    assert message.pinged == [REN.id]
    now = await rich.service.events.get(GUILD_ID, event.event_id)
    assert "10003" in now.troubles["reminder"]


async def test_a_locked_thread_is_made_good_by_the_notice_channel(rich: Bot) -> None:
    await rich.service.guilds.change_settings(await rich.organiser(AOI), notice_channel_id=NOTICES)
    event = await rich.event(start=rich.service.desk.now() + timedelta(hours=3))
    await rich.service.joining.join(REN.actor, event.event_id)
    event = await settled(rich, event)
    thread = await rich.local.thing("thread", str(event.thread_id))
    assert thread is not None
    await rich.local.keep("thread", str(event.thread_id), {**thread, "locked": True})
    await rich.work(2 * 3600)
    for _ in range(3):
        await rich.work(6)
    [(message, _)] = await rich.posts(NOTICES)
    assert message.pinged == [REN.id]
    now = await rich.service.events.get(GUILD_ID, event.event_id)
    assert sentences(now.troubles) == [("reminder-thread", "400 (160005): Thread is locked")]


async def test_more_people_than_fit_are_rung_in_order_text_first(quick: Bot) -> None:
    people = [somebody(number) for number in range(170)]
    event = await quick.event(start=quick.service.desk.now() + timedelta(hours=3))
    for one in people:
        await quick.service.joining.join(one.actor, event.event_id)
    quick.local.faults.append(Fault("lost", 1, on="POST .*/messages"))
    await quick.work(2 * 3600)
    for _ in range(12):
        await quick.work(30)
    calls = [message for message, body in await quick.posts() if message.pinged]
    assert [len(one.pinged) for one in calls] == [80, 80, 10]
    assert "まもなく" in calls[0].body
    assert {user for one in calls for user in one.pinged} == {one.id for one in people}


async def test_several_reminders_each_once(quick: Bot) -> None:
    start = quick.service.desk.now().replace(hour=21)
    event = await quick.event(start=start)
    await quick.service.joining.join(REN.actor, event.event_id)
    hours = (3, 2, 1)
    first, *rest = (start - timedelta(hours=one) for one in hours)
    details = Details(remind_at=first, further=tuple(rest))
    await quick.service.events.set_details(await quick.host(AOI, event.event_id), details)
    seen = []
    for _ in range(24):
        await quick.work(900)
        reminded = await quick.posts(RECRUIT)
        seen.append(sum("まもなく始まります" in body["content"] for _, body in reminded))
    assert sorted(set(seen)) == [0, 1, 2, 3]
    now = await quick.service.events.get(GUILD_ID, event.event_id)
    for at in (now.event_remind_at, *rest):
        assert at is not None
        payload = {"guild_id": GUILD_ID, "event_id": event.event_id, "at": at.isoformat()}
        await Reminders(quick.service.desk, quick.service.notices).remind_event(
            payload
        )  # the scheduler fires once more
    await quick.work()
    assert sum("まもなく始まります" in body["content"] for _, body in await quick.posts(RECRUIT)) == 3


async def test_direct_messages_go_to_those_who_want_them_and_take_them(quick: Bot) -> None:
    for person in (REN, MEI):
        said = await quick.app.command(person, RECRUIT, "event notify", {"dm": True})
        assert "DM" in said.response["data"]["content"]
    quick.local.server.closed_to_bots.add(MEI.id)
    start = quick.service.desk.now().replace(hour=21)
    event = await quick.event(start=start)
    for person in (REN, MEI, SOTA):
        await quick.service.joining.join(person.actor, event.event_id)
    await quick.work((start - quick.service.desk.now()).total_seconds() - 3600)
    for _ in range(4):
        await quick.work(6)
    direct = {body["recipient"]: id for id, body in await quick.local.things("direct")}
    assert [len(await quick.posts_of(direct[who.id])) for who in (REN, MEI)] == [1, 0]
    assert SOTA.id not in direct
    left = await quick.service.desk.db.all(direct_reminders(GUILD_ID))
    assert [one.user_id for one in left] == [REN.id], "whoever takes none is not asked again"
    rung = [one for one, body in await quick.posts(RECRUIT) if "まもなく始まります" in body["content"]]
    assert sorted(rung[0].pinged) == sorted([REN.id, MEI.id, SOTA.id]), "the channel hears of it all the same"


@pytest.mark.parametrize("code", [50278, 10013, 50009])
async def test_whoever_cannot_be_reached_keeps_no_other_from_being_reminded(quick: Bot, code: int) -> None:
    """They left the server, or Discord, or Discord will not have it for a reason of which nobody knows."""
    for person in (REN, MEI, SOTA):
        await quick.app.command(person, RECRUIT, "event notify", {"dm": True})
    event = await quick.event(start=quick.service.desk.now() + timedelta(hours=3))
    for person in (REN, MEI, SOTA):
        await quick.service.joining.join(person.actor, event.event_id)
    if code == 50278:
        del quick.local.server.members[REN.id]
    else:
        await quick.local.keep("direct", "77", {"recipient": REN.id})
        quick.local.faults.append(Fault("refused", 99, on="POST /channels/77/messages", code=code))
    await quick.work(2 * 3600)
    for _ in range(4):
        await quick.work(6)
    direct = {body["recipient"]: id for id, body in await quick.local.things("direct")}
    assert [len(await quick.posts_of(direct[who.id])) for who in (MEI, SOTA)] == [1, 1]
    left = {one.user_id for one in await quick.service.desk.db.all(direct_reminders(GUILD_ID))}
    assert left == {MEI.id, SOTA.id} | ({REN.id} if code == 50009 else set())


async def _reminder_that_waits(bot: Bot, *people: Person, hours: int = 3) -> Event:
    """Due, and in the outbox; Discord is out of order just then."""
    event = await bot.event(start=bot.service.desk.now() + timedelta(hours=hours))
    for person in people:
        await bot.service.joining.join(person.actor, event.event_id)
    await bot.calm()
    bot.local.faults.append(Fault("error", 3, on="POST .*/messages"))
    start = (event.event_start_at or bot.service.desk.now()).timestamp()
    await bot.work(start - 3600 + 1 - bot.clock.now())
    assert (await bot.service.events.get(GUILD_ID, event.event_id)).reminded_at is not None
    assert await _reminders(bot) == []
    return event


async def _reminders(bot: Bot, channel: str = RECRUIT) -> list[list[str]]:
    found = [(message, body.get("content") or "") for message, body in await bot.posts_of(channel)]
    return [sorted(message.pinged) for message, text in found if "まもなく始まります" in text]


async def test_what_waits_in_the_outbox_is_said(quick: Bot) -> None:
    await _reminder_that_waits(quick, REN, MEI)
    await quick.calm()
    assert await _reminders(quick) == [sorted([REN.id, MEI.id])]


async def test_nobody_is_reminded_of_what_was_called_off_meanwhile(quick: Bot) -> None:
    await quick.app.command(REN, RECRUIT, "event notify", {"dm": True})
    event = await _reminder_that_waits(quick, REN)
    await quick.service.events.cancel(await quick.host(AOI, event.event_id))
    await quick.calm()
    assert await _reminders(quick) == []
    for channel, _ in await quick.local.things("direct"):
        assert await _reminders(quick, channel) == []
    assert sum("中止になりました" in body["content"] for _, body in await quick.posts()) == 1


async def test_nobody_is_reminded_of_what_was_moved_or_deleted_meanwhile(quick: Bot) -> None:
    """The reminder names the time at which it was to begin."""
    moved = await _reminder_that_waits(quick, REN)
    later = quick.service.desk.now() + timedelta(hours=8)
    await quick.service.events.edit(await quick.host(AOI, moved.event_id), Draft(moved.title, start=later))
    gone = await _reminder_that_waits(quick, REN)
    await quick.press(AOI, gone, "deleteyes")
    await quick.calm()
    assert await _reminders(quick) == []


async def test_nobody_is_told_that_it_begins_soon_when_it_has_begun(quick: Bot) -> None:
    await _reminder_that_waits(quick, REN)
    quick.clock.advance(2 * 3600)
    await quick.calm()
    assert await _reminders(quick) == []


async def test_whoever_left_meanwhile_is_not_rung(quick: Bot) -> None:
    for person in (REN, MEI):
        await quick.app.command(person, RECRUIT, "event notify", {"dm": True})
    event = await _reminder_that_waits(quick, REN, MEI)
    await quick.service.joining.leave(MEI.actor, event.event_id)
    await quick.calm()
    assert await _reminders(quick) == [[REN.id]]
    assert MEI.id not in str([body["content"] for _, body in await quick.posts() if "まもなく" in body["content"]])
    direct = {body["recipient"]: id for id, body in await quick.local.things("direct")}
    assert len(await _reminders(quick, direct[REN.id])) == 1
    assert MEI.id not in direct


async def test_of_many_those_after_the_first_message_are_not_rung_in_vain(quick: Bot) -> None:
    """A message that would ring nobody and say nothing is left out; those after it go out."""
    people = [somebody(number) for number in range(170)]
    event = await _reminder_that_waits(quick, *people)
    for one in people[80:160]:
        await quick.service.joining.leave(one.actor, event.event_id)
    await quick.calm()
    rung = [message.pinged for message, _ in await quick.posts_of(RECRUIT) if message.pinged]
    assert [len(one) for one in rung] == [80, 10]


async def _notice_reminder_that_waits(bot: Bot, event: Event, *people: Person) -> Notice:
    for person in people:
        await bot.service.joining.join(person.actor, event.event_id)
    remind_at = bot.service.desk.now() + timedelta(minutes=10)
    notice = await bot.service.notices.post(await bot.host(AOI, event.event_id), NewNotice("題", "文", remind_at))
    await bot.calm()
    bot.local.faults.append(Fault("error", 3, on="POST .*/messages"))
    await bot.work(remind_at.timestamp() + 1 - bot.clock.now())
    assert (await bot.service.desk.notice(GUILD_ID, notice.notice_id)).reminded_at is not None
    assert await _asked_to_confirm(bot) == []
    return notice


async def _asked_to_confirm(bot: Bot) -> list[list[str]]:
    return [sorted(one.pinged) for one, body in await bot.posts() if "まだ確認していない" in body.get("content", "")]


async def test_whoever_confirms_meanwhile_is_not_reminded_to(quick: Bot) -> None:
    event = await quick.event()
    notice = await _notice_reminder_that_waits(quick, event, REN, MEI)
    await quick.service.notices.confirm(MEI.actor, notice.notice_id)
    await quick.calm()
    assert await _asked_to_confirm(quick) == [[REN.id]]


@pytest.mark.parametrize("ended", ["closed", "called off", "deleted", "confirmed"])
async def test_nobody_is_reminded_of_a_notice_that_ended_meanwhile(quick: Bot, ended: str) -> None:
    event = await quick.event()
    notice = await _notice_reminder_that_waits(quick, event, REN)
    host = await quick.host(AOI, event.event_id)
    match ended:
        case "closed":
            await quick.service.notices.close(host, notice.notice_id)
        case "called off":
            await quick.service.events.cancel(host)
        case "deleted":
            await quick.press(AOI, event, "deleteyes")
        case "confirmed":
            await quick.service.notices.confirm(REN.actor, notice.notice_id)
    await quick.calm()
    assert await _asked_to_confirm(quick) == []
