from __future__ import annotations

import asyncio
import dataclasses
from datetime import time, timedelta
from typing import Any, cast

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.refusals import Changed, Refusal
from sekkei.store import Store
from sekkei_systems import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, Status, TieKind, UserLesson, design, lessons, user_lessons
from sekkei_systems.lessons.rules.places import Availability, elsewhere
from sekkei_systems.lessons.rules.policy import Fairness, Policy
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.service.access import Member
from tests.scripted_store import ScriptedStore, once
from tests.systems.lessons.steps import tie
from tests.systems.lessons.world import LESSON, STAFF, World, bookings_on, open_world


async def resize(world: World, capacity: int) -> None:
    update = lessons.update(LESSON.studio_code, LESSON.lesson_date, LESSON.start_time)
    await world.db.write(update.set(Lesson.capacity, capacity))


async def waiting(world: World, count: int) -> None:
    await world.lesson(capacity=0)
    for number in range(count):
        await world.join(f"u{number}", LESSON)
        world.clock.advance(0.01)
    await world.watch()


async def told(world: World) -> list[str]:
    return sorted(message.to.partition("@")[0] for message in await world.notices())


async def reachable_world(store: Store, clock: ManualClock, policy: Policy) -> World:
    """Notices go to those who have a contact, as in the system itself."""
    world = await open_world(store, clock, policy)
    monitor = dataclasses.replace(world.monitor, notices=world.service.notices)
    return dataclasses.replace(world, service=dataclasses.replace(world.service, monitor=monitor))


async def test_flapping_availability_gives_one_notice_per_opening(world: World) -> None:
    await waiting(world, 2)
    assert await told(world) == []
    for opening in range(1, 4):
        await resize(world, 1)
        for _ in range(3):
            await world.watch()
        assert len(await world.notices()) == 2 * opening
        await resize(world, 0)
        for _ in range(2):
            await world.watch()


async def test_two_monitors_at_once_notify_once(world: World) -> None:
    await waiting(world, 10)
    await resize(world, 1)
    world.settle()
    await asyncio.gather(*(world.monitor.run() for _ in range(4)))
    assert await told(world) == sorted(f"u{number}" for number in range(10))


async def test_who_booked_or_left_is_not_told_again(world: World) -> None:
    await waiting(world, 3)
    await resize(world, 1)
    await world.watch()
    await world.book("u0", LESSON)
    await world.leave("u1", LESSON)
    await world.watch()
    await resize(world, 2)
    await world.watch()
    assert await told(world) == ["u0", "u1", "u2", "u2"]


async def test_first_in_line_holds_the_place_and_passes_it_on(store: Store, clock: ManualClock) -> None:
    world = await open_world(store, clock, Policy(fairness=Fairness.FIRST_IN_LINE))
    await waiting(world, 3)
    await resize(world, 1)
    await world.watch()
    assert await told(world) == ["u0"]
    with pytest.raises(refusals.Held):
        await world.book("u1", LESSON)
    await world.watch()
    assert await told(world) == ["u0"], "the place is on offer already"
    clock.advance(31 * 60)
    await world.watch()
    assert await told(world) == ["u0", "u1"]
    await world.book("u1", LESSON)
    await world.watch()
    assert await told(world) == ["u0", "u1"]


async def test_near_the_start_everybody_is_told(store: Store, clock: ManualClock) -> None:
    world = await open_world(store, clock, Policy(fairness=Fairness.FIRST_IN_LINE))
    await waiting(world, 3)
    clock.set((LESSON.starts_at - timedelta(hours=3)).timestamp())
    await resize(world, 1)
    await world.watch()
    assert await told(world) == ["u0", "u1", "u2"]


async def test_nobody_is_told_too_late(world: World) -> None:
    await waiting(world, 1)
    world.clock.set((LESSON.starts_at - timedelta(minutes=5)).timestamp())
    await resize(world, 1)
    await world.watch()
    assert await told(world) == []


async def test_quiet_hours_put_a_notice_off(world: World) -> None:
    await waiting(world, 1)
    await world.person("u0", quiet_from=time(11, 0), quiet_until=time(15, 0))
    await resize(world, 1)
    await world.watch()
    (message,) = await world.notices()
    assert message.due_at == days.at(days.today(world.clock), 15)


async def test_a_push_opens_too(world: World) -> None:
    await waiting(world, 1)
    assert await world.monitor.pushed(LESSON, Availability(2, 20, True)) == 1
    assert await world.monitor.pushed(LESSON, Availability(2, 20, True)) == 0


async def test_an_index_that_is_behind_tells_nobody_wrongly(world: World) -> None:
    await waiting(world, 2)
    await resize(world, 1)
    world.settle()
    await world.leave("u0", LESSON)
    assert await world.monitor.run() == 1, "who has just left may still stand in the index"
    assert await world.monitor.run() == 0, "who has just been told may stand there as not told"
    assert await told(world) == ["u1"]


async def test_a_quiet_period_puts_the_next_opening_off(store: Store, clock: ManualClock) -> None:
    world = await open_world(store, clock, Policy(quiet_period=timedelta(minutes=10)))
    await waiting(world, 1)
    for capacity in (1, 0, 1):
        await resize(world, capacity)
        await world.watch()
    assert await told(world) == ["u0"]
    clock.advance(10 * 60)
    await world.watch()
    assert await told(world) == ["u0", "u0"], "what is still open after the pause is told"


async def test_a_full_moment_between_two_passes_is_an_opening_too(world: World) -> None:
    await waiting(world, 2)
    await resize(world, 1)
    await world.watch()
    full = await world.lesson_now()
    await world.monitor.filled(full, full)
    assert await world.watch() == 2
    await world.monitor.filled(full, full)
    assert await world.watch() == 0, "late word of what was over already"


async def test_two_monitors_at_once_hold_one_place_for_one(store: Store, clock: ManualClock) -> None:
    world = await open_world(store, clock, Policy(fairness=Fairness.FIRST_IN_LINE))
    await waiting(world, 6)
    await resize(world, 2)
    world.settle()
    await asyncio.gather(*(world.monitor.run() for _ in range(4)), return_exceptions=True)
    assert len(await told(world)) == 2


async def test_a_hold_cannot_be_overtaken(store: Store, clock: ManualClock) -> None:
    world = await open_world(store, clock, Policy(fairness=Fairness.FIRST_IN_LINE))
    await waiting(world, 3)
    await resize(world, 1)
    world.settle()
    # Everybody else tries at the very moment when the place is offered to the first in line.
    results = await asyncio.gather(
        world.monitor.run(),
        *(world.book(f"x{number}", LESSON) for number in range(20)),
        return_exceptions=True,
    )
    world.settle()
    offered = [tie for tie in await world.queue(LESSON) if tie.offer_until is not None]
    booked = [one for one in results if isinstance(one, UserLesson)]
    assert len(booked) + len(offered) == 1, "one place: either somebody was quicker than the offer, or it is held"
    if offered:
        assert (await world.book("u0", LESSON)).user_id == "u0"


async def test_what_a_push_says_is_shown_and_sold_elsewhere(world: World) -> None:
    await waiting(world, 1)
    assert await world.monitor.pushed(LESSON, Availability(1, 20, True)) == 1
    found = await world.lesson_now()
    assert (found.capacity, found.booked) == (20, 19)
    for user in ("u0", "u1"):
        with pytest.raises(refusals.BookedElsewhere):
            await world.book(user, LESSON)
    assert await world.watch() == 0
    await world.service.desk.call_off(STAFF, LESSON)
    await world.monitor.pushed(LESSON, Availability(5, 20, True))
    assert (await world.lesson_now()).is_open is False, "what is called off stays so, whatever a push says"


async def test_what_is_said_while_a_lesson_is_off_stands_when_it_is_brought_back(world: World) -> None:
    await waiting(world, 1)
    await world.monitor.pushed(LESSON, Availability(1, 20, True))
    await world.service.desk.call_off(STAFF, LESSON)
    await world.monitor.pushed(LESSON, Availability(0, 20, True))
    await world.service.restoring.bring_back(LESSON)
    found = await world.lesson_now()
    assert (found.is_open, found.booked) == (True, 20)


async def test_what_is_called_off_while_a_push_is_heard_stays_closed(world: World) -> None:
    await waiting(world, 1)
    filled, once = world.monitor._as_filled, [True]

    async def called_off(found: Lesson, queue: list[UserLesson]) -> Lesson:
        if once:
            once.clear()
            await world.service.desk.call_off(STAFF, LESSON)
        return await filled(found, queue)

    world.monitor._as_filled = called_off  # type: ignore[method-assign]
    await world.monitor.pushed(LESSON, Availability(3, 20, True))
    found = await world.lesson_now()
    assert (found.called_off, found.is_open, found.booked) == (True, False, 17)


async def test_a_push_that_is_overtaken_while_it_is_heard_changes_nothing(world: World) -> None:
    await waiting(world, 1)
    now = days.now(world.clock)
    await world.monitor.pushed(LESSON, Availability(0, 20, True), now - timedelta(seconds=20))

    async def push_first(operation: str, request: Any) -> None:
        """A newer push of the studio, before the queue is read."""
        if operation == "Query":
            assert await world.monitor.pushed(LESSON, Availability(0, 20, True), now) == 0

    store = ScriptedStore(world.db.store, before=push_first)
    db = design.open(cast(Store, store), env="test", clock=world.clock)
    slow = dataclasses.replace(world.monitor, db=db)
    assert await slow.pushed(LESSON, Availability(3, 20, True), now - timedelta(seconds=9)) == 0
    found = await world.lesson_now()
    assert (found.booked, found.was_available, found.episode) == (20, False, 0)
    assert await world.notices() == []


async def test_reads_grow_with_those_who_wait(world: World) -> None:
    far = [Slot("sby", LESSON.lesson_date + timedelta(days=number), time(9, 0)) for number in range(20, 30)]
    await waiting(world, 3)
    read = list[int]()

    def count(operation: str, request: Any, answer: Any) -> None:
        read.append(answer.get("ScannedCount", 0) + sum(len(one) for one in answer.get("Responses", {}).values()))

    counted = ScriptedStore(world.db.store, after=count)
    db = design.open(cast(Store, counted), env="test", clock=world.clock)
    monitor = dataclasses.replace(world.monitor, db=db)
    world.settle()
    await monitor.run()
    before = sum(read)
    read.clear()
    for slot in far:
        await world.lesson(slot, capacity=5)
        await world.book("hana", slot)
        await world.like("hana", slot)
    await world.like("hana", LESSON)
    world.settle()
    await monitor.run()
    assert (before, sum(read)) == (4, 4), "three who wait and their lesson"


async def test_what_is_paused_is_not_told(world: World) -> None:
    await waiting(world, 2)
    paused = user_lessons.update("u0", LESSON.studio_code, LESSON.lesson_date, LESSON.start_time, TieKind.WAITLIST)
    until = days.now(world.clock) + timedelta(hours=1)
    await world.db.write(paused.set(UserLesson.paused_until, until))
    await resize(world, 1)
    await world.watch()
    assert await told(world) == ["u1"]
    world.clock.advance(3601)
    await world.watch()
    assert await told(world) == ["u0", "u1"]


async def test_an_offer_made_while_somebody_else_books_is_kept(store: Store, clock: ManualClock) -> None:
    policy = Policy(fairness=Fairness.FIRST_IN_LINE)
    world = await open_world(store, clock, policy)
    await waiting(world, 1)
    await resize(world, 1)
    world.settle()
    slow = design.open(
        cast(Store, ScriptedStore(store, before=once("TransactWriteItems", world.watch))), env="test", clock=clock
    )
    with pytest.raises(refusals.Held):
        await bookings_on(slow, clock, policy).book(Member("x"), LESSON)
    assert (await world.book("u0", LESSON)).user_id == "u0"


async def test_who_cannot_be_reached_is_passed_over_and_keeps_their_place(store: Store, clock: ManualClock) -> None:
    world = await reachable_world(store, clock, Policy(fairness=Fairness.FIRST_IN_LINE))
    await world.person("u1", muted=frozenset({"opening"}))
    for user in ("u2", "u3"):
        await world.person(user)
    await waiting(world, 4)
    await resize(world, 1)
    assert await world.watch() == 1
    assert await told(world) == ["u2"], "u0 has no contact, u1 does not want to hear of it"
    queue = await world.queue(LESSON)
    assert [(tie.user_id, tie.passed_over, tie.notify_count, tie.offer_until is not None) for tie in queue] == [
        ("u0", 1, 0, False),
        ("u1", 1, 0, False),
        ("u2", None, 1, True),
        ("u3", None, 0, False),
    ]
    assert [tie.notification_sent for tie in queue] == [False, False, True, False]
    await world.person("u0")
    world.clock.advance(31 * 60)
    assert await world.watch() == 1
    assert await told(world) == ["u0", "u2"], "who can be reached now is first in line again"


async def test_nobody_is_marked_as_told_without_a_message(store: Store, clock: ManualClock) -> None:
    world = await reachable_world(store, clock, Policy())
    await world.person("u2")
    await waiting(world, 3)
    await resize(world, 1)
    world.settle()
    assert sum(await asyncio.gather(*(world.monitor.run() for _ in range(4)))) == 1
    world.settle()
    assert [tie.notify_count for tie in await world.queue(LESSON)] == [0, 0, 1]
    assert await told(world) == ["u2"]


async def test_no_place_is_held_past_the_hour_from_which_everybody_is_told(store: Store, clock: ManualClock) -> None:
    world = await open_world(store, clock, Policy(fairness=Fairness.FIRST_IN_LINE))
    await waiting(world, 2)
    everybody = LESSON.starts_at - timedelta(hours=12)
    clock.set((everybody - timedelta(minutes=10)).timestamp())
    await resize(world, 1)
    await world.watch()
    world.settle()
    (offered,) = [tie for tie in await world.queue(LESSON) if tie.offer_until is not None]
    assert (offered.user_id, offered.offer_until) == ("u0", everybody), "what is promised must be kept"
    with pytest.raises(refusals.Held):
        await world.book("u1", LESSON)
    clock.set(everybody.timestamp())
    assert (await world.book("u1", LESSON)).user_id == "u1"


async def test_a_place_is_held_from_when_the_notice_goes_out(store: Store, clock: ManualClock) -> None:
    world = await open_world(store, clock, Policy(fairness=Fairness.FIRST_IN_LINE))
    await waiting(world, 3)
    await world.person("u0", quiet_from=time(11, 0), quiet_until=time(15, 0))
    await world.person("u1", quiet_from=time(11, 0), quiet_until=time(8, 0))
    await resize(world, 1)
    await world.watch()
    clock.set(days.at(days.today(clock), 15, 29).timestamp())
    assert await told(world) == ["u0"]
    with pytest.raises(refusals.Held):
        await world.book("u1", LESSON)
    clock.set(days.at(days.today(clock), 15, 30).timestamp())
    await world.watch()
    assert await told(world) == ["u0", "u1"], "who sleeps until everybody may book is told, but nothing is held"
    await world.watch()
    assert await told(world) == ["u0", "u1", "u2"]
    with pytest.raises(refusals.Held):
        await world.book("x", LESSON)
    assert (await world.book("u2", LESSON)).user_id == "u2"


async def test_late_word_that_a_lesson_was_full_takes_no_new_offer_away(store: Store, clock: ManualClock) -> None:
    world = await open_world(store, clock, Policy(fairness=Fairness.FIRST_IN_LINE))
    await waiting(world, 1)
    await resize(world, 1)
    await world.watch()
    world.settle()
    before = await world.queue(LESSON)
    await resize(world, 0)
    await world.watch()
    await resize(world, 1)
    await world.watch()
    await world.monitor._arm_again(before)
    (tie,) = await world.db.get_many(user_lessons.ref_of(one).consistent() for one in before)
    assert tie is not None
    assert tie.offer_until is not None


async def test_a_push_signed_ahead_of_time_does_not_silence_the_next(world: World) -> None:
    await waiting(world, 1)
    now = days.now(world.clock)
    assert await world.monitor.pushed(LESSON, Availability(0, 20, True), now + timedelta(minutes=4)) == 0
    world.clock.advance(30)
    assert await world.monitor.pushed(LESSON, Availability(3, 20, True), days.now(world.clock)) == 1
    assert (await world.lesson_now()).booked == 17


async def test_a_push_of_the_second_in_which_it_was_sold_out_is_to_be_said_again(world: World) -> None:
    """It is signed in whole seconds, so nobody knows which was first; not believed, it would never be said again."""
    await waiting(world, 1)
    now = days.now(world.clock).replace(microsecond=0)
    sold_out = lessons.update(LESSON.studio_code, LESSON.lesson_date, LESSON.start_time)
    await world.db.write(sold_out.set(Lesson.sold_out_at, now + timedelta(milliseconds=29)))
    world.clock.advance(1)
    with pytest.raises(Changed):
        await world.monitor.pushed(LESSON, Availability(1, 20, True), now)
    assert not (await world.lesson_now()).was_available
    assert await world.monitor.pushed(LESSON, Availability(1, 20, True), now + timedelta(seconds=1)) == 1


async def test_a_feed_that_flickers_is_shown_and_told_once(world: World) -> None:
    """People book elsewhere and can wait here as soon as it says full, though that may be older than what was told."""

    class Flickering:
        free = 0

        async def availability(self, _: Lesson) -> Availability:
            return Availability(self.free, 5, True)

    feed = Flickering()
    world.monitor.provider = feed  # type: ignore[assignment]
    world.monitor.sellers = Sellers(told=frozenset({"gnz"}))
    await waiting(world, 1)
    told = []
    for minute in range(40):
        feed.free = 1 if minute < 20 and minute % 2 else 0
        told.append(await world.watch())
        assert feed.free or (await world.lesson_now()).booked == 5
        if minute == 2:
            await world.join("u1", LESSON)
        world.clock.advance(60)
    assert told.index(1) == 1
    assert (sum(told), told[3]) == (2, 1), "u0 at the first minute, and u1 who came while it was shown as full"
    assert not (await world.lesson_now()).was_available


# Own bookings and those of others are counted apart, so that nobody's word sells a place twice.


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
