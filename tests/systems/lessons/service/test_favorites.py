"""Favourites and their notes."""

from __future__ import annotations

from dataclasses import replace
from datetime import time

import pytest

from sekkei.runtime.refusals import Changed
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, Status, TieKind
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.ties import NOTE_LENGTH_MAX
from sekkei_systems.lessons.service.access import Member
from tests.systems.lessons.steps import tie
from tests.systems.lessons.world import LESSON, STAFF, World

HANA = Member("hana")


async def test_a_favourite_with_a_note_that_changes_and_goes(world: World) -> None:
    await world.lesson()
    favorites = world.service.favorites
    assert (await favorites.save(HANA, LESSON, "タオル")).notes == "タオル"
    assert (await favorites.save(HANA, LESSON, "水")).notes == "水"
    assert (await favorites.change_note(HANA, LESSON, None)).notes is None
    await favorites.remove(HANA, LESSON)
    with pytest.raises(refusals.NoSuchTie):
        await favorites.change_note(HANA, LESSON, "水")
    with pytest.raises(refusals.NoSuchTie):
        await favorites.remove(HANA, LESSON)
    found = await tie(world, "hana", TieKind.FAVORITE)
    assert found is not None
    assert found.status is Status.CANCELLED


async def test_a_note_has_a_limit_and_a_lesson_must_be_there(world: World) -> None:
    await world.lesson()
    with pytest.raises(refusals.NoteTooLong):
        await world.like("hana", LESSON, "x" * (NOTE_LENGTH_MAX + 1))
    with pytest.raises(refusals.NoSuchLesson):
        await world.like("hana", Slot("gnz", LESSON.lesson_date, time(5, 0)), "x")
    assert await tie(world, "hana", TieKind.FAVORITE) is None


async def test_a_lesson_that_is_called_off_is_no_favourite(world: World) -> None:
    """It would end with the next look at the lesson, and they would hear once more that it is off."""
    await world.lesson()
    await world.service.desk.call_off(STAFF, LESSON)
    with pytest.raises(refusals.Closed):
        await world.like("hana", LESSON)


@pytest.mark.parametrize("moved", [False, True])
async def test_a_lesson_that_is_off_or_moved_in_that_moment_is_no_favourite(
    world: World, monkeypatch: pytest.MonkeyPatch, moved: bool
) -> None:
    """Everybody who was there had been told, and they would have heard of it by themselves, or once more."""
    await world.lesson()
    timetable = world.service.favorites.timetable
    read = timetable.upcoming

    async def slow(slot: Slot) -> Lesson:
        found = await read(slot)
        monkeypatch.undo()
        if moved:
            await world.service.moves.move(STAFF, LESSON, replace(LESSON, start_time=time(21, 0)))
        else:
            await world.service.desk.call_off(STAFF, LESSON)
        return found

    monkeypatch.setattr(timetable, "upcoming", slow)
    with pytest.raises(Changed):
        await world.like("hana", LESSON)
    assert await tie(world, "hana", TieKind.FAVORITE) is None
