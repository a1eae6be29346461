"""Lessons of every week are made once a day of theirs, whatever happens in between."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

import pytest

from sekkei.design import replace
from sekkei.runtime import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.rules.slots import Slot
from tests.systems.lessons.rules.test_weekly import WEDNESDAYS
from tests.systems.lessons.world import LESSON, STAFF, World


async def made(world: World) -> list[Lesson]:
    world.settle()
    return await world.service.timetable.between("gnz", date(2025, 7, 29), date(2025, 8, 28))


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
    await world.service.moves.move(STAFF, LESSON, Slot("gnz", date(2025, 7, 31), time(20, 0)))
    world.settle()
    await world.jobs.move({"slot": str(LESSON)})
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
    await world.service.moves.move(STAFF, LESSON, Slot("gnz", date(2025, 7, 31), time(20, 0)))
    world.settle()
    await world.jobs.move({"slot": str(LESSON)})
    await weekly.save(STAFF, replace(WEDNESDAYS, last_day=date(2025, 8, 13), lesson_name="BSL House 2"))
    await weekly.save(STAFF, WEDNESDAYS)
    assert [one.lesson_date.day for one in await made(world)] == [31, 6, 13, 20]
