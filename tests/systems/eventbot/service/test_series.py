"""A series: changed for one or for all that follow, skipped, paused and resumed."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from sekkei.runtime.refusals import Changed
from sekkei_systems.eventbot.demo.guild import ATTENDEE_ROLE, GUILD_ID, ORGANISER_ROLE
from sekkei_systems.eventbot.design import Event, Repeat
from sekkei_systems.eventbot.refusals import AlreadySo
from sekkei_systems.eventbot.rules import options
from sekkei_systems.eventbot.rules.identifiers import schedule_name
from sekkei_systems.eventbot.service import Details, Draft, Events
from tests.systems.eventbot.conftest import AOI, REN, Bot

DAY = timedelta(days=1)


async def weekly(bot: Bot) -> Event:
    start = bot.service.desk.now().replace(hour=21)
    event = await bot.event(start=start, options=tuple(options.read("Tank 1\nDPS")))
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
