"""The rules of events, places and notices."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei.runtime.refusals import Changed, Invalid
from sekkei_systems.eventbot.discord.local import Fault
from sekkei_systems.eventbot.entities import Answer, Event, Repeat, Status, events
from sekkei_systems.eventbot.refusals import (
    AlreadySo,
    Cancelled,
    Closed,
    NoSuchEvent,
    NoticeClosed,
    NoticeOpen,
    NotIn,
    NotOrganiser,
    Started,
)
from sekkei_systems.eventbot.service import Details, Draft, NewNotice
from sekkei_systems.eventbot.service.events import following
from sekkei_systems.eventbot.simulator.world import ATTENDEE_ROLE, GUILD_ID, ORGANISER_ROLE, RECRUIT
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, YUI, Bot


async def test_of_two_who_edit_at_once_the_second_is_told(quick: Bot) -> None:
    event = await quick.event()
    await quick.service.joining.join(REN.actor, event.event_id)
    await quick.service.events.edit(AOI.actor, event.event_id, Draft("一", event.event_start_at), event.version)
    with pytest.raises(Changed):
        await quick.service.events.edit(AOI.actor, event.event_id, Draft("二", event.event_start_at), event.version)
    now = await quick.service.events.get(GUILD_ID, event.event_id)
    assert (now.title, now.member_count) == ("一", 1)


async def test_moving_the_start_moves_reminder_and_schedules(quick: Bot) -> None:
    event = await quick.event(start=quick.service.desk.now() + timedelta(hours=5))
    assert event.event_remind_at == event.event_start_at - timedelta(hours=1)  # type: ignore[operator]
    later = quick.service.desk.now() + timedelta(hours=30)
    await quick.service.events.edit(AOI.actor, event.event_id, Draft("会", later))
    await quick.work()
    now = await quick.service.events.get(GUILD_ID, event.event_id)
    assert now.event_remind_at == later - timedelta(hours=1)
    assert now.scheduled == {
        f"evt-{event.event_id[4:]}-r": (later - timedelta(hours=1)).isoformat(),
        f"evt-{event.event_id[4:]}-s": later.isoformat(),
    }
    await quick.work(5 * 3600)
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).status is Status.OPEN
    assert not [body for _, body in await quick.posts() if "まもなく" in body.get("content", "")]


async def test_the_deadline_closes_and_reopening_drops_it(quick: Bot) -> None:
    event = await quick.event(start=quick.service.desk.now() + timedelta(hours=5))
    deadline = quick.service.desk.now() + timedelta(hours=1)
    await quick.service.events.set_details(AOI.actor, event.event_id, Details(deadline=deadline))
    await quick.work()
    quick.clock.advance(3600)
    with pytest.raises(Closed):  # before any schedule has fired
        await quick.service.joining.join(REN.actor, event.event_id)
    await quick.work()
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).status is Status.CLOSED
    await quick.service.events.reopen(AOI.actor, event.event_id)
    await quick.service.joining.join(REN.actor, event.event_id)
    with pytest.raises(AlreadySo):
        await quick.service.events.reopen(AOI.actor, event.event_id)


async def test_called_off_is_for_good_and_members_are_told(quick: Bot) -> None:
    event = await quick.event()
    await quick.service.joining.join(REN.actor, event.event_id)
    await quick.service.events.cancel(AOI.actor, event.event_id)
    await quick.work()
    calls = [body for _, body in await quick.posts() if "中止" in body.get("content", "")]
    assert [call["allowed_mentions"] for call in calls] == [{"users": [REN.id]}]
    for attempt in (
        quick.service.joining.join(MEI.actor, event.event_id),
        quick.service.events.reopen(AOI.actor, event.event_id),
        quick.service.events.cancel(AOI.actor, event.event_id),
        quick.service.notices.post(AOI.actor, event.event_id, NewNotice("題", "文")),
    ):
        with pytest.raises(Cancelled):
            await attempt
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).scheduled == {}


async def test_leaving_after_the_closing_tells_the_organiser(quick: Bot) -> None:
    event = await quick.event()
    await quick.service.joining.join(REN.actor, event.event_id)
    await quick.service.events.close(AOI.actor, event.event_id)
    await quick.service.joining.leave(REN.actor, event.event_id)
    await quick.work()
    told = [body for _, body in await quick.posts() if "取り消しました" in body.get("content", "")]
    assert [one["allowed_mentions"] for one in told] == [{"users": [AOI.id]}]
    with pytest.raises(NotIn):
        await quick.service.joining.leave(REN.actor, event.event_id)


async def test_nobody_leaves_what_has_started(quick: Bot) -> None:
    event = await quick.event(start=quick.service.desk.now() + timedelta(hours=1))
    await quick.service.joining.join(REN.actor, event.event_id)
    quick.clock.advance(3601)
    with pytest.raises(Started):
        await quick.service.joining.leave(REN.actor, event.event_id)
    with pytest.raises(Started):
        await quick.service.joining.join(MEI.actor, event.event_id)


async def test_maybe_and_no_give_the_place_to_whoever_waits(quick: Bot) -> None:
    event = await quick.event(capacity=1)
    await quick.service.joining.join(REN.actor, event.event_id)
    assert (await quick.service.joining.join(MEI.actor, event.event_id)).waiting
    await quick.service.joining.answer(REN.actor, event.event_id, Answer.MAYBE)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert [one.user_id for one in view.members] == [MEI.id]
    assert [one.user_id for one in view.maybe] == [REN.id]
    await quick.service.joining.answer(REN.actor, event.event_id, Answer.NO)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert ([one.user_id for one in view.no], view.maybe) == ([REN.id], ())


async def test_more_places_move_people_up_and_newcomers_queue_behind(quick: Bot) -> None:
    event = await quick.event(capacity=1)
    for person in (REN, MEI, SOTA):
        await quick.service.joining.join(person.actor, event.event_id)
        quick.clock.advance(0.01)
    now = await quick.service.events.get(GUILD_ID, event.event_id)
    await quick.service.events.edit(AOI.actor, event.event_id, Draft("会", now.event_start_at, capacity=2))
    # A place is free, but somebody has waited for it: a newcomer does not overtake.
    assert (await quick.service.joining.join(YUI.actor, event.event_id)).waiting
    await quick.work()
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert [one.user_id for one in view.members] == [REN.id, MEI.id]
    assert [one.user_id for one in view.waiting] == [SOTA.id, YUI.id]


async def test_a_series_goes_on_once(quick: Bot) -> None:
    start = quick.service.desk.now() + timedelta(hours=2)
    event = await quick.event(start=start, capacity=5)
    details = Details(
        repeat=Repeat.WEEKLY, remind_at=start - timedelta(hours=1), deadline=start - timedelta(minutes=30)
    )
    await quick.service.events.set_details(AOI.actor, event.event_id, details)
    await quick.service.joining.join(REN.actor, event.event_id)
    await quick.work()
    for _ in range(3):
        await quick.work(3600)
    await quick.service.events.begin(GUILD_ID, event.event_id, start.isoformat())
    await quick.work()
    listed = [one for one in await quick.service.events.of_guild(GUILD_ID) if one.event_id != event.event_id]
    assert len(listed) == 1
    fresh = listed[0]
    assert fresh.event_start_at == start + timedelta(days=7)
    assert fresh.deadline_at == start + timedelta(days=7, minutes=-30)
    assert fresh.member_count == 0
    assert fresh.recruit_message_id not in (None, event.recruit_message_id)


def test_months_without_such_a_day() -> None:
    from datetime import datetime

    assert following(datetime(2026, 1, 31, 20), Repeat.MONTHLY) == datetime(2026, 2, 28, 20)
    assert following(datetime(2026, 12, 31, 20), Repeat.MONTHLY) == datetime(2027, 1, 31, 20)


async def test_the_organiser_role_and_nobody_else(quick: Bot) -> None:
    event = await quick.event()
    with pytest.raises(NotOrganiser):
        await quick.service.events.close(REN.actor, event.event_id)
    with pytest.raises(NotOrganiser):
        await quick.service.guilds.change_settings(REN.actor, organiser_role_id=ORGANISER_ROLE)
    await quick.service.guilds.change_settings(AOI.actor, organiser_role_id=ORGANISER_ROLE)
    await quick.service.events.close(REN.actor, event.event_id)
    with pytest.raises(NotOrganiser):
        await quick.service.events.reopen(SOTA.actor, event.event_id)


async def test_another_guilds_event_is_not_there(quick: Bot) -> None:
    from dataclasses import replace

    event = await quick.event()
    other = replace(AOI.actor, guild_id="900000000000000099")
    with pytest.raises(NoSuchEvent):
        await quick.service.joining.join(other, event.event_id)
    with pytest.raises(NoSuchEvent):
        await quick.service.events.cancel(other, event.event_id)


async def test_one_notice_at_a_time_hide_show_and_close(quick: Bot) -> None:
    event = await quick.event()
    await quick.service.joining.join(REN.actor, event.event_id)
    first = await quick.service.notices.post(AOI.actor, event.event_id, NewNotice("一", "文"))
    with pytest.raises(NoticeOpen):
        await quick.service.notices.post(AOI.actor, event.event_id, NewNotice("二", "文"))
    await quick.service.notices.hide(AOI.actor, first.notice_id, True)
    assert await quick.service.notices.of_event(REN.actor, event.event_id) == []
    assert len(await quick.service.notices.of_event(AOI.actor, event.event_id)) == 1
    await quick.service.notices.close(AOI.actor, first.notice_id)
    with pytest.raises(NoticeClosed):
        await quick.service.notices.confirm(REN.actor, first.notice_id)
    await quick.service.notices.post(AOI.actor, event.event_id, NewNotice("二", "文"))


async def test_whoever_left_after_confirming_is_not_counted(quick: Bot) -> None:
    event = await quick.event()
    for person in (REN, MEI):
        await quick.service.joining.join(person.actor, event.event_id)
    notice = await quick.service.notices.post(AOI.actor, event.event_id, NewNotice("題", "文"))
    await quick.service.notices.confirm(REN.actor, notice.notice_id)
    await quick.service.joining.leave(REN.actor, event.event_id)
    view = await quick.service.notices.view(GUILD_ID, notice.notice_id)
    assert (len(view.confirmed), len(view.members)) == (0, 1)
    assert await quick.service.notices.counts(event, [notice]) == {notice.notice_id: 0}


async def test_a_notice_reminds_only_those_who_have_not_confirmed(quick: Bot) -> None:
    event = await quick.event(start=quick.service.desk.now() + timedelta(hours=8))
    for person in (REN, MEI, SOTA):
        await quick.service.joining.join(person.actor, event.event_id)
    remind_at = quick.service.desk.now() + timedelta(hours=1)
    notice = await quick.service.notices.post(AOI.actor, event.event_id, NewNotice("題", "文", remind_at))
    await quick.work()
    assert (
        await quick.service.desk.notice(GUILD_ID, notice.notice_id)
    ).remind_schedule_name == f"ntc-{notice.notice_id[4:]}-r"
    await quick.service.notices.confirm(MEI.actor, notice.notice_id)
    await quick.work(3600)
    calls = [body for _, body in await quick.posts() if "まだ確認していない" in body.get("content", "")]
    assert [sorted(call["allowed_mentions"]["users"]) for call in calls] == [[REN.id, SOTA.id]]


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


@pytest.mark.parametrize(
    "draft",
    [
        Draft(""),
        Draft("   "),
        Draft("x" * 101),
        Draft("x", description="y" * 1501),
        Draft("x", location="y" * 101),
        Draft("x", capacity=0),
        Draft("x", capacity=10_001),
    ],
)
async def test_bad_drafts_change_nothing(quick: Bot, draft: Draft) -> None:
    with pytest.raises(Invalid):
        await quick.service.events.create(AOI.actor, draft, RECRUIT)
    assert await quick.service.events.of_guild(GUILD_ID) == []
