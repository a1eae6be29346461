"""Events: made, edited, closed, called off, repeated."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from sekkei.runtime.refusals import Changed, Invalid
from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import ATTENDEE_ROLE, GUILD_ID, ORGANISER_ROLE, RECRUIT
from sekkei_systems.eventbot.design import Event, Repeat, Status
from sekkei_systems.eventbot.refusals import AlreadySo, Cancelled, Closed, ForeignEmoji
from sekkei_systems.eventbot.rules import drafts
from sekkei_systems.eventbot.rules.drafts import Details, Draft, NewNotice
from sekkei_systems.eventbot.rules.identifiers import schedule_name
from sekkei_systems.eventbot.service.events import Events
from tests.systems.eventbot.conftest import AOI, MEI, REN, Bot


async def test_of_two_who_edit_at_once_the_second_is_told(quick: Bot) -> None:
    event = await quick.event()
    await quick.service.joining.join(REN.actor, event.event_id)
    await quick.service.events.edit(
        await quick.host(AOI, event.event_id), Draft("一", start=event.event_start_at), event.version
    )
    with pytest.raises(Changed):
        await quick.service.events.edit(
            await quick.host(AOI, event.event_id), Draft("二", start=event.event_start_at), event.version
        )
    now = await quick.service.events.get(GUILD_ID, event.event_id)
    assert (now.title, now.member_count) == ("一", 1)


async def test_moving_the_start_moves_reminder_and_schedules(quick: Bot) -> None:
    event = await quick.event(start=quick.service.desk.now() + timedelta(hours=5))
    assert event.event_remind_at == event.event_start_at - timedelta(hours=1)  # type: ignore[operator]
    later = quick.service.desk.now() + timedelta(hours=30)
    await quick.service.events.edit(await quick.host(AOI, event.event_id), Draft("会", start=later))
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
    await quick.service.events.set_details(await quick.host(AOI, event.event_id), Details(deadline=deadline))
    await quick.work()
    quick.clock.advance(3600)
    with pytest.raises(Closed):  # before any schedule has fired
        await quick.service.joining.join(REN.actor, event.event_id)
    await quick.work()
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).status is Status.CLOSED
    await quick.service.events.reopen(await quick.host(AOI, event.event_id))
    await quick.service.joining.join(REN.actor, event.event_id)
    with pytest.raises(AlreadySo):
        await quick.service.events.reopen(await quick.host(AOI, event.event_id))


@pytest.mark.parametrize("what", ["start", "deadline"])
async def test_what_a_clock_ahead_of_ours_has_closed_and_was_reopened_is_closed_in_time(quick: Bot, what: str) -> None:
    """Told by seed 13962: it began, was reopened where it was yet to begin, and stayed open for good."""
    soon = quick.service.desk.now() + timedelta(minutes=30)
    event = await quick.event(start=soon if what == "start" else soon + timedelta(hours=1))
    if what == "deadline":
        await quick.service.events.set_details(await quick.host(AOI, event.event_id), Details(deadline=soon))
    await quick.calm()
    await quick.work(soon.timestamp() - 2 - quick.clock.now())
    ahead = quick.service.events.begin if what == "start" else quick.service.events.deadline
    await ahead(GUILD_ID, event.event_id, soon.isoformat())
    await quick.service.desk.schedules.delete(schedule_name(event.event_id, what[0]))  # done
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).status is Status.CLOSED
    reopened = await quick.service.events.reopen(await quick.host(AOI, event.event_id))
    assert reopened.status is Status.OPEN
    await quick.calm()
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).status is Status.CLOSED


async def test_what_was_reopened_and_called_off_leaves_its_notices_open(quick: Bot) -> None:
    """As anything that is called off does: its start is not carried out."""
    soon = quick.service.desk.now() + timedelta(minutes=30)
    event = await quick.event(start=soon)
    await quick.service.joining.join(REN.actor, event.event_id)
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("題", "文"))
    await quick.work(soon.timestamp() - 50 - quick.clock.now())
    await quick.service.events.close(await quick.host(AOI, event.event_id))
    await quick.service.events.reopen(await quick.host(AOI, event.event_id))
    await quick.service.events.cancel(await quick.host(AOI, event.event_id))
    await quick.work(120)
    assert (await quick.service.desk.notice(GUILD_ID, notice.notice_id)).status is Status.OPEN


async def test_called_off_is_for_good_and_members_are_told(quick: Bot) -> None:
    event = await quick.event()
    await quick.service.joining.join(REN.actor, event.event_id)
    await quick.service.events.cancel(await quick.host(AOI, event.event_id))
    await quick.work()
    calls = [body for _, body in await quick.posts() if "中止" in body.get("content", "")]
    assert [call["allowed_mentions"] for call in calls] == [{"users": [REN.id]}]
    for attempt in (
        quick.service.joining.join(MEI.actor, event.event_id),
        quick.service.events.reopen(await quick.host(AOI, event.event_id)),
        quick.service.events.cancel(await quick.host(AOI, event.event_id)),
        quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("題", "文")),
    ):
        with pytest.raises(Cancelled):
            await attempt
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).scheduled == {}


async def test_a_series_goes_on_once(quick: Bot) -> None:
    start = quick.service.desk.now() + timedelta(hours=2)
    event = await quick.event(start=start, capacity=5)
    details = Details(
        repeat=Repeat.WEEKLY, remind_at=start - timedelta(hours=1), deadline=start - timedelta(minutes=30)
    )
    await quick.service.events.set_details(await quick.host(AOI, event.event_id), details)
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
        await quick.service.events.create(await quick.creator(AOI), draft, RECRUIT)
    assert await quick.service.events.of_guild(GUILD_ID) == []


async def test_a_weekly_event_in_berlin_stays_at_eight_in_the_evening(quick: Bot) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    await quick.service.guilds.change_settings(await quick.organiser(AOI), time_zone="Europe/Berlin")
    start = datetime(2026, 10, 21, 20, tzinfo=berlin)
    quick.clock.advance(start.timestamp() - quick.clock.now() - 3600)
    event = await quick.event(start=start, end=start + timedelta(hours=2))
    details = Details(repeat=Repeat.WEEKLY, end=event.event_end_at, deadline=start - timedelta(minutes=30))
    await quick.service.events.set_details(await quick.host(AOI, event.event_id), details)
    await quick.work(3 * 3600)
    [after] = [one for one in await quick.service.events.of_guild(GUILD_ID) if one.event_id != event.event_id]
    times = [after.event_start_at, after.event_end_at, after.deadline_at]
    shown = [f"{one.astimezone(berlin):%m-%d %H:%M}" for one in times if one]
    assert shown == ["10-28 20:00", "10-28 22:00", "10-28 19:30"]
    assert after.event_start_at is not None
    assert after.event_start_at.utcoffset() == timedelta(hours=9), "stored as the document writes it"


async def test_the_31st_of_a_month_does_not_drift(quick: Bot) -> None:
    start = quick.service.desk.now().replace(month=1, day=31, hour=20, minute=0)
    event = await quick.event(start=start)
    await quick.service.events.set_details(await quick.host(AOI, event.event_id), Details(repeat=Repeat.MONTHLY))
    seen = []
    for _ in range(3):
        await quick.work(32 * 24 * 3600)
        [coming] = await quick.service.events.of_guild(GUILD_ID)
        assert coming.event_start_at is not None
        seen.append(f"{coming.event_start_at:%m-%d}")
    assert seen == ["02-28", "03-31", "04-30"]


async def test_calling_off_one_of_a_series_goes_on_with_the_next(quick: Bot) -> None:
    start = quick.service.desk.now() + timedelta(hours=5)
    event = await quick.event(start=start)
    await quick.service.events.set_details(await quick.host(AOI, event.event_id), Details(repeat=Repeat.WEEKLY))
    await quick.service.events.cancel(await quick.host(AOI, event.event_id))
    await quick.work(6)
    [after] = await quick.service.events.of_guild(GUILD_ID)
    assert (after.event_start_at, after.repeat) == (start + timedelta(days=7), Repeat.WEEKLY)
    assert "次回" in str([body.get("content") for _, body in await quick.posts()])
    await quick.service.events.cancel(await quick.host(AOI, after.event_id), series=True)
    await quick.work(6)
    assert await quick.service.events.of_guild(GUILD_ID) == []


async def test_an_emoji_of_another_server_is_refused_when_it_is_set(quick: Bot) -> None:
    quick.local.server.emojis.add("880000000000000001")
    event = await quick.event()
    host = await quick.host(AOI, event.event_id)
    for text in (
        "<:tank:870000000000000001> Tank 1",
        "<:tank:880000000000000001> Tank\n<a:run:870000000000000001> DPS",
    ):
        with pytest.raises(ForeignEmoji) as refused:
            await quick.service.events.set_options(host, drafts.read_options(text))
        assert "870000000000000001" in refused.value.text("ja")
        with pytest.raises(ForeignEmoji):
            await quick.event(options=tuple(drafts.read_options(text)))
    await quick.service.events.set_options(host, drafts.read_options("<:tank:880000000000000001> Tank\n💚 Healer"))
    asked = sum(one["path"] == f"/guilds/{GUILD_ID}" for one in quick.local.log)
    await quick.event(options=tuple(drafts.read_options("💚 Healer")))
    assert sum(one["path"] == f"/guilds/{GUILD_ID}" for one in quick.local.log) == asked, "plain ones are not asked for"


async def test_while_discord_is_silent_emoji_are_taken_on_trust(quick: Bot) -> None:
    host = await quick.host(AOI, (await quick.event()).event_id)
    quick.local.faults.append(Fault("error", 3, on="GET /guilds/"))
    event = await quick.service.events.set_options(host, drafts.read_options("<:tank:870000000000000001> Tank"))
    assert [one.emoji for one in event.options.values()] == ["<:tank:870000000000000001>"]
    assert sum(one.count for one in quick.local.faults) < 3, "Discord was asked"


async def test_no_text_turns_what_follows_it(quick: Bot) -> None:
    event = await quick.event(title="会\u202e", description="一\u202e\n二\u200f", location=" 渋谷\u2067\n駅 ")
    assert (event.title, event.description, event.location) == ("会", "一\n二\u200f", "渋谷 駅")
    notice = await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("a", "b\u202e\nc"))
    assert notice.body == "b\nc"


# A series: changed for one or for all that follow, skipped, paused and resumed.


DAY = timedelta(days=1)


async def weekly(bot: Bot) -> Event:
    start = bot.service.desk.now().replace(hour=21)
    event = await bot.event(start=start, options=tuple(drafts.read_options("Tank 1\nDPS")))
    remind = start - timedelta(hours=1)
    details = Details(remind_at=remind, repeat=Repeat.WEEKLY, further=(start - timedelta(minutes=10),))
    return await bot.service.events.set_details(await bot.host(AOI, event.event_id), details)


async def following(bot: Bot, event: Event) -> Event | None:
    now = await bot.service.events.get(GUILD_ID, event.event_id)
    return await bot.service.events.get(GUILD_ID, now.next_event_id) if now.next_event_id else None


async def test_a_change_of_one_is_not_passed_on(quick: Bot) -> None:
    event = await weekly(quick)
    assert event.event_start_at is not None
    await quick.service.joining.choose(REN.actor, event.event_id, "01")
    later = event.event_start_at + timedelta(hours=1)
    draft = Draft("今回は新宿", start=later, location="新宿")
    changed = await quick.service.events.edit(await quick.host(AOI, event.event_id), draft, only=True)
    assert (changed.title, changed.event_start_at) == ("今回は新宿", later)
    assert changed.reminders == [(later - timedelta(minutes=10)).isoformat()]
    details = Details(remind_at=later - timedelta(hours=2), repeat=Repeat.WEEKLY)
    await quick.service.events.set_details(await quick.host(AOI, event.event_id), details)
    await quick.work(DAY.total_seconds())
    fresh = await following(quick, event)
    assert fresh is not None
    assert (fresh.title, fresh.location) == (event.title, None)
    assert fresh.event_start_at == event.event_start_at + 7 * DAY
    assert fresh.event_remind_at == fresh.event_start_at - timedelta(hours=2), "details are of the whole series"
    assert (fresh.reminders, fresh.series) == ([], None)
    assert [one.member_count for one in fresh.options.values()] == [0, 0], "the options come along, empty"


async def test_a_role_that_the_server_takes_back_comes_back_with_no_series(quick: Bot) -> None:
    settings = {"attendee_role_id": ATTENDEE_ROLE, "member_role_id": ORGANISER_ROLE}
    await quick.service.guilds.change_settings(await quick.organiser(AOI), **settings)
    event = await weekly(quick)
    assert (event.attendee_role_id, event.member_role_id) == (ATTENDEE_ROLE, ORGANISER_ROLE)
    await quick.service.guilds.change_settings(await quick.organiser(AOI), **dict.fromkeys(settings))
    await quick.work(DAY.total_seconds())
    fresh = await following(quick, event)
    assert fresh is not None
    assert (fresh.attendee_role_id, fresh.member_role_id) == (None, None)


async def test_an_hour_that_the_clocks_leave_out_is_not_lost_for_ever(quick: Bot) -> None:
    await quick.service.guilds.change_settings(await quick.organiser(AOI), time_zone="Europe/Berlin")
    berlin, found = ZoneInfo("Europe/Berlin"), []
    quick.clock.advance(datetime(2027, 3, 20, 12, tzinfo=berlin).timestamp() - quick.clock.now())
    event: Event | None = await quick.event(start=datetime(2027, 3, 21, 2, 30, tzinfo=berlin))
    assert event is not None
    details = Details(repeat=Repeat.WEEKLY)
    await quick.service.events.set_details(await quick.host(AOI, event.event_id), details)
    for _ in range(2):
        assert event is not None
        await quick.work(7 * DAY.total_seconds())
        event = await following(quick, event)
        assert event is not None
        assert event.event_start_at is not None
        found.append(f"{event.event_start_at.astimezone(berlin):%m-%d %H:%M}")
    assert found == ["03-28 03:30", "04-04 02:30"]


async def test_a_change_of_all_is(quick: Bot) -> None:
    event = await weekly(quick)
    assert event.event_start_at is not None
    for only in (True, False):
        draft = Draft("新しい名前", start=event.event_start_at + timedelta(hours=1))
        await quick.service.events.edit(await quick.host(AOI, event.event_id), draft, only=only)
    await quick.work(DAY.total_seconds())
    fresh = await following(quick, event)
    assert fresh is not None
    assert fresh.event_start_at == event.event_start_at + timedelta(days=7, hours=1)
    assert fresh.title == "新しい名前"
    assert fresh.reminders == [(fresh.event_start_at - timedelta(minutes=10)).isoformat()]


async def test_a_series_rests_until_it_is_resumed(quick: Bot) -> None:
    event = await weekly(quick)
    assert event.event_start_at is not None
    await quick.service.events.pause(await quick.host(AOI, event.event_id))
    with pytest.raises(AlreadySo):
        await quick.service.events.pause(await quick.host(AOI, event.event_id))
    await quick.work(DAY.total_seconds())
    assert await following(quick, event) is None
    await quick.work(20 * DAY.total_seconds())
    await quick.service.events.resume(await quick.host(AOI, event.event_id))
    fresh = await following(quick, event)
    assert fresh is not None
    assert fresh.event_start_at == event.event_start_at + 21 * DAY, "the next that is still to come"
    with pytest.raises(AlreadySo):
        await quick.service.events.resume(await quick.host(AOI, event.event_id))


async def test_resumed_before_it_starts_it_goes_on_as_if_nothing_was(quick: Bot) -> None:
    event = await weekly(quick)
    await quick.service.events.pause(await quick.host(AOI, event.event_id))
    await quick.service.events.resume(await quick.host(AOI, event.event_id))
    assert await following(quick, event) is None
    await quick.work(DAY.total_seconds())
    assert await following(quick, event) is not None


async def test_one_is_skipped(quick: Bot) -> None:
    event = await weekly(quick)
    assert event.event_start_at is not None
    await quick.service.events.cancel(await quick.host(AOI, event.event_id))
    fresh = await following(quick, event)
    assert fresh is not None
    assert fresh.event_start_at == event.event_start_at + 7 * DAY


async def test_no_event_follows_what_is_paused_in_the_same_moment(quick: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever pauses it as it begins has been told that no further one is made."""
    event = await weekly(quick)
    service, sound = quick.service.events, Events._repeat

    async def repeat(self: Events, read: Event) -> None:
        await service.pause(await quick.host(AOI, event.event_id))
        await sound(self, read)

    monkeypatch.setattr(Events, "_repeat", repeat)
    await service.begin(GUILD_ID, event.event_id, str(event.event_start_at and event.event_start_at.isoformat()))
    assert await following(quick, event) is None


async def test_what_is_moved_as_it_begins_is_followed_from_its_new_time(
    quick: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever moves it by a clock that is a little behind has been told that all that follow are moved."""
    event = await weekly(quick)
    start = event.event_start_at
    assert start is not None
    service, sound, later = quick.service.events, Events._repeat, start + timedelta(hours=1)

    async def repeat(self: Events, read: Event) -> None:
        monkeypatch.undo()
        await service.edit(await quick.host(AOI, event.event_id), Draft(event.title, start=later))
        await sound(self, read)

    monkeypatch.setattr(Events, "_repeat", repeat)
    await service.begin(GUILD_ID, event.event_id, start.isoformat())
    assert await following(quick, event) is None
    await service.begin(GUILD_ID, event.event_id, later.isoformat())
    fresh = await following(quick, event)
    assert fresh is not None
    assert fresh.event_start_at == later + 7 * DAY


async def test_no_event_follows_what_is_called_off_and_paused_in_the_same_moment(quick: Bot) -> None:
    event = await weekly(quick)
    host = await quick.host(AOI, event.event_id)
    await quick.service.events.pause(host)
    with pytest.raises(Changed):
        await quick.service.events.cancel(host)
    assert await following(quick, event) is None


async def test_a_series_that_is_resumed_as_it_begins_goes_on(quick: Bot) -> None:
    """Whoever began it saw that it rests, by a clock that was a little ahead: for whoever resumes it, it is to come."""
    event = await weekly(quick)
    start = event.event_start_at
    assert start is not None
    await quick.service.events.pause(await quick.host(AOI, event.event_id))
    await quick.calm()
    await quick.work(start.timestamp() - 2 - quick.clock.now())
    await quick.service.events.begin(GUILD_ID, event.event_id, start.isoformat())
    await quick.service.desk.schedules.delete(schedule_name(event.event_id, "s"))  # done
    await quick.service.events.resume(await quick.host(AOI, event.event_id))
    await quick.calm()
    fresh = await following(quick, event)
    assert fresh is not None
    assert fresh.event_start_at == start + 7 * DAY


async def test_what_was_moved_since_it_was_read_is_not_called_off_with_a_next_one_of_before(quick: Bot) -> None:
    """Told by seed 11876: the series went on at the time that it no longer had."""
    event = await weekly(quick)
    assert event.event_start_at is not None
    read = await quick.host(AOI, event.event_id)
    later = event.event_start_at + timedelta(hours=1)
    await quick.service.events.edit(await quick.host(AOI, event.event_id), Draft(event.title, start=later))
    with pytest.raises(Changed):
        await quick.service.events.cancel(read)
    await quick.service.events.cancel(await quick.host(AOI, event.event_id))
    after = await following(quick, event)
    assert after is not None
    assert after.event_start_at == later + timedelta(days=7)
