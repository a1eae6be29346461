from __future__ import annotations

import asyncio
from datetime import date, time, timedelta
from typing import Any, cast

import pytest

from sekkei.design import replace
from sekkei.runtime import days
from sekkei.runtime.settings import Settings
from sekkei.store import Store
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    Lesson,
    Status,
    TieKind,
    UserLesson,
    design,
    lesson,
    lessons,
    user_lesson,
    user_lessons_table,
)
from sekkei_systems.lessons.providers import Availability
from sekkei_systems.lessons.rules import Policy, Slot, parse_slot, slot, slot_of
from sekkei_systems.lessons.service import Actor, Service
from sekkei_systems.lessons.studios import Staff, staff_of
from tests.systems.lessons.conftest import LESSON, STAFF, STUDIOS, World


async def tie(world: World, user: str, kind: TieKind, slot: Slot = LESSON) -> UserLesson | None:
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
    found = await tie(world, "hana", TieKind.WAITLIST)
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
    waiting = await tie(world, "hana", TieKind.WAITLIST)
    assert waiting is not None
    assert waiting.status is Status.ACTIVE, "a booking that failed leaves the waitlist as it was"
    await world.service.cancel_booking("ren", LESSON)
    await world.service.book("hana", LESSON)
    waiting = await tie(world, "hana", TieKind.WAITLIST)
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
    assert [entry.studio_code for entry in await world.service.my_list("hana", TieKind.FAVORITE)] == [
        "gnz",
        "aaa",
        "sby",
    ]


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
    history = await tie(world, "hana", TieKind.HISTORY, late)
    booking = await tie(world, "hana", TieKind.BOOKING, late)
    assert history is not None
    assert booking is not None
    assert (history.status, history.reservation_id) == (Status.COMPLETED, booking.reservation_id)
    assert history.ttl is None
    assert booking.status is Status.COMPLETED
    favorite, still = (
        await tie(world, "hana", TieKind.FAVORITE, late),
        await tie(world, "hana", TieKind.FAVORITE, early),
    )
    assert favorite is not None
    assert still is not None
    assert (favorite.status, still.status) == (Status.EXPIRED, Status.ACTIVE)
    world.settle()
    assert (await world.service.statistics("hana")).studios == [("gnz", 1)]


# What the state machines leave open


async def test_who_gave_a_place_from_the_waitlist_back_may_wait_again(world: World) -> None:
    await world.lesson(capacity=1)
    await world.service.book("ren", LESSON)
    await world.service.join_waitlist("hana", LESSON)
    await world.service.cancel_booking("ren", LESSON)
    await world.service.book("hana", LESSON)
    await world.service.cancel_booking("hana", LESSON)
    await world.service.book("ren", LESSON)
    await world.service.join_waitlist("hana", LESSON)
    waiting = await tie(world, "hana", TieKind.WAITLIST)
    assert waiting is not None
    assert waiting.status is Status.ACTIVE


async def test_nobody_waits_for_what_they_have_booked(world: World) -> None:
    await world.lesson(capacity=40)
    users = [f"u{number}" for number in range(20)]

    async def fill(user: str) -> None:
        await asyncio.gather(
            world.service.book(user, LESSON), world.service.join_waitlist(user, LESSON), return_exceptions=True
        )

    update = lessons.update(LESSON.studio_code, LESSON.lesson_date, LESSON.start_time)
    await world.db.write(update.set(Lesson.booked, 40))
    racing = [fill(user) for user in users]
    await asyncio.gather(*racing, world.db.write(update.set(Lesson.booked, 0)))
    for user in users:
        found = [await tie(world, user, kind) for kind in (TieKind.BOOKING, TieKind.WAITLIST)]
        active = [one for one in found if one is not None and one.status is Status.ACTIVE]
        assert len(active) <= 1, user


class Dying:
    """A store whose caller dies at its n-th call, before it or after it."""

    def __init__(self, store: Store, at: int, after: bool) -> None:
        self._store, self._left, self._after = store, at, after

    async def call(self, operation: str, request: Any) -> Any:
        self._left -= 1
        if self._left == 0 and not self._after:
            raise KeyboardInterrupt
        answer = await self._store.call(operation, request)
        if self._left == 0:
            raise KeyboardInterrupt
        return answer

    async def close(self) -> None: ...


@pytest.mark.parametrize("after", [False, True])
async def test_dying_between_waitlist_and_booking_leaves_no_half_state(world: World, after: bool) -> None:
    for number in range(1, 6):
        slot = Slot("gnz", LESSON.lesson_date, time(8 + number, 0))
        await world.lesson(slot, capacity=1)
        await world.service.book("ren", slot)
        await world.service.join_waitlist("hana", slot)
        await world.service.cancel_booking("ren", slot)
        dying = design.open(cast(Store, Dying(world.db.store, number, after)), env="test", clock=world.clock)
        try:
            await Service(dying, world.clock, Policy()).book("hana", slot)
        except KeyboardInterrupt:
            pass
        waiting, booking = (
            await tie(world, "hana", TieKind.WAITLIST, slot),
            await tie(world, "hana", TieKind.BOOKING, slot),
        )
        assert waiting is not None
        states = (waiting.status, booking and booking.status, await booked(world, slot))
        assert states in ((Status.ACTIVE, None, 0), (Status.COMPLETED, Status.ACTIVE, 1)), (number, states)


# Time to live


async def test_history_outlives_the_booking(world: World) -> None:
    await world.lesson(capacity=3)
    made = await world.service.book("hana", LESSON)
    assert made.ttl is None, "not before it is history"
    await world.service.book("ren", LESSON)
    await world.service.cancel_booking("ren", LESSON)
    given_back = await tie(world, "ren", TieKind.BOOKING)
    assert given_back is not None
    assert given_back.ttl == LESSON.starts_at + timedelta(days=7)
    world.clock.set((LESSON.starts_at + timedelta(days=20)).timestamp())
    await world.jobs.expire({})
    assert await tie(world, "hana", TieKind.BOOKING) is None, "its time is over, whether it has been deleted or not"
    history = await tie(world, "hana", TieKind.HISTORY)
    assert history is not None
    assert (history.reservation_id, history.ttl) == (made.reservation_id, None)
    world.settle()
    assert [one.kind for one in await world.service.my_list("hana")] == [TieKind.HISTORY]


# Looking things up


async def test_ids_lead_to_their_ties_for_their_owners(world: World) -> None:
    await world.lesson(capacity=1)
    booking = await world.service.book("ren", LESSON)
    waiting = await world.service.join_waitlist("hana", LESSON)
    world.settle()
    assert waiting.waitlist_id is not None
    assert booking.reservation_id is not None
    assert (await world.service.by_waitlist_id("hana", waiting.waitlist_id)).kind is TieKind.WAITLIST
    assert (await world.service.by_reservation_id("ren", booking.reservation_id)).kind is TieKind.BOOKING
    for user, wrong in (("ren", waiting.waitlist_id), ("hana", "wl_none")):
        with pytest.raises(refusals.NoSuchTie):
            await world.service.by_waitlist_id(user, wrong)
    with pytest.raises(refusals.NoSuchTie):
        await world.service.by_reservation_id("hana", booking.reservation_id)
    world.clock.set((LESSON.starts_at + timedelta(hours=1)).timestamp())
    await world.jobs.expire({})
    world.settle()
    assert (await world.service.by_reservation_id("ren", booking.reservation_id)).kind is TieKind.HISTORY


async def test_a_kind_between_two_days_ends_at_midnight_in_japan(world: World) -> None:
    days_of = [Slot("gnz", date(2025, 7, 30), time(0, 0)), Slot("sby", date(2025, 7, 30), time(23, 59))]
    others = [Slot("gnz", date(2025, 7, 29), time(23, 59)), Slot("gnz", date(2025, 7, 31), time(0, 0))]
    for one in (*days_of, *others):
        await world.lesson(one, capacity=9)
        await world.service.book("hana", one)
    world.settle()
    day = date(2025, 7, 30)
    for kind in (None, TieKind.BOOKING):
        assert [slot_of(one) for one in await world.service.my_list("hana", kind, day, day)] == days_of
    assert await world.service.my_list("hana", TieKind.BOOKING, day, day - timedelta(days=1)) == []


# Cancelling late, and coming


async def test_cancelling_late_is_noted(world: World) -> None:
    await world.lesson(capacity=3)
    await world.service.book("hana", LESSON)
    await world.service.book("ren", LESSON)
    await world.service.cancel_booking("ren", LESSON)
    world.clock.set((LESSON.starts_at - timedelta(hours=2)).timestamp())
    await world.service.cancel_booking("hana", LESSON)
    world.settle()
    assert [(await world.service.statistics(user)).late_cancels for user in ("hana", "ren")] == [1, 0]


async def test_attendance(world: World) -> None:
    await world.lesson(capacity=3)
    for user in ("hana", "ren", "sora"):
        await world.service.book(user, LESSON)
    with pytest.raises(refusals.TooEarly):
        await world.service.mark_attendance(STAFF, LESSON, "hana", True)
    world.clock.set((LESSON.starts_at - timedelta(minutes=10)).timestamp())
    await world.service.mark_attendance(STAFF, LESSON, "hana", True)
    world.clock.set((LESSON.starts_at + timedelta(hours=1)).timestamp())
    await world.jobs.expire({})
    await world.service.mark_attendance(STAFF, LESSON, "ren", False)
    with pytest.raises(refusals.NoSuchTie):
        await world.service.mark_attendance(STAFF, LESSON, "nobody", True)
    world.settle()
    roll = await world.service.roll(STAFF, LESSON)
    assert {one.user_id: one.attended for one in roll.booked} == {"hana": True, "ren": False, "sora": None}
    figures = {user: await world.service.statistics(user) for user in ("hana", "ren", "sora")}
    assert {user: (one.lessons, one.absences) for user, one in figures.items()} == {
        "hana": (1, 0),
        "ren": (0, 1),
        "sora": (1, 0),
    }
    assert figures["hana"].months == [("2025-07", 1)]
    assert figures["hana"].names == [("BSL House 1", 1)]


# Rights


async def test_only_those_who_run_a_studio_see_and_change_it(world: World) -> None:
    found = await world.lesson(capacity=3)
    other = replace(found, start_time=time(9, 0))
    service = Service(
        world.db, world.clock, Policy(), STUDIOS, Staff({"gnz": frozenset({"a@x"}), "sby": frozenset({"b@x"})})
    )
    strangers = [Actor("b", "b@x"), Actor("c", ""), Actor("a@x", "someone@else")]
    for actor in strangers:
        for attempt in (
            service.roll(actor, LESSON),
            service.add_lesson(actor, other),
            service.change_lesson(actor, replace(found, instructor="Mako")),
            service.call_off(actor, LESSON),
            service.mark_attendance(actor, LESSON, "hana", True),
            service.take_in(actor, "gnz", "a.csv", b"studio,date,start,name,instructor\ngnz,2025-08-01,10:00,x,y\n"),
        ):
            with pytest.raises(refusals.NotStaff):
                await attempt
    world.settle()
    assert await service.timetable.between("gnz", LESSON.lesson_date, date(2025, 8, 2)) == [found]
    mine = Actor("a", "a@x")
    await service.add_lesson(mine, other)
    assert (await service.change_lesson(mine, replace(found, instructor="Mako"))).instructor == "Mako"
    assert [one and one.code for one in map(service.runs_any, (mine, strangers[0], strangers[1]))] == [
        "gnz",
        "sby",
        None,
    ]


def test_staff_as_it_is_set() -> None:
    settings = Settings(values={"lessons_staff": "a@x.example, gnz:B@x.example"})
    found = staff_of(settings)
    assert [found.runs("a@x.example", code) for code in ("gnz", "sby")] == [True, True]
    assert [found.runs("b@x.example", code) for code in ("gnz", "sby")] == [True, False]
    assert not found.runs("", "gnz")
    assert not staff_of(Settings()).runs("aoi@demo.example", "gnz"), "nobody, unless it is said or a demo"


async def test_a_second_lesson_in_one_slot_is_refused(world: World) -> None:
    there = await world.lesson(capacity=3, lesson_id="a")
    with pytest.raises(refusals.SlotTaken, match="BSL House 1"):
        await world.service.add_lesson(STAFF, replace(there, lesson_name="Yoga", lesson_id=None))
    with pytest.raises(refusals.SlotTaken):
        await world.service.change_lesson(STAFF, replace(there, lesson_name="Yoga", lesson_id="b"))
    assert await world.service.timetable.get(LESSON) == there


@pytest.mark.parametrize("gone", [False, True])
async def test_a_booking_that_nobody_counts_any_more_can_be_cancelled(world: World, gone: bool) -> None:
    await world.lesson(capacity=2)
    await world.service.book("u1", LESSON)
    slot = (LESSON.studio_code, LESSON.lesson_date, LESSON.start_time)
    if gone:
        await world.db.write(lessons.delete(*slot))
    else:
        await world.monitor.pushed(LESSON, Availability(2, 2, True))
    await world.service.cancel_booking("u1", LESSON)
    assert (await world.db.need(user_lesson("u1", *slot, TieKind.BOOKING))).status is Status.CANCELLED
    assert gone or (await world.lesson_now()).booked == 0
