"""Discord is brought in line with what is stored."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import ATTENDEE_ROLE, BOT_ROLE, GUILD_ID, RECRUIT
from sekkei_systems.eventbot.design import Event, events
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.ports.discord.rest import Rest
from sekkei_systems.eventbot.rules.drafts import Draft
from sekkei_systems.eventbot.rules.identifiers import schedule_name
from sekkei_systems.eventbot.rules.render import sentences
from sekkei_systems.eventbot.service.desk import SOON
from tests.systems.eventbot.conftest import AOI, MEI, REN, START, Bot, settled, somebody


async def test_a_permission_that_comes_back_is_used(quick: Bot) -> None:
    """What was forbidden for a while is edited again at the next change, without anybody asking."""
    from sekkei_fakes.discord.discord import Fault

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
    assert "権限がありません" in panel.response["data"]["content"]
    await quick.service.events.repost(await quick.host(AOI, event.event_id))
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
    await quick.service.events.repost(await quick.host(AOI, event.event_id))
    await quick.work(6)
    again = await quick.service.events.get(GUILD_ID, event.event_id)
    assert again.recruit_message_id not in (None, event.recruit_message_id)


async def _posted(bot: Bot) -> list[str]:
    return [message.message_id for message, _ in await bot.posts() if message.seen_by is None]


async def test_posted_again_it_leaves_no_older_post_behind(quick: Bot) -> None:
    """Somebody asks for it although the old one is still there: people would press what is never drawn anew."""
    event = await quick.event()
    await quick.service.events.repost(await quick.host(AOI, event.event_id))
    now = await settled(quick, event)
    assert now.recruit_message_id != event.recruit_message_id
    assert await _posted(quick) == [now.recruit_message_id]
    assert now.replaced == frozenset()


async def test_the_older_post_stays_until_there_is_another(quick: Bot) -> None:
    event = await quick.event()
    quick.local.faults.append(Fault("forbidden", 1, on="POST .*/messages"))
    await quick.service.events.repost(await quick.host(AOI, event.event_id))
    await settled(quick, event)
    assert await _posted(quick) == [event.recruit_message_id]
    await quick.service.joining.join(REN.actor, event.event_id)
    now = await settled(quick, event)
    assert now.recruit_message_id is not None
    assert await _posted(quick) == [now.recruit_message_id]


async def test_an_older_post_that_cannot_be_deleted_just_then_goes_later(quick: Bot) -> None:
    event = await quick.event()
    quick.local.faults.append(Fault("error", 3, on="DELETE .*/messages"))
    await quick.service.events.repost(await quick.host(AOI, event.event_id))
    await quick.calm()
    now = await quick.service.events.get(GUILD_ID, event.event_id)
    assert await _posted(quick) == [now.recruit_message_id]


async def test_a_post_whose_answer_was_lost_is_not_posted_beside(quick: Bot) -> None:
    """Nobody has its id; asked for again under the same mark, Discord gives it back."""
    quick.local.faults.append(Fault("lost", 1, on="POST .*/messages"))
    start = quick.service.desk.now() + timedelta(hours=5)
    event = await quick.service.events.create(await quick.creator(AOI), Draft("会", start=start), RECRUIT)
    await quick.work(1)
    assert len(await _posted(quick)) == 1
    await quick.service.events.repost(await quick.host(AOI, event.event_id))
    await quick.calm()
    now = await quick.service.events.get(GUILD_ID, event.event_id)
    assert await _posted(quick) == [now.recruit_message_id]


async def test_thread_role_and_native_event(quick: Bot) -> None:
    await quick.service.guilds.change_settings(
        await quick.organiser(AOI), make_thread=True, mirror_events=True, attendee_role_id=ATTENDEE_ROLE
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
    await quick.service.events.cancel(await quick.host(AOI, event.event_id))
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


async def test_an_emoji_that_the_server_lost_is_told_and_can_be_changed(quick: Bot) -> None:
    """Discord takes only those of servers that the bot is in, and says 50035: trying again alone does not help."""
    quick.local.server.emojis |= {"880000000000000001", "870000000000000001"}
    values = {"title": "レイド", "start": "明日 21時"}
    assert (await quick.app.submit(AOI, RECRUIT, "e1:create:", values)).ok
    [event] = await quick.service.events.of_guild(GUILD_ID)
    wanted = {"options": "<:tank:870000000000000001> Tank 1"}
    await quick.app.submit(AOI, RECRUIT, f"e1:options:{event.event_id[4:]}", wanted)
    quick.local.server.emojis.remove("870000000000000001")
    await quick.calm()
    now = await quick.service.events.get(GUILD_ID, event.event_id)
    assert "Invalid emoji" in (now.delivery_error or "")
    pressed = await quick.press(REN, now, "maybe")
    assert pressed.response["type"] == 4, "a picture with it in an answer would be refused as well"
    panel = await quick.app.command(AOI, RECRUIT, "event manage", {"event": event.event_id[4:]})
    assert "Invalid emoji" in panel.response["data"]["content"]
    await quick.app.submit(
        AOI, RECRUIT, f"e1:options:{event.event_id[4:]}", {"options": "<:tank:880000000000000001> Tank 1"}
    )
    now = await settled(quick, event)
    assert now.delivery_error is None
    assert "880000000000000001" in str([body for _, body in await quick.posts()])


@pytest.mark.parametrize("code", [10003, 10004, 10008, 40005, 50001, 50005, 50006, 50013, 50035, 50083, 160005])
async def test_whatever_a_post_is_refused_for_is_told(quick: Bot, code: int) -> None:
    quick.local.faults.append(Fault("refused", 1, on="POST .*/messages", code=code))
    event = await quick.event()
    assert f"({code})" in (event.delivery_error or "")
    assert event.recruit_message_id is None


async def test_a_stream_of_joins_without_an_end_does_not_put_the_edit_off(quick: Bot) -> None:
    event = await quick.event(start=quick.service.desk.now() + timedelta(hours=9))
    for number in range(40):
        await quick.service.joining.join(somebody(number).actor, event.event_id)
        await quick.work(0.5)
    edits = [one for one in quick.local.log if one["method"] == "PATCH"]
    assert 3 <= len(edits) <= 10, "in twenty seconds: every few of them, and not with every join"
    [(_, body)] = await quick.posts()
    assert somebody(25).id in str(body), "what is shown is seconds old at most"


# Message, thread, native event and role: what one of them is refused is no matter of the others


@pytest.mark.parametrize(
    ("denied", "trouble"),
    [
        (permissions.Permission.CREATE_PUBLIC_THREADS, "thread"),
        (permissions.Permission.CREATE_EVENTS, "mirror"),
        (permissions.Permission.MANAGE_ROLES, "role"),
    ],
)
async def test_a_missing_permission_stops_its_own_step(rich: Bot, denied: int, trouble: str) -> None:
    rich.local.server.let(BOT_ROLE, deny=denied)
    event = await rich.event()
    await rich.service.joining.join(REN.actor, event.event_id)
    now = await settled(rich, event)
    assert now.troubles.keys() == {trouble}
    assert now.delivery_error is None
    done = {
        "thread": now.thread_id is not None,
        "mirror": now.scheduled_event_id is not None,
        "role": REN.id in await rich.local.holders(ATTENDEE_ROLE),
    }
    assert done == {name: name != trouble for name in done}
    shown = {one.message_id: body for one, body in await rich.posts()}
    assert REN.id in str(shown[str(now.recruit_message_id)])
    asked = len(rich.local.log)
    await rich.service.joining.join(MEI.actor, event.event_id)
    await settled(rich, event)
    paths = {"thread": "/threads", "mirror": "/scheduled-events", "role": "/roles/"}
    again = [one for one in list(rich.local.log)[: len(rich.local.log) - asked] if paths[trouble] in one["path"]]
    assert again == [], "what was refused is asked for again only when somebody says so"
    rich.local.server.let(BOT_ROLE, allow=denied)
    await rich.service.events.retry(await rich.host(AOI, event.event_id))
    assert (await settled(rich, event)).troubles == {}


async def test_a_deleted_role_stops_nothing_else(rich: Bot) -> None:
    rich.local.server.remove_role(ATTENDEE_ROLE)
    event = await rich.event()
    await rich.service.joining.join(REN.actor, event.event_id)
    now = await settled(rich, event)
    assert "10011" in now.troubles["role"]
    assert now.thread_id is not None
    assert now.scheduled_event_id is not None


async def test_a_message_that_is_refused_keeps_nobody_from_their_role(rich: Bot) -> None:
    event = await rich.event()
    rich.local.server.overwrite(RECRUIT, BOT_ROLE, deny=permissions.Permission.VIEW_CHANNEL)
    await rich.service.joining.join(REN.actor, event.event_id)
    now = await settled(rich, event)
    assert "50001" in (now.delivery_error or "")
    assert await rich.local.holders(ATTENDEE_ROLE) == {REN.id}


async def test_an_edit_between_a_lost_answer_and_the_next_try_posts_nothing_twice(quick: Bot) -> None:
    quick.local.faults.append(Fault("lost", 1, on="POST .*/messages"))
    start = quick.service.desk.now() + timedelta(hours=5)
    made = await quick.service.events.create(await quick.creator(AOI), Draft("会", start=start), RECRUIT)
    await quick.work(1)
    await quick.service.events.edit(await quick.host(AOI, made.event_id), Draft("別の会", start=start))
    for _ in range(4):
        await quick.work(30)
    now = await quick.service.events.get(GUILD_ID, made.event_id)
    [(message, body)] = await quick.posts()
    assert message.message_id == now.recruit_message_id
    assert body["embeds"][0]["title"] == "別の会"


async def _title(bot: Bot, event: Event) -> str:
    bodies = {message.message_id: body for message, body in await bot.posts()}
    return str(bodies[str(event.recruit_message_id)]["embeds"][0]["title"])


async def test_what_was_closed_before_its_start_shows_that_it_has_begun(quick: Bot) -> None:
    event = await quick.event(start=quick.service.desk.now() + timedelta(minutes=20))
    await quick.service.events.close(await quick.host(AOI, event.event_id))
    await settled(quick, event)
    assert await _title(quick, event) == "【締切】もくもく会"
    await quick.work(20 * 60)
    await settled(quick, event)
    assert await _title(quick, event) == "【開始済み】もくもく会"


async def test_what_is_drawn_a_moment_before_the_start_is_drawn_again_at_it(quick: Bot) -> None:
    """Whoever says that it begins may have a clock that is a little ahead of the one of whoever draws it."""
    start = quick.service.desk.now() + timedelta(minutes=20)
    event = await quick.event(start=start)
    quick.clock.advance((start - quick.service.desk.now()).total_seconds() - 2)
    await quick.service.events.begin(GUILD_ID, event.event_id, start.isoformat())
    await quick.service.desk.schedules.delete(schedule_name(event.event_id, "s"))
    await quick.work(0.5)
    assert await _title(quick, event) == "【締切】もくもく会"
    await settled(quick, event)
    assert await _title(quick, event) == "【開始済み】もくもく会"


async def test_a_role_goes_although_the_end_was_told_a_moment_early(rich: Bot) -> None:
    start = rich.service.desk.now() + timedelta(minutes=20)
    event = await rich.event(start=start, end=start + timedelta(minutes=10))
    await rich.service.joining.join(REN.actor, event.event_id)
    await settled(rich, event)
    rich.clock.advance((start - rich.service.desk.now()).total_seconds() + 600 - 2)
    await rich.client.work()
    await rich.service.desk.schedules.delete(schedule_name(event.event_id, "e"))
    await rich.service.desk.transact(rich.service.desk.settle_event(GUILD_ID, event.event_id, SOON))
    await rich.work(0.5)
    assert await rich.local.holders(ATTENDEE_ROLE) == {REN.id}
    await settled(rich, event)
    assert await rich.local.holders(ATTENDEE_ROLE) == set()


async def test_an_edit_that_misses_the_deleted_message_does_not_undo_that_it_is_posted_again(
    quick: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Discord says that there is no such message while the organiser has it posted anew."""
    event = await quick.event()
    await quick.local.delete(RECRUIT, str(event.recruit_message_id))
    sound, host = Rest.edit, await quick.host(AOI, event.event_id)

    async def edit(self: Rest, *given: Any) -> None:
        monkeypatch.setattr(Rest, "edit", sound)
        await quick.service.events.repost(host)
        await sound(self, *given)

    monkeypatch.setattr(Rest, "edit", edit)
    await quick.service.joining.join(REN.actor, event.event_id)
    now = await settled(quick, event)
    assert now.delivery_error is None
    assert now.recruit_message_id in {message.message_id for message, _ in await quick.posts()}


# Thread and native event: each follows the event, and what one is refused is no matter of the other.


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


async def test_a_lost_answer_to_a_native_event_does_not_make_two(rich: Bot) -> None:
    rich.local.faults.append(Fault("lost", 1, on="POST .*/scheduled-events"))
    event = await rich.event()
    assert (event.mirror_tried, event.scheduled_event_id) == (True, None)
    for _ in range(4):
        await rich.work(30)
    now = await settled(rich, event)
    assert [id for id, _ in await rich.local.things("scheduled-event")] == [now.scheduled_event_id]


async def test_an_event_made_inside_a_thread_has_no_thread_of_its_own(rich: Bot) -> None:
    rest = rich.client.shell.deployment.systems["eventbot"].parts.transports["discord"].rest  # type: ignore[attr-defined]
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
    rich.local.server.let(BOT_ROLE, deny=permissions.Permission.CREATE_EVENTS)
    await rich.service.events.cancel(await rich.host(AOI, event.event_id))
    now = await settled(rich, event)
    assert sentences(now.troubles) == [("mirror-permission", "403 (50013): Missing Permissions")]
    rich.local.server.let(BOT_ROLE, allow=permissions.Permission.CREATE_EVENTS)
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
