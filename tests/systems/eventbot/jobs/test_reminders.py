"""Reminders ring once, in order, and where they can be read."""

from __future__ import annotations

from datetime import timedelta

from sekkei_systems.eventbot.local.discord import Fault
from sekkei_systems.eventbot.local.world import GUILD_ID, NOTICES
from sekkei_systems.eventbot.service import NewNotice
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
