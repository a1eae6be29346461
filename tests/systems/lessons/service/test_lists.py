from __future__ import annotations

from dataclasses import replace
from datetime import date, time, timedelta

import pytest

from sekkei.runtime.refusals import Changed
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, Status, TieKind, UserLesson
from sekkei_systems.lessons.rules.slots import NOTE_LENGTH_MAX, Slot, slot_of
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.lists import statistics
from tests.systems.lessons.steps import tie
from tests.systems.lessons.world import LESSON, STAFF, World


async def test_my_list_is_in_time_order_across_studios(world: World) -> None:
    slots = [Slot("sby", date(2025, 8, 1), time(9, 0)), LESSON, Slot("aaa", date(2025, 7, 31), time(7, 0))]
    for one in slots:
        await world.lesson(one, capacity=9)
        await world.like("hana", one)
    await world.book("hana", LESSON)
    found = await world.list_of("hana")
    assert [(entry.studio_code, entry.kind.value) for entry in found] == [
        ("gnz", "booking"),
        ("gnz", "favorite"),
        ("aaa", "favorite"),
        ("sby", "favorite"),
    ]
    world.settle()
    assert [entry.studio_code for entry in await world.list_of("hana", TieKind.FAVORITE)] == [
        "gnz",
        "aaa",
        "sby",
    ]


async def test_overlapping_bookings_are_noticed(world: World) -> None:
    other = Slot("sby", LESSON.lesson_date, time(20, 0))
    await world.lesson(capacity=9, end_time=time(20, 15))
    await world.lesson(other, capacity=9)
    await world.book("hana", LESSON)
    world.settle()
    wanted = await world.service.timetable.get(other)
    assert [found.studio_code for found in await world.service.lists.overlaps(Member("hana"), wanted)] == ["gnz"]


async def test_a_kind_between_two_days_ends_at_midnight_in_japan(world: World) -> None:
    days_of = [Slot("gnz", date(2025, 7, 30), time(0, 0)), Slot("sby", date(2025, 7, 30), time(23, 59))]
    others = [Slot("gnz", date(2025, 7, 29), time(23, 59)), Slot("gnz", date(2025, 7, 31), time(0, 0))]
    for one in (*days_of, *others):
        await world.lesson(one, capacity=9)
        await world.book("hana", one)
    world.settle()
    day = date(2025, 7, 30)
    for kind in (None, TieKind.BOOKING):
        assert [slot_of(one) for one in await world.list_of("hana", kind, day, day)] == days_of
    assert await world.list_of("hana", TieKind.BOOKING, day, day - timedelta(days=1)) == []


# Attendance out of history.


def took(day: date, instructor: str, attended: bool | None = None) -> UserLesson:
    return UserLesson(
        user_id="hana",
        studio_code="gnz",
        lesson_date=day,
        start_time=LESSON.start_time,
        lesson_name="House",
        instructor=instructor,
        kind=TieKind.HISTORY,
        created_at=LESSON.starts_at,
        updated_at=LESSON.starts_at,
        attended=attended,
    )


def test_who_did_not_come_was_not_there() -> None:
    june, july = date(2025, 6, 30), date(2025, 7, 1)
    found = statistics([took(july, "Mako"), took(june, "YUKI", True), took(july, "YUKI"), took(july, "Rin", False)], 2)
    assert (found.lessons, found.absences, found.late_cancels) == (3, 1, 2)
    assert found.months == [("2025-06", 1), ("2025-07", 2)]
    assert found.instructors == [("YUKI", 2), ("Mako", 1)]


# Favourites and their notes.


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
