"""A notice's post follows the notice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import GUILD_ID, RECRUIT
from sekkei_systems.eventbot.design import Event, Notice, Status
from sekkei_systems.eventbot.ports.discord.rest import Rest
from sekkei_systems.eventbot.refusals import AlreadySo
from sekkei_systems.eventbot.rules.drafts import NewNotice
from sekkei_systems.eventbot.rules.identifiers import schedule_name
from sekkei_systems.eventbot.service.notices import Notices
from tests.systems.eventbot.conftest import AOI, MEI, REN, Bot


async def test_post_again_makes_another_post_within_the_minutes_of_the_nonce(quick: Bot) -> None:
    """Discord remembers the nonce of a message that was deleted, and would give its id back."""
    event = await quick.event()
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("集合", "21 時に"))
    await quick.work(6)
    first = (await quick.service.desk.notice(GUILD_ID, notice.notice_id)).notice_message_id
    assert first is not None
    await quick.local.delete(RECRUIT, first)
    await quick.service.notices.repost(await quick.host(AOI, notice.event_id), notice.notice_id)
    await quick.work(6)
    again = await quick.service.desk.notice(GUILD_ID, notice.notice_id)
    assert again.notice_message_id != first
    assert again.notice_message_id in {one.message_id for one, _ in await quick.posts()}


@pytest.mark.parametrize("lost", [False, True])
async def test_posted_again_a_notice_leaves_no_older_post_behind(quick: Bot, lost: bool) -> None:
    """Nor one whose answer was lost, which nobody knows of."""
    event = await quick.event()
    quick.local.faults += [Fault("lost", 1, on="POST .*/messages")] if lost else []
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("集合", "21 時に"))
    await quick.work(1)
    assert len(await quick.posts()) == 2
    await quick.service.notices.repost(await quick.host(AOI, event.event_id), notice.notice_id)
    await quick.calm()
    now = await quick.service.desk.notice(GUILD_ID, notice.notice_id)
    assert {one.message_id for one, _ in await quick.posts()} == {event.recruit_message_id, now.notice_message_id}
    assert now.replaced == frozenset()


async def test_of_two_who_have_a_notice_posted_again_at_once_one_does(
    quick: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = await quick.event()
    host = await quick.host(AOI, event.event_id)
    notice = await quick.service.notices.post(host, NewNotice("集合", "21 時に"))
    await quick.calm()
    read = await quick.service.desk.notice(GUILD_ID, notice.notice_id)
    await quick.service.notices.repost(host, notice.notice_id)

    async def as_read(*given: Any) -> Notice:
        return read

    monkeypatch.setattr(Notices, "of_host", as_read)
    with pytest.raises(AlreadySo):
        await quick.service.notices.repost(host, notice.notice_id)
    await quick.calm()
    assert len(await quick.posts()) == 2


async def _posted(bot: Bot, notice: Notice) -> dict[str, Any]:
    stored = await bot.service.desk.notice(GUILD_ID, notice.notice_id)
    bodies = {message.message_id: body for message, body in await bot.posts()}
    return bodies[str(stored.notice_message_id)]


async def _progress(bot: Bot, notice: Notice) -> str:
    return str((await _posted(bot, notice))["embeds"][0]["fields"][0]["value"]).partition("\n")[0]


@pytest.mark.parametrize("one_at_a_time", [True, False])
async def test_a_post_shows_how_many_of_those_who_take_part_now_have_confirmed(quick: Bot, one_at_a_time: bool) -> None:
    """Not only when somebody confirms: whoever joins has yet to, and whoever leaves need not."""
    await quick.service.guilds.change_settings(await quick.organiser(AOI), one_open_notice=one_at_a_time)
    event = await quick.event()
    await quick.service.joining.join(REN.actor, event.event_id)
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("集合", "21 時に"))
    await quick.work(6)
    await quick.service.notices.confirm(REN.actor, notice.notice_id)
    await quick.calm()
    assert await _progress(quick, notice) == "**1 / 1**"
    await quick.service.joining.join(MEI.actor, event.event_id)
    await quick.calm()
    assert await _progress(quick, notice) == "**1 / 2**"
    await quick.service.joining.leave(REN.actor, event.event_id)
    await quick.calm()
    assert await _progress(quick, notice) == "**0 / 1**"


async def test_what_changed_after_a_lost_answer_is_shown(quick: Bot) -> None:
    """Discord knows the nonce, and gives back the message as it was posted first."""
    event = await quick.event()
    quick.local.faults.append(Fault("lost", 1, on="POST .*/messages"))
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("集合", "21 時に"))
    await quick.work(1)
    assert len(await quick.posts()) == 2
    await quick.service.notices.close(await quick.host(AOI, event.event_id), notice.notice_id)
    await quick.calm()
    [confirm, _] = (await _posted(quick, notice))["components"][0]["components"]
    assert confirm["disabled"] is True
    assert len(await quick.posts()) == 2


async def test_an_edit_that_misses_the_deleted_post_does_not_undo_that_it_is_posted_again(
    quick: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = await quick.event()
    host = await quick.host(AOI, event.event_id)
    await quick.service.joining.join(REN.actor, event.event_id)
    notice = await quick.service.notices.post(host, NewNotice("集合", "21 時に"))
    await quick.calm()
    first = (await quick.service.desk.notice(GUILD_ID, notice.notice_id)).notice_message_id
    await quick.local.delete(RECRUIT, str(first))
    sound = Rest.edit

    async def edit(self: Rest, channel_id: str, message_id: str, message: Any) -> None:
        if message_id == first:
            monkeypatch.setattr(Rest, "edit", sound)
            await quick.service.notices.repost(host, notice.notice_id)
        await sound(self, channel_id, message_id, message)

    monkeypatch.setattr(Rest, "edit", edit)
    await quick.service.notices.confirm(REN.actor, notice.notice_id)
    await quick.calm()
    assert (await quick.service.desk.notice(GUILD_ID, notice.notice_id)).delivery_error is None
    assert await _progress(quick, notice) == "**1 / 1**"


@pytest.mark.parametrize("one_at_a_time", [True, False])
async def test_the_start_closes_every_notice(quick: Bot, one_at_a_time: bool) -> None:
    await quick.service.guilds.change_settings(await quick.organiser(AOI), one_open_notice=one_at_a_time)
    event = await quick.event(start=quick.service.desk.now() + timedelta(minutes=20))
    host, titles = await quick.host(AOI, event.event_id), ("集合",) if one_at_a_time else ("集合", "持ち物")
    posted = [await quick.service.notices.post(host, NewNotice(title, "文")) for title in titles]
    await quick.calm()
    await quick.work(20 * 60)
    await quick.calm()
    now = [await quick.service.desk.notice(GUILD_ID, one.notice_id) for one in posted]
    assert {one.status for one in now} == {Status.CLOSED}


@pytest.mark.parametrize("one_at_a_time", [True, False])
@pytest.mark.parametrize("planned", [True, False])
async def test_the_start_closes_every_notice_although_nothing_ran_then(
    quick: Bot, one_at_a_time: bool, planned: bool
) -> None:
    """Whoever settles the event first, of what has begun meanwhile, leaves the start to be carried out."""
    await quick.service.guilds.change_settings(await quick.organiser(AOI), one_open_notice=one_at_a_time)
    event = await quick.event(start=quick.service.desk.now() + timedelta(minutes=20))
    host = await quick.host(AOI, event.event_id)
    notice = await quick.service.notices.post(host, NewNotice("集合", "文"))
    await quick.service.events.close(host)
    await quick.calm()
    if not planned:
        await quick.service.desk.schedules.delete(schedule_name(event.event_id, "s"))
        await quick.service.events.scheduled(event, {})
    quick.clock.advance(20 * 60)
    await settle(quick, event)
    await quick.calm()
    assert (await quick.service.desk.notice(GUILD_ID, notice.notice_id)).status is Status.CLOSED


@pytest.mark.parametrize("one_at_a_time", [True, False])
async def test_what_is_posted_after_the_start_stays_open(quick: Bot, one_at_a_time: bool) -> None:
    await quick.service.guilds.change_settings(await quick.organiser(AOI), one_open_notice=one_at_a_time)
    event = await quick.event(start=quick.service.desk.now() + timedelta(minutes=20))
    await quick.work(20 * 60)
    await quick.calm()
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("お礼", "文"))
    await quick.calm()
    await settle(quick, event)
    await quick.calm()
    assert (await quick.service.desk.notice(GUILD_ID, notice.notice_id)).status is Status.OPEN


async def settle(bot: Bot, event: Event) -> None:
    """Before anything else that is due."""
    job = bot.client.shell.deployment.systems["eventbot"].parts.scheduled["settle-event"]
    await job({"guild_id": GUILD_ID, "event_id": event.event_id})


async def test_a_post_that_waits_for_its_rate_has_its_notices_drawn_once(quick: Bot) -> None:
    """Drawn at each of its tries they take what is left of the rate, and it is never its turn."""
    event = await quick.event(start=quick.service.desk.now() + timedelta(hours=9))
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("題", "文"))
    await quick.calm()
    posted = (await quick.service.desk.notice(GUILD_ID, notice.notice_id)).notice_message_id
    quick.local.log.clear()
    quick.local.faults.append(Fault("rate", 5, on=f"PATCH .*/{event.recruit_message_id}"))
    await quick.service.joining.join(REN.actor, event.event_id)
    await quick.calm()
    drawn = [one["path"].rpartition("/")[2] for one in reversed(quick.local.log) if one["method"] == "PATCH"]
    assert drawn == [event.recruit_message_id] * 6 + [posted]
    assert await _progress(quick, notice) == "**0 / 1**"


async def test_an_answer_that_comes_after_the_closing_does_not_open_the_post(quick: Bot) -> None:
    """Discord draws a post anew by what a press is answered with: what was read before the closing may arrive after."""
    event = await quick.event()
    await quick.service.joining.join(REN.actor, event.event_id)
    host = await quick.host(AOI, event.event_id)
    notice = await quick.service.notices.post(host, NewNotice("集合", "21 時に"))
    await quick.calm()
    while_open = await _posted(quick, notice)
    await quick.service.notices.confirm(REN.actor, notice.notice_id)
    await quick.service.notices.close(host, notice.notice_id)
    await quick.work(0.1)
    closed = await _posted(quick, notice)
    assert closed != while_open
    stored = await quick.service.desk.notice(GUILD_ID, notice.notice_id)
    (post,) = [one for one, _ in await quick.posts() if one.message_id == stored.notice_message_id]
    await quick.local.edit(post, while_open)
    await quick.calm()
    assert await _posted(quick, notice) == closed
