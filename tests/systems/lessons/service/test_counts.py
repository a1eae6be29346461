"""Own bookings and those of others are counted apart, so that nobody's word sells a place twice."""

from __future__ import annotations

import asyncio

import pytest

from sekkei.runtime.refusals import Refusal
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Status, TieKind, UserLesson
from sekkei_systems.lessons.rules.places import Availability, elsewhere
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
