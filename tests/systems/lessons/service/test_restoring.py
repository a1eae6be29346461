from __future__ import annotations

import pytest

from sekkei.runtime.refusals import Changed
from sekkei_systems.lessons.design import Status, TieKind, register
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.timetable import LessonDraft
from tests.systems.lessons.steps import booked, tie
from tests.systems.lessons.world import LESSON, STAFF, World


async def _called_off(world: World, words: str = "") -> None:
    """hana has booked the only place and ren waits; both have heard that it is off."""
    await world.lesson(capacity=1)
    for user in ("hana", "ren"):
        await world.person(user)
    await world.book("hana", LESSON)
    await world.join("ren", LESSON)
    world.settle()
    await world.service.desk.call_off(STAFF, LESSON, words)
    await world.jobs.changed({"slot": str(LESSON)})


async def test_a_lesson_called_off_by_mistake_takes_place_with_everybody(world: World) -> None:
    await _called_off(world, "台風のため")
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


async def test_a_lesson_brought_back_by_a_process_that_dies_opens_all_the_same(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between bringing it back and opening it."""
    await world.lesson(capacity=2)
    await world.person("hana")
    await world.book("hana", LESSON)
    await world.service.desk.call_off(STAFF, LESSON)
    world.settle()
    await world.jobs.changed({"slot": str(LESSON)})

    async def dies(slot: Slot) -> int:
        raise ConnectionError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(world.service.restoring, "restore", dies)
        with pytest.raises(ConnectionError):
            await world.service.restoring.bring_back(LESSON)
    assert not (await world.lesson_now()).is_open
    world.settle()
    await world.jobs.restore({"slot": str(LESSON)})
    found = await world.lesson_now()
    assert (found.is_open, found.booked, found.opens_after) == (True, 1, None)


async def test_a_lesson_that_was_closed_since_stays_closed(world: World) -> None:
    """The schedule that sees to what was cut off comes a minute later."""
    await world.lesson(capacity=2)
    await world.service.desk.call_off(STAFF, LESSON)
    await world.service.restoring.bring_back(LESSON)
    await world.service.desk.change(STAFF, LessonDraft(LESSON, is_open=False))
    await world.jobs.restore({"slot": str(LESSON)})
    assert not (await world.lesson_now()).is_open


async def test_whoever_booked_in_the_studios_own_system_is_told_to_book_again(world: World) -> None:
    """Their place was given back there with the lesson."""
    await world.lesson(capacity=1)
    await world.person("hana")
    await world.book("hana", LESSON)
    world.service.sellers.ports = frozenset({"gnz"})
    await world.service.desk.call_off(STAFF, LESSON)
    world.settle()
    await world.jobs.changed({"slot": str(LESSON)})
    assert await world.service.restoring.bring_back(LESSON) == 0
    for _ in range(2):
        world.settle()
        await world.jobs.restore({"slot": str(LESSON)})
    ended = await tie(world, "hana", TieKind.BOOKING)
    assert ended is not None
    assert ended.status is Status.CANCELLED
    told = [str(one.body["text"]) for one in await world.notices()]
    assert sum("もう一度" in text for text in told) == 1


async def test_whoever_is_booked_again_waits_no_longer(world: World) -> None:
    """They had asked to wait in the moment in which it was called off, of an earlier version."""
    await _called_off(world)
    waiting = world.ties.made("hana", await world.lesson_now(), TieKind.WAITLIST, queue_key="1")
    await world.db.write(register(waiting))
    await world.service.restoring.bring_back(LESSON)
    found = [await tie(world, "hana", kind) for kind in (TieKind.BOOKING, TieKind.WAITLIST)]
    assert [one and one.status for one in found] == [Status.ACTIVE, Status.COMPLETED]


async def test_whoever_has_booked_since_does_not_wait_again(world: World) -> None:
    """Whoever brought it back came no further than to open it."""
    await _called_off(world)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world.service.restoring, "restore", _nobody)
        await world.service.restoring.bring_back(LESSON)
    await world.book("ren", LESSON)
    world.settle()
    await world.jobs.restore({"slot": str(LESSON)})
    waited = await tie(world, "ren", TieKind.WAITLIST)
    assert waited is not None
    assert (waited.status, waited.ended_with_lesson) == (Status.COMPLETED, None)


async def _nobody(slot: Slot) -> int:
    return 0
