from __future__ import annotations

import pytest

from sekkei.runtime.refusals import Changed
from sekkei_systems.lessons.design import Status, TieKind
from tests.systems.lessons.steps import booked, tie
from tests.systems.lessons.world import LESSON, STAFF, World


async def test_a_lesson_called_off_by_mistake_takes_place_with_everybody(world: World) -> None:
    await world.lesson(capacity=1)
    for user in ("hana", "ren"):
        await world.person(user)
    await world.book("hana", LESSON)
    await world.join("ren", LESSON)
    await world.service.desk.call_off(STAFF, LESSON, "台風のため")
    world.settle()
    await world.jobs.changed({"slot": str(LESSON)})
    assert await booked(world) == 0
    assert await world.service.restoring.bring_back(LESSON) == 2
    found = await world.lesson_now()
    assert (found.called_off, found.is_open, found.booked, found.called_off_words) == (False, True, 1, None)
    for user, kind in (("hana", TieKind.BOOKING), ("ren", TieKind.WAITLIST)):
        back = await tie(world, user, kind)
        assert back is not None
        assert (back.status, back.ended_with_lesson) == (Status.ACTIVE, None)
        assert (back.ttl is None) == (kind is TieKind.BOOKING)
    world.settle()
    await world.jobs.restore({"slot": str(LESSON)})
    await world.jobs.changed({"slot": str(LESSON)})
    assert await booked(world) == 1
    told = [(one.to, str(one.body["text"])) for one in await world.notices()]
    assert sum("台風のため" in text for _, text in told) == 2
    assert sum("予定どおり" in text for _, text in told) == 2
    with pytest.raises(Changed):
        await world.service.restoring.bring_back(LESSON)


async def test_who_was_being_told_when_it_was_brought_back_keeps_the_booking(world: World) -> None:
    """The reaction to calling off has read the lesson, and writes when it is no longer off."""
    await world.lesson(capacity=1)
    await world.person("hana")
    await world.book("hana", LESSON)
    await world.service.desk.call_off(STAFF, LESSON)
    world.settle()
    off = await world.lesson_now()
    await world.service.restoring.bring_back(LESSON)
    still = await tie(world, "hana", TieKind.BOOKING)
    assert still is not None
    assert await world.alerts._bring_up_to_date([still], off, world.ties.now()) == 0
    assert await booked(world) == 1
