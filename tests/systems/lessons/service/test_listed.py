"""Lessons that vanish from a feed."""

from __future__ import annotations

from datetime import time

from sekkei_systems.lessons.design import Lesson, lessons
from sekkei_systems.lessons.rules.slots import Slot
from tests.systems.lessons.world import LESSON, World

OTHER = Slot("gnz", LESSON.lesson_date, time(9, 0))


async def test_what_a_feed_lists_no_longer_is_called_off_after_a_while(world: World) -> None:
    await world.lesson(LESSON)
    await world.lesson(OTHER)
    compare = world.service.listed.compare
    assert await compare("gnz", {LESSON}) == []
    assert await compare("gnz", set()) == []
    world.clock.advance(2 * 3600)
    assert await compare("gnz", set()) == []
    assert not (await world.lesson_now()).called_off, "a feed may be wrong for a while"
    world.clock.advance(3600)
    assert await compare("gnz", set()) == [LESSON]
    assert (await world.lesson_now()).called_off
    assert not (await world.lesson_now(OTHER)).called_off, "what was never listed is the desk's own"
    assert await compare("gnz", set()) == []


async def test_what_comes_back_in_time_stays(world: World) -> None:
    await world.lesson(LESSON)
    compare = world.service.listed.compare
    for listed in ({LESSON}, set(), {LESSON}, set()):
        await compare("gnz", listed)
        world.clock.advance(2 * 3600)
    assert await compare("gnz", set()) == []
    found = await world.lesson_now()
    assert (found.called_off, found.listed) == (False, True)


async def test_a_lesson_on_the_move_keeps_nothing_else_from_being_called_off(world: World) -> None:
    for slot in (LESSON, OTHER):
        await world.lesson(slot)
    compare = world.service.listed.compare
    await compare("gnz", {LESSON, OTHER})
    await compare("gnz", set())
    world.clock.advance(3 * 3600)
    await world.db.write(
        lessons.update("gnz", OTHER.lesson_date, OTHER.start_time).set(Lesson.moving_to, "gnz/2025-08-01/09:00")
    )
    assert await compare("gnz", set()) == [LESSON]
