from __future__ import annotations

import asyncio
from datetime import time, timedelta
from typing import cast

import pytest

from sekkei.store import Store
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Status, TieKind, UserLesson, design, lessons, user_lesson
from sekkei_systems.lessons.rules.places import Availability
from sekkei_systems.lessons.rules.policy import Policy
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.access import Member
from tests.scripted_store import dying
from tests.systems.lessons.steps import booked, tie
from tests.systems.lessons.world import LESSON, World, bookings_on


async def test_a_hundred_race_for_one_place(world: World) -> None:
    await world.lesson(capacity=1)
    results = await asyncio.gather(*(world.book(f"u{number}", LESSON) for number in range(100)), return_exceptions=True)
    won = [found for found in results if isinstance(found, UserLesson)]
    assert len(won) == 1
    assert all(isinstance(found, refusals.Full) for found in results if not isinstance(found, UserLesson))
    assert await booked(world) == 1


async def test_booking_from_the_waitlist_is_one_step(world: World) -> None:
    await world.lesson(capacity=1)
    await world.book("ren", LESSON)
    await world.join("hana", LESSON)
    with pytest.raises(refusals.Full):
        await world.book("hana", LESSON)
    waiting = await tie(world, "hana", TieKind.WAITLIST)
    assert waiting is not None
    assert waiting.status is Status.ACTIVE, "a booking that failed leaves the waitlist as it was"
    await world.cancel("ren", LESSON)
    await world.book("hana", LESSON)
    waiting = await tie(world, "hana", TieKind.WAITLIST)
    assert waiting is not None
    assert waiting.status is Status.COMPLETED
    assert await booked(world) == 1
    world.settle()
    assert await world.queue(LESSON) == []


async def test_cancelling_gives_the_place_back_once(world: World) -> None:
    await world.lesson(capacity=3)
    await world.book("hana", LESSON)
    await world.cancel("hana", LESSON)
    with pytest.raises(refusals.NoSuchTie):
        await world.cancel("hana", LESSON)
    assert await booked(world) == 0


async def test_what_cannot_be_booked(world: World) -> None:
    with pytest.raises(refusals.NoSuchLesson):
        await world.book("hana", LESSON)
    await world.lesson(capacity=5, is_open=False)
    with pytest.raises(refusals.Closed):
        await world.book("hana", LESSON)
    await world.lesson(capacity=5)
    with pytest.raises(refusals.NotFull):
        await world.join("hana", LESSON)
    world.clock.set(LESSON.starts_at.timestamp() - 30 * 60)
    await world.book("hana", LESSON)
    with pytest.raises(refusals.TooLateToCancel):
        await world.cancel("hana", LESSON)
    world.clock.set(LESSON.starts_at.timestamp())
    with pytest.raises(refusals.LessonOver):
        await world.like("hana", LESSON)


@pytest.mark.parametrize("after", [False, True])
async def test_dying_between_waitlist_and_booking_leaves_no_half_state(world: World, after: bool) -> None:
    for number in range(1, 6):
        slot = Slot("gnz", LESSON.lesson_date, time(8 + number, 0))
        await world.lesson(slot, capacity=1)
        await world.book("ren", slot)
        await world.join("hana", slot)
        await world.cancel("ren", slot)
        store = cast(Store, dying(world.db.store, number, KeyboardInterrupt, done=after))
        db = design.open(store, env="test", clock=world.clock)
        try:
            await bookings_on(db, world.clock, Policy()).book(Member("hana"), slot)
        except KeyboardInterrupt:
            pass
        waiting, booking = (
            await tie(world, "hana", TieKind.WAITLIST, slot),
            await tie(world, "hana", TieKind.BOOKING, slot),
        )
        assert waiting is not None
        states = (waiting.status, booking and booking.status, await booked(world, slot))
        assert states in ((Status.ACTIVE, None, 0), (Status.COMPLETED, Status.ACTIVE, 1)), (number, states)


async def test_ids_lead_to_their_ties_for_their_owners(world: World) -> None:
    await world.lesson(capacity=1)
    booking = await world.book("ren", LESSON)
    waiting = await world.join("hana", LESSON)
    world.settle()
    assert waiting.waitlist_id is not None
    assert booking.reservation_id is not None
    assert (await world.service.waitlist.entry(Member("hana"), waiting.waitlist_id)).kind is TieKind.WAITLIST
    assert (await world.service.bookings.booking(Member("ren"), booking.reservation_id)).kind is TieKind.BOOKING
    for user, wrong in (("ren", waiting.waitlist_id), ("hana", "wl_none")):
        with pytest.raises(refusals.NoSuchTie):
            await world.service.waitlist.entry(Member(user), wrong)
    with pytest.raises(refusals.NoSuchTie):
        await world.service.bookings.booking(Member("hana"), booking.reservation_id)
    world.clock.set((LESSON.starts_at + timedelta(hours=1)).timestamp())
    await world.jobs.expire({})
    world.settle()
    assert (await world.service.bookings.booking(Member("ren"), booking.reservation_id)).kind is TieKind.HISTORY


async def test_cancelling_late_is_noted(world: World) -> None:
    await world.lesson(capacity=3)
    await world.book("hana", LESSON)
    await world.book("ren", LESSON)
    await world.cancel("ren", LESSON)
    world.clock.set((LESSON.starts_at - timedelta(hours=2)).timestamp())
    await world.cancel("hana", LESSON)
    world.settle()
    assert [(await world.statistics(user)).late_cancels for user in ("hana", "ren")] == [1, 0]


@pytest.mark.parametrize("gone", [False, True])
async def test_a_booking_that_nobody_counts_any_more_can_be_cancelled(world: World, gone: bool) -> None:
    await world.lesson(capacity=2)
    await world.book("u1", LESSON)
    slot = (LESSON.studio_code, LESSON.lesson_date, LESSON.start_time)
    if gone:
        await world.db.write(lessons.delete(*slot))
    else:
        await world.monitor.pushed(LESSON, Availability(2, 2, True))
    await world.cancel("u1", LESSON)
    assert (await world.db.need(user_lesson("u1", *slot, TieKind.BOOKING))).status is Status.CANCELLED
    assert gone or (await world.lesson_now()).booked == 0


async def test_a_place_goes_back_where_the_lesson_was_not_there_for_a_moment(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was moved there and back while somebody cancelled: the booking was the same, and its place stayed taken."""
    await world.lesson(capacity=2)
    await world.book("hana", LESSON)
    timetable = world.service.bookings.timetable

    async def not_there(slot: Slot) -> None:
        monkeypatch.undo()

    monkeypatch.setattr(timetable, "find", not_there)
    await world.cancel("hana", LESSON)
    assert await booked(world) == 0
