"""Own bookings and those of others are counted apart, so that nobody's word sells a place twice."""

from __future__ import annotations

import asyncio
from datetime import time
from typing import cast

import pytest

from sekkei.runtime.refusals import Refusal
from sekkei.store import Store
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, Status, TieKind, UserLesson, design, lessons, lessons_table
from sekkei_systems.lessons.rules.places import Availability, elsewhere
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.counts import Counts
from tests.scripted_store import dying
from tests.systems.lessons.steps import tie
from tests.systems.lessons.world import LESSON, World

FREE = Availability(5, 5, True)


async def test_a_push_about_its_own_side_sells_no_place_twice(world: World) -> None:
    await world.lesson(capacity=5)
    for number in range(5):
        await world.book(f"u{number}", LESSON)
    await world.monitor.pushed(LESSON, FREE)
    late = await asyncio.gather(*(world.book(f"late{number}", LESSON) for number in range(5)), return_exceptions=True)
    assert [one for one in late if isinstance(one, UserLesson)] == []
    found = await world.lesson_now()
    assert (found.booked, found.booked_here, elsewhere(found)) == (5, 5, 0)


async def test_what_both_sides_have_sold_is_added_up(world: World) -> None:
    await world.lesson(capacity=5)
    await world.book("hana", LESSON)
    await world.book("ren", LESSON)
    await world.monitor.pushed(LESSON, Availability(3, 5, True))
    found = await world.lesson_now()
    assert (found.booked, found.booked_here, elsewhere(found)) == (4, 2, 2)
    await world.cancel("hana", LESSON)
    found = await world.lesson_now()
    assert (found.booked, found.booked_here, elsewhere(found)) == (3, 1, 2)


async def test_a_word_that_meets_a_booking_is_not_lost(world: World) -> None:
    await world.lesson(capacity=20)
    users = [f"u{number}" for number in range(12)]
    booked, _ = await asyncio.gather(
        asyncio.gather(*(world.book(user, LESSON) for user in users), return_exceptions=True),
        world.monitor.pushed(LESSON, Availability(4, 20, True)),
    )
    here = sum(isinstance(one, UserLesson) for one in booked)
    found = await world.lesson_now()
    assert (found.booked_here, elsewhere(found)) == (here, 16)
    assert all(isinstance(one, UserLesson | Refusal) for one in booked)


async def test_a_lesson_that_others_sell_is_watched_and_not_sold(world: World) -> None:
    await world.lesson(capacity=0)
    await world.join("hana", LESSON)
    world.settle()
    assert await world.monitor.pushed(LESSON, Availability(3, 20, True)) == 1
    with pytest.raises(refusals.BookedElsewhere):
        await world.book("hana", LESSON)
    found = await tie(world, "hana", TieKind.WAITLIST)
    assert found is not None
    assert found.status is Status.ACTIVE


# Counts of the version before


async def old_row(world: World, capacity: int, booked: int, users: int) -> None:
    """A lesson as it was stored before own bookings were counted apart."""
    await world.lesson(capacity=100)
    for number in range(users):
        await world.book(f"u{number}", LESSON)
    update = lessons.update(LESSON.studio_code, LESSON.lesson_date, LESSON.start_time)
    update = update.set(Lesson.capacity, capacity).set(Lesson.booked, booked).remove(Lesson.booked_here)
    await world.db.write(update)
    world.clock.advance(120)


@pytest.mark.parametrize(("booked", "expected"), [(5, (5, 3, 2)), (0, (3, 3, 0)), (3, (3, 3, 0))])
async def test_old_rows_are_counted(world: World, booked: int, expected: tuple[int, ...]) -> None:
    await old_row(world, 5, booked, 3)
    await Counts(world.db, world.clock).count_all(["gnz", "sby"])
    found = await world.lesson_now()
    assert (found.booked, found.booked_here, elsewhere(found)) == expected


async def test_an_old_row_can_be_booked_and_cancelled_before_it_is_counted(world: World) -> None:
    await old_row(world, 5, 3, 3)
    await world.book("late", LESSON)
    await world.cancel("u0", LESSON)
    found = await world.lesson_now()
    assert (found.booked, found.booked_here) == (3, None)
    counts = Counts(world.db, world.clock)
    assert await counts.count_all(["gnz"]) == 1, "changed a moment ago: the index may be behind, so it waits"
    assert (await world.lesson_now()).booked_here is None
    world.clock.advance(120)
    assert await counts.count_all(["gnz"]) == 0
    assert (await world.lesson_now()).booked_here == 3


async def test_a_push_about_an_old_row_sells_no_place_twice(world: World) -> None:
    await old_row(world, 5, 5, 5)
    await world.monitor.pushed(LESSON, FREE)
    found = await world.lesson_now()
    assert (found.booked, found.booked_here) == (5, 5)


async def test_counting_goes_on_where_it_was_cut_off(world: World) -> None:
    slots = [Slot("gnz", LESSON.lesson_date, time(8 + hour, 0)) for hour in range(6)]
    for slot in slots:
        await world.lesson(slot, capacity=9, booked=4, booked_here=None)
    world.clock.advance(120)
    store = cast(Store, dying(world.db.store, 4, KeyboardInterrupt, operations=["UpdateItem"]))
    cut = design.open(store, env="test", clock=world.clock)
    with pytest.raises(KeyboardInterrupt):
        await Counts(cut, world.clock).count_all(["gnz"])
    done = [(await world.lesson_now(slot)).booked_here for slot in slots]
    assert sorted(one is None for one in done) == [False] * 3 + [True] * 3
    assert await Counts(world.db, world.clock).count_all(["gnz"]) == 0
    request = {"TableName": world.db.table_name(lessons_table), "ConsistentRead": True}
    answer = await world.db.store.call("Scan", request)
    assert [item["bookedHere"]["N"] for item in answer["Items"]] == ["0"] * 6
