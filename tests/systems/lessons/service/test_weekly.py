"""Lessons of every week are made once a day of theirs, whatever happens in between."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

import pytest

from sekkei.design import replace
from sekkei_systems import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, Status, TieKind
from sekkei_systems.lessons.rules.slots import Slot
from tests.systems.lessons.rules.test_weekly import WEDNESDAYS
from tests.systems.lessons.steps import tie
from tests.systems.lessons.world import LESSON, STAFF, World


async def made(world: World) -> list[Lesson]:
    world.settle()
    return await world.service.timetable.between("gnz", date(2025, 7, 29), date(2025, 8, 28))


async def move_away(world: World) -> None:
    await world.service.moves.move(STAFF, LESSON, Slot("gnz", date(2025, 7, 31), time(20, 0)))
    world.settle()
    await world.jobs.move({"slot": str(LESSON)})


async def called_off(world: World, slot: Slot) -> bool:
    """After those concerned were told."""
    world.settle()
    await world.alerts.lesson_changed(slot)
    world.settle()
    return (await world.lesson_now(slot)).called_off


async def test_four_weeks_are_made_and_again_nothing(world: World) -> None:
    weekly = world.service.weekly
    await weekly.save(STAFF, replace(WEDNESDAYS, capacity=12, end_time=time(20, 15)))
    found = await made(world)
    assert [one.lesson_date.day for one in found] == [30, 6, 13, 20]
    assert {(one.lesson_name, one.capacity, one.end_time, one.booked_here) for one in found} == {
        ("BSL House 1", 12, time(20, 15), 0)
    }
    assert await weekly.make("gnz") == 0
    world.clock.advance(timedelta(days=1).total_seconds())
    await world.jobs.weekly({})
    assert len(await made(world)) == 5


async def test_what_was_moved_away_is_not_made_again(world: World) -> None:
    weekly = world.service.weekly
    await weekly.save(STAFF, WEDNESDAYS)
    await move_away(world)
    await world.jobs.weekly({})
    found = [(one.lesson_date.day, one.start_time.hour) for one in await made(world)]
    assert found == [(31, 20), (6, 19), (13, 19), (20, 19)]


async def test_a_run_that_was_cut_off_goes_on(world: World) -> None:
    await world.lesson(capacity=3)  # somebody made one by hand
    weekly, add = world.service.weekly, world.service.timetable.add
    calls = 0

    async def dying(draft: Any) -> Lesson:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise ConnectionError("the process is gone")
        return await add(draft)

    world.service.timetable.add = dying  # type: ignore[method-assign]
    with pytest.raises(ConnectionError):
        await weekly.save(STAFF, WEDNESDAYS)
    world.service.timetable.add = add  # type: ignore[method-assign]
    await weekly.make("gnz")
    found = await made(world)
    assert [one.lesson_date.day for one in found] == [30, 6, 13, 20]
    assert found[0].made_by is None


async def test_holidays_and_exceptions_call_off_what_is_there_and_make_nothing_new(world: World) -> None:
    weekly = world.service.weekly
    await weekly.save(STAFF, WEDNESDAYS)
    await weekly.close(STAFF, date(2025, 8, 13), "夏季休館")
    await weekly.skip(STAFF, 2, time(19, 30), date(2025, 8, 6))
    await weekly.close(STAFF, date(2025, 9, 3), "点検")
    off = {one.lesson_date.day: (one.called_off, one.called_off_words) for one in await made(world)}
    assert off == {30: (False, None), 6: (True, None), 13: (True, "夏季休館"), 20: (False, None)}
    world.clock.advance(timedelta(days=14).total_seconds())
    await weekly.make("gnz")
    world.settle()
    third = Slot("gnz", date(2025, 9, 3), time(19, 30))
    assert await world.service.timetable.find(third) is None
    await weekly.open(STAFF, date(2025, 9, 3))
    assert (await world.lesson_now(third)).made_by == "weekly"


async def test_a_skipped_day_is_held_after_all_with_everybody(world: World) -> None:
    weekly, sixth = world.service.weekly, Slot("gnz", date(2025, 8, 6), time(19, 30))
    await weekly.save(STAFF, replace(WEDNESDAYS, capacity=3))
    await world.person("hana")
    await world.book("hana", sixth)
    await weekly.skip(STAFF, 2, time(19, 30), sixth.lesson_date)
    assert await called_off(world, sixth)
    assert (await tie(world, "hana", TieKind.BOOKING, sixth)).status is Status.CANCELLED  # type: ignore[union-attr]
    for _ in range(2):  # again it changes nothing
        await weekly.hold(STAFF, 2, time(19, 30), sixth.lesson_date)
    assert not (await world.lesson_now(sixth)).called_off
    assert (await tie(world, "hana", TieKind.BOOKING, sixth)).status is Status.ACTIVE  # type: ignore[union-attr]
    assert (await world.service.weekly.all("gnz"))[0].skipped == frozenset()


async def test_a_day_skipped_before_it_was_made_is_made_after_all(world: World) -> None:
    weekly, later = world.service.weekly, date(2025, 9, 3)
    await weekly.save(STAFF, WEDNESDAYS)
    await weekly.skip(STAFF, 2, time(19, 30), later)
    world.clock.advance(timedelta(days=14).total_seconds())
    await weekly.make("gnz")
    assert await world.service.timetable.find(Slot("gnz", later, time(19, 30))) is None
    await weekly.hold(STAFF, 2, time(19, 30), later)
    assert (await world.lesson_now(Slot("gnz", later, time(19, 30)))).made_by == "weekly"


async def test_what_the_desk_called_off_or_a_holiday_closes_stays_off(world: World) -> None:
    weekly, sixth = world.service.weekly, Slot("gnz", date(2025, 8, 6), time(19, 30))
    await weekly.save(STAFF, WEDNESDAYS)
    await world.service.desk.call_off(STAFF, sixth)
    await weekly.skip(STAFF, 2, time(19, 30), sixth.lesson_date)
    await weekly.hold(STAFF, 2, time(19, 30), sixth.lesson_date)
    assert await called_off(world, sixth)
    closed = Slot("gnz", date(2025, 8, 13), time(19, 30))
    await weekly.skip(STAFF, 2, time(19, 30), closed.lesson_date)
    await weekly.close(STAFF, closed.lesson_date, "お盆")
    await weekly.hold(STAFF, 2, time(19, 30), closed.lesson_date)
    assert await called_off(world, closed)


async def test_a_holiday_taken_back_brings_back_what_it_called_off(world: World) -> None:
    weekly, closed = world.service.weekly, Slot("gnz", date(2025, 8, 13), time(19, 30))
    await weekly.save(STAFF, WEDNESDAYS)
    await weekly.close(STAFF, closed.lesson_date, "お盆")
    assert await called_off(world, closed)
    await weekly.open(STAFF, closed.lesson_date)
    assert not await called_off(world, closed)
    assert await weekly.holidays("gnz", closed.lesson_date, closed.lesson_date) == []


async def test_what_makes_no_sense_is_refused(world: World) -> None:
    weekly = world.service.weekly
    wrongs: list[dict[str, Any]] = [{"weekday": 7}, {"capacity": -1}, {"lesson_name": " "}]
    for wrong in wrongs:
        with pytest.raises(refusals.BadLesson):
            await weekly.save(STAFF, replace(WEDNESDAYS, **wrong))
    with pytest.raises(refusals.BadDay):
        await weekly.save(STAFF, replace(WEDNESDAYS, last_day=date(2025, 6, 1)))
    with pytest.raises(refusals.NoSuchWeekly):
        await weekly.remove(STAFF, 2, time(19, 30))
    with pytest.raises(refusals.BadDay):
        await weekly.close(STAFF, days.today(world.clock) - timedelta(days=1), "x")
    await weekly.save(STAFF, WEDNESDAYS)
    with pytest.raises(refusals.BadDay):
        await weekly.skip(STAFF, 2, time(19, 30), date(2025, 8, 7))
    for act in (weekly.skip, weekly.hold):
        with pytest.raises(refusals.BadDay):
            await act(STAFF, 2, time(19, 30), date(2025, 7, 23))
        with pytest.raises(refusals.NoSuchWeekly):
            await act(STAFF, 4, time(19, 30), date(2025, 8, 1))


async def test_an_end_before_the_start_is_refused_and_keeps_no_other_studio_waiting(world: World) -> None:
    weekly = world.service.weekly
    with pytest.raises(refusals.EndBeforeStart):
        await weekly.save(STAFF, replace(WEDNESDAYS, end_time=time(18, 0)))
    assert await weekly.all("gnz") == []


async def test_days_that_a_template_gains_are_made(world: World) -> None:
    weekly = world.service.weekly
    await weekly.save(STAFF, replace(WEDNESDAYS, first_day=date(2025, 8, 13), last_day=date(2025, 8, 13)))
    assert [one.lesson_date.day for one in await made(world)] == [13]
    await weekly.close(STAFF, date(2025, 8, 20), "夏季休館")
    await weekly.save(STAFF, WEDNESDAYS)
    assert [one.lesson_date.day for one in await made(world)] == [30, 6, 13]


async def test_a_day_that_was_moved_away_is_not_gained_again(world: World) -> None:
    weekly = world.service.weekly
    await weekly.save(STAFF, WEDNESDAYS)
    await move_away(world)
    await weekly.save(STAFF, replace(WEDNESDAYS, last_day=date(2025, 8, 13), lesson_name="BSL House 2"))
    await weekly.save(STAFF, WEDNESDAYS)
    assert [one.lesson_date.day for one in await made(world)] == [31, 6, 13, 20]
