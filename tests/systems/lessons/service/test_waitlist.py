from __future__ import annotations

import asyncio

import pytest

from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, Status, TieKind, lessons
from tests.systems.lessons.steps import tie
from tests.systems.lessons.world import LESSON, World


async def test_registering_again_after_cancelling_works(world: World) -> None:
    await world.lesson(capacity=0)
    first = await world.join("hana", LESSON)
    with pytest.raises(refusals.AlreadyRegistered):
        await world.join("hana", LESSON)
    await world.leave("hana", LESSON)
    with pytest.raises(refusals.NoSuchTie):
        await world.leave("hana", LESSON)
    again = await world.join("hana", LESSON)
    assert again.waitlist_id != first.waitlist_id
    found = await tie(world, "hana", TieKind.WAITLIST)
    assert found is not None
    assert found.status is Status.ACTIVE


async def test_the_queue_has_the_order_of_registration(world: World) -> None:
    await world.lesson(capacity=0)
    for number in (3, 1, 2):
        await world.join(f"u{number}", LESSON)
        world.clock.advance(0.01)
        assert (await world.view(f"u{number}", LESSON)).position is not None, "known at once, index or not"
    world.settle()
    assert [entry.user_id for entry in await world.queue(LESSON)] == ["u3", "u1", "u2"]
    assert (await world.view("u2", LESSON)).position == 3
    await world.leave("u1", LESSON)
    assert (await world.view("u1", LESSON)).position is None


async def test_who_gave_a_place_from_the_waitlist_back_may_wait_again(world: World) -> None:
    await world.lesson(capacity=1)
    await world.book("ren", LESSON)
    await world.join("hana", LESSON)
    await world.cancel("ren", LESSON)
    await world.book("hana", LESSON)
    await world.cancel("hana", LESSON)
    await world.book("ren", LESSON)
    await world.join("hana", LESSON)
    waiting = await tie(world, "hana", TieKind.WAITLIST)
    assert waiting is not None
    assert waiting.status is Status.ACTIVE


async def test_nobody_waits_for_what_they_have_booked(world: World) -> None:
    await world.lesson(capacity=40)
    users = [f"u{number}" for number in range(20)]

    async def fill(user: str) -> None:
        await asyncio.gather(world.book(user, LESSON), world.join(user, LESSON), return_exceptions=True)

    update = lessons.update(LESSON.studio_code, LESSON.lesson_date, LESSON.start_time)
    await world.db.write(update.set(Lesson.booked, 40))
    racing = [fill(user) for user in users]
    await asyncio.gather(*racing, world.db.write(update.set(Lesson.booked, 0)))
    for user in users:
        found = [await tie(world, user, kind) for kind in (TieKind.BOOKING, TieKind.WAITLIST)]
        active = [one for one in found if one is not None and one.status is Status.ACTIVE]
        assert len(active) <= 1, user
