"""What is deleted takes with it what it gave."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import ATTENDEE_ROLE, BOT_ROLE, GUILD_ID, RECRUIT
from sekkei_systems.eventbot.design import Event, acks_of_notice, holders_of_role, notices
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.ports.discord.rest import Rest
from sekkei_systems.eventbot.refusals import NoticeClosed
from sekkei_systems.eventbot.rules.drafts import Draft, NewNotice
from sekkei_systems.eventbot.rules.identifiers import schedule_name
from sekkei_systems.eventbot.service.desk import SETTLE_ROWS
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
    rich.local.server.let(BOT_ROLE, deny=permissions.Permission.MANAGE_ROLES)
    await rich.press(AOI, event, "deleteyes")
    for _ in range(4):
        await rich.work(6)
    assert await rich.service.events.of_guild(GUILD_ID) == []
    assert await rich.service.desk.db.all(holders_of_role(GUILD_ID, ATTENDEE_ROLE)) == []


async def test_what_is_posted_while_an_event_is_deleted_goes_too(quick: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The organiser had it posted again a moment before, or after, it was to go."""
    event = await quick.event()
    sound, settle = Rest.delete, quick.client.shell.deployment.systems["eventbot"].parts.scheduled["settle-event"]

    async def delete(self: Rest, channel_id: str, message_id: str) -> None:
        await sound(self, channel_id, message_id)
        if message_id == event.recruit_message_id:
            await quick.service.events.repost(await quick.host(AOI, event.event_id))
            await settle({"guild_id": GUILD_ID, "event_id": event.event_id})

    monkeypatch.setattr(Rest, "delete", delete)
    await quick.press(AOI, event, "deleteyes")
    await quick.calm()
    assert await quick.service.events.all_of_guild(GUILD_ID) == []
    assert [body for message, body in await quick.posts() if message.seen_by is None] == []


async def test_nobody_confirms_what_is_being_deleted(quick: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    event = await quick.event()
    await quick.service.joining.join(REN.actor, event.event_id)
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("題", "文"))
    await quick.calm()
    sound = Rest.delete

    async def delete(self: Rest, channel_id: str, message_id: str) -> None:
        if message_id != event.recruit_message_id:
            with pytest.raises(NoticeClosed):
                await quick.service.notices.confirm(REN.actor, notice.notice_id)
        await sound(self, channel_id, message_id)

    monkeypatch.setattr(Rest, "delete", delete)
    await quick.press(AOI, event, "deleteyes")
    await quick.calm()
    assert await quick.service.desk.db.all(acks_of_notice(GUILD_ID, notice.notice_id)) == []
    assert [body for message, body in await quick.posts() if message.seen_by is None] == []


async def test_a_notice_whose_post_was_on_its_way_is_not_left_behind(
    quick: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Discord is slower than the removal: whoever posted it has nothing to write the message down in."""
    event = await quick.event()
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("題", "文"))
    sound = Rest.post

    async def post(self: Rest, channel_id: str, message: Any) -> str:
        id = await sound(self, channel_id, message)
        await quick.service.desk.db.write(notices.delete(GUILD_ID, notice.notice_id))
        return id

    monkeypatch.setattr(Rest, "post", post)
    await quick.work(6)
    assert [message.message_id for message, _ in await quick.posts()] == [event.recruit_message_id]


async def _left(bot: Bot) -> list[dict[str, Any]]:
    return [body for message, body in await bot.posts() if message.seen_by is None]


async def _delete(bot: Bot, event: Event) -> None:
    uuid = event.event_id.partition("#")[2]
    panel = await bot.app.command(AOI, RECRUIT, "event manage", {"event": uuid})
    await bot.app.press(AOI, RECRUIT, str(panel.message_id), f"e1:deleteyes:{uuid}")
    await bot.calm()
    assert await bot.service.events.all_of_guild(GUILD_ID) == []


async def test_a_message_that_discord_could_not_delete_just_then_goes_later(quick: Bot) -> None:
    event = await quick.event()
    await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("題", "文"))
    await quick.calm()
    quick.local.faults.append(Fault("error", 5, on="DELETE .*/messages"))
    await _delete(quick, event)
    assert await _left(quick) == []


async def test_posts_whose_answers_were_lost_go_too(quick: Bot) -> None:
    """Nobody has their ids; Discord gives them back for the nonce."""
    quick.local.faults.append(Fault("lost", 3, on="POST .*/messages"))
    start = quick.service.desk.now() + timedelta(hours=5)
    event = await quick.service.events.create(await quick.creator(AOI), Draft("会", start=start), RECRUIT)
    await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("題", "文"))
    await quick.work(1)
    assert len(await _left(quick)) > 0
    await _delete(quick, event)
    assert await _left(quick) == []


async def test_a_native_event_whose_answer_was_lost_goes_too(rich: Bot) -> None:
    rich.local.faults.append(Fault("lost", 1, on="POST .*/scheduled-events"))
    start = rich.service.desk.now() + timedelta(hours=5)
    event = await rich.service.events.create(await rich.creator(AOI), Draft("会", start=start), RECRUIT)
    await rich.work(1)
    assert len(await rich.local.things("scheduled-event")) == 1
    await rich.service.events.cancel(await rich.host(AOI, event.event_id))
    await rich.calm()
    assert await rich.local.things("scheduled-event") == []


async def test_a_notice_that_was_never_posted_is_not_posted_to_be_deleted(quick: Bot) -> None:
    event = await quick.event()
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("題", "文"))
    for row in SETTLE_ROWS:  # whoever would have posted it is not there
        await quick.service.desk.soon.delete(schedule_name(notice.notice_id, row))
    quick.local.log.clear()
    await _delete(quick, event)
    asked = [(one["method"], one["path"]) for one in quick.local.log]
    assert [one for one in asked if one[0] == "POST" and one[1].endswith(f"{RECRUIT}/messages")] == []


async def test_what_was_posted_before_goes_with_what_is_deleted(quick: Bot) -> None:
    """Deleted between being asked to post again and doing it."""
    event = await quick.event()
    host = await quick.host(AOI, event.event_id)
    notice = await quick.service.notices.post(host, NewNotice("題", "文"))
    await quick.calm()
    assert len(await _left(quick)) == 2
    await quick.service.notices.repost(host, notice.notice_id)
    await quick.service.events.repost(await quick.host(AOI, event.event_id))
    for id in (event.event_id, notice.notice_id):
        for row in SETTLE_ROWS:
            await quick.service.desk.soon.delete(schedule_name(id, row))
    await _delete(quick, event)
    assert await _left(quick) == []
