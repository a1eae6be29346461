from __future__ import annotations

import asyncio
from datetime import date, time, timedelta

import pytest

from sekkei.runtime import days
from systems.lessons import refusals
from systems.lessons.design import Kind, Lesson, Status, UserLesson, lesson, user_lesson, user_lessons_table
from systems.lessons.rules import Slot, parse_slot, slot
from tests.systems.lessons.conftest import LESSON, World


async def tie(world: World, user: str, kind: Kind, slot: Slot = LESSON) -> UserLesson | None:
    return await world.db.get(user_lesson(user, slot.studio_code, slot.lesson_date, slot.start_time, kind))


async def booked(world: World, slot: Slot = LESSON) -> int:
    found: Lesson = await world.db.need(lesson(slot.studio_code, slot.lesson_date, slot.start_time))
    return found.booked


async def test_every_tie_carries_the_moment_of_its_lesson_and_a_fitting_ttl(world: World) -> None:
    await world.lesson(capacity=0)
    await world.service.add_favorite("hana", LESSON, "いつもの")
    await world.service.join_waitlist("hana", LESSON)
    name = world.db.table_name(user_lessons_table)
    answer = await world.db.store.call("Scan", {"TableName": name, "ConsistentRead": True})
    assert len(answer["Items"]) == 2
    for item in answer["Items"]:
        assert item["lessonDateTime"] == {"S": "2025-07-30T19:30:00+09:00"}
        assert int(item["ttl"]["N"]) == int((LESSON.starts_at + timedelta(days=7)).timestamp())
        assert item["SK"]["S"].startswith("LESSON#gnz#2025-07-30#19:30#")


async def test_registering_again_after_cancelling_works(world: World) -> None:
    await world.lesson(capacity=0)
    first = await world.service.join_waitlist("hana", LESSON)
    with pytest.raises(refusals.AlreadyRegistered):
        await world.service.join_waitlist("hana", LESSON)
    await world.service.leave_waitlist("hana", LESSON)
    with pytest.raises(refusals.NoSuchTie):
        await world.service.leave_waitlist("hana", LESSON)
    again = await world.service.join_waitlist("hana", LESSON)
    assert again.waitlist_id != first.waitlist_id
    found = await tie(world, "hana", Kind.WAITLIST)
    assert found is not None
    assert found.status is Status.ACTIVE


async def test_a_hundred_race_for_one_place(world: World) -> None:
    await world.lesson(capacity=1)
    results = await asyncio.gather(
        *(world.service.book(f"u{number}", LESSON) for number in range(100)), return_exceptions=True
    )
    won = [found for found in results if isinstance(found, UserLesson)]
    assert len(won) == 1
    assert all(isinstance(found, refusals.Full) for found in results if not isinstance(found, UserLesson))
    assert await booked(world) == 1


async def test_booking_from_the_waitlist_is_one_step(world: World) -> None:
    await world.lesson(capacity=1)
    await world.service.book("ren", LESSON)
    await world.service.join_waitlist("hana", LESSON)
    with pytest.raises(refusals.Full):
        await world.service.book("hana", LESSON)
    waiting = await tie(world, "hana", Kind.WAITLIST)
    assert waiting is not None
    assert waiting.status is Status.ACTIVE, "a booking that failed leaves the waitlist as it was"
    await world.service.cancel_booking("ren", LESSON)
    await world.service.book("hana", LESSON)
    waiting = await tie(world, "hana", Kind.WAITLIST)
    assert waiting is not None
    assert waiting.status is Status.COMPLETED
    assert await booked(world) == 1
    world.settle()
    assert await world.service.queue(LESSON) == []


async def test_cancelling_gives_the_place_back_once(world: World) -> None:
    await world.lesson(capacity=3)
    await world.service.book("hana", LESSON)
    await world.service.cancel_booking("hana", LESSON)
    with pytest.raises(refusals.NoSuchTie):
        await world.service.cancel_booking("hana", LESSON)
    assert await booked(world) == 0


async def test_what_cannot_be_booked(world: World) -> None:
    with pytest.raises(refusals.NoSuchLesson):
        await world.service.book("hana", LESSON)
    await world.lesson(capacity=5, is_open=False)
    with pytest.raises(refusals.Closed):
        await world.service.book("hana", LESSON)
    await world.lesson(capacity=5)
    with pytest.raises(refusals.NotFull):
        await world.service.join_waitlist("hana", LESSON)
    world.clock.set(LESSON.starts_at.timestamp() - 30 * 60)
    await world.service.book("hana", LESSON)
    with pytest.raises(refusals.TooLateToCancel):
        await world.service.cancel_booking("hana", LESSON)
    world.clock.set(LESSON.starts_at.timestamp())
    with pytest.raises(refusals.LessonOver):
        await world.service.add_favorite("hana", LESSON)


async def test_the_queue_has_the_order_of_registration(world: World) -> None:
    await world.lesson(capacity=0)
    for number in (3, 1, 2):
        await world.service.join_waitlist(f"u{number}", LESSON)
        world.clock.advance(0.01)
        assert (await world.service.view(f"u{number}", LESSON)).position is not None, "known at once, index or not"
    world.settle()
    assert [entry.user_id for entry in await world.service.queue(LESSON)] == ["u3", "u1", "u2"]
    assert (await world.service.view("u2", LESSON)).position == 3
    await world.service.leave_waitlist("u1", LESSON)
    assert (await world.service.view("u1", LESSON)).position is None


async def test_my_list_is_in_time_order_across_studios(world: World) -> None:
    slots = [Slot("sby", date(2025, 8, 1), time(9, 0)), LESSON, Slot("aaa", date(2025, 7, 31), time(7, 0))]
    for one in slots:
        await world.lesson(one, capacity=9)
        await world.service.add_favorite("hana", one)
    await world.service.book("hana", LESSON)
    found = await world.service.my_list("hana")
    assert [(entry.studio_code, entry.kind.value) for entry in found] == [
        ("gnz", "booking"),
        ("gnz", "favorite"),
        ("aaa", "favorite"),
        ("sby", "favorite"),
    ]
    world.settle()
    assert [entry.studio_code for entry in await world.service.my_list("hana", Kind.FAVORITE)] == ["gnz", "aaa", "sby"]


async def test_overlapping_bookings_are_noticed(world: World) -> None:
    other = Slot("sby", LESSON.lesson_date, time(20, 0))
    await world.lesson(capacity=9, end_time=time(20, 15))
    await world.lesson(other, capacity=9)
    await world.service.book("hana", LESSON)
    world.settle()
    wanted = await world.service.timetable.get(other)
    assert [found.studio_code for found in await world.service.overlaps("hana", wanted)] == ["gnz"]


@pytest.mark.parametrize(
    ("studio", "day", "start"),
    [
        ("g#z", "2025-07-30", "19:30"),
        ("GNZ", "2025-07-30", "19:30"),
        ("", "2025-07-30", "19:30"),
        ("gnz", "2025-02-30", "19:30"),
        ("gnz", "20250730", "19:30"),
        ("gnz", "2025-07-30", "9:5"),
        ("gnz", "2025-07-30", "24:00"),
    ],
)
def test_bad_slots(studio: str, day: str, start: str) -> None:
    with pytest.raises(refusals.BadSlot):
        slot(studio, day, start)


def test_a_slot_can_be_written_and_read() -> None:
    assert parse_slot(str(LESSON)) == LESSON


async def test_lessons_around_midnight_end_on_the_right_day(world: World) -> None:
    late, early = Slot("gnz", date(2025, 7, 30), time(23, 55)), Slot("gnz", date(2025, 7, 31), time(0, 5))
    for one in (late, early):
        await world.lesson(one, capacity=9)
        await world.service.book("hana", one)
        await world.service.add_favorite("hana", one)
    world.clock.set(days.at(date(2025, 7, 31), 0, 0).timestamp())
    await world.jobs.expire({})
    world.settle()
    await world.jobs.expire({})
    history = await tie(world, "hana", Kind.HISTORY, late)
    booking = await tie(world, "hana", Kind.BOOKING, late)
    assert history is not None
    assert booking is not None
    assert (history.status, history.reservation_id) == (Status.COMPLETED, booking.reservation_id)
    assert history.ttl is None
    assert booking.status is Status.COMPLETED
    favorite, still = await tie(world, "hana", Kind.FAVORITE, late), await tie(world, "hana", Kind.FAVORITE, early)
    assert favorite is not None
    assert still is not None
    assert (favorite.status, still.status) == (Status.EXPIRED, Status.ACTIVE)
    world.settle()
    assert (await world.service.statistics("hana")).studios == [("gnz", 1)]
