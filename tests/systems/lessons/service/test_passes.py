"""The rules of a studio, in the transaction that books: taken with the place, given back with it."""

from __future__ import annotations

import asyncio
from datetime import date, time, timedelta
from typing import Any

import pytest

from sekkei.runtime.refusals import Refusal
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Contact, Pass, TieKind, passes, weeks_of
from sekkei_systems.lessons.rules.slots import Slot
from tests.lost import answer_lost
from tests.systems.lessons.service.test_rulebook import rules
from tests.systems.lessons.steps import booked, tie
from tests.systems.lessons.world import LESSON, STAFF, World

NEXT = Slot("gnz", date(2025, 7, 31), time(19, 30))
THIRD = Slot("gnz", date(2025, 8, 1), time(19, 30))


async def given(world: World, user: str, tickets: int | None, until: date = date(2025, 8, 31)) -> Pass:
    person = Contact(user_id=user, name=user)
    return await world.service.entitlements.give(STAFF, person, "券", date(2025, 7, 1), until, tickets)


async def left(world: World, found: Pass) -> int | None:
    fresh = await world.db.need(passes(found.user_id, found.studio_code, found.pass_id).consistent())
    return fresh.tickets_left


async def test_a_ticket_is_taken_with_the_place_and_comes_back_with_it(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, needs_pass=True))
    await world.lesson(capacity=5)
    with pytest.raises(refusals.NoPass):
        await world.book("hana", LESSON)
    assert await booked(world) == 0
    book = await given(world, "hana", 2)
    made = await world.book("hana", LESSON)
    assert (made.pass_id, made.ticket_taken, await left(world, book)) == (book.pass_id, True, 1)
    await world.cancel("hana", LESSON)
    assert await left(world, book) == 2
    await world.book("hana", LESSON)
    world.clock.set((LESSON.starts_at - timedelta(hours=2)).timestamp())
    await world.cancel("hana", LESSON)
    assert await left(world, book) == 1, "cancelled late: the ticket is lost"


async def test_a_full_lesson_takes_no_ticket(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, needs_pass=True))
    await world.lesson(capacity=1, booked=1)
    book = await given(world, "hana", 2)
    with pytest.raises(refusals.Full):
        await world.book("hana", LESSON)
    assert await left(world, book) == 2


async def test_one_ticket_is_spent_once_however_many_lessons_are_tapped(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, needs_pass=True))
    slots = [Slot("gnz", date(2025, 7, 30), time(hour, 0)) for hour in range(8, 16)]
    for slot in slots:
        await world.lesson(slot, capacity=5)
    book = await given(world, "hana", 1)

    async def tapped(slot: Slot) -> int:
        try:
            await world.book("hana", slot)
        except Refusal:
            return 0
        return 1

    assert sum(await asyncio.gather(*(tapped(slot) for slot in slots))) == 1
    assert await left(world, book) == 0
    assert sum([await booked(world, slot) for slot in slots]) == 1


async def test_passes_end_with_their_last_day_though_they_are_still_stored(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, needs_pass=True))
    await world.lesson(capacity=5)
    book = await given(world, "hana", 2, date(2025, 7, 29))
    assert book.ttl is not None
    with pytest.raises(refusals.NoPass):
        await world.book("hana", LESSON)
    member = await given(world, "hana", None)
    made = await world.book("hana", LESSON)
    assert (made.pass_id, made.ticket_taken) == (member.pass_id, None)
    await world.db.write(passes.delete("hana", "gnz", member.pass_id))
    await world.cancel("hana", LESSON)
    assert await booked(world) == 0, "a book that is gone keeps nobody from cancelling"


async def test_newcomers_try_one_lesson(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, needs_pass=True, has_trial=True))
    await world.lesson(capacity=5)
    await world.lesson(NEXT, capacity=5)
    await world.book("hana", LESSON)
    with pytest.raises(refusals.NoPass):
        await world.book("hana", NEXT)
    await world.cancel("hana", LESSON)
    await world.book("hana", NEXT)
    assert await world.service.entitlements.passes_of("hana") == []


async def test_the_week_has_a_limit_that_holds_under_haste(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, per_week=2))
    monday = Slot("gnz", date(2025, 8, 4), time(19, 30))
    for slot in (LESSON, NEXT, THIRD, monday):
        await world.lesson(slot, capacity=5)
    answers = await asyncio.gather(
        *(world.book("hana", slot) for slot in (LESSON, NEXT, THIRD)), return_exceptions=True
    )
    assert sum(isinstance(one, refusals.WeekFull) for one in answers) == 1
    await world.book("hana", monday)
    first = next(
        slot for slot, one in zip((LESSON, NEXT, THIRD), answers, strict=True) if not isinstance(one, Exception)
    )
    last = next(slot for slot, one in zip((LESSON, NEXT, THIRD), answers, strict=True) if isinstance(one, Exception))
    await world.cancel("hana", first)
    await world.book("hana", last)


async def test_bookings_open_at_an_hour_and_the_desk_is_earlier(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, opens_days=1, opens_time=time(13, 0)))
    await world.lesson(capacity=5)
    await world.person("ren")
    with pytest.raises(refusals.NotYetOpen, match="7/29 13:00"):
        await world.book("hana", LESSON)
    await world.service.desk.book_for(STAFF, LESSON, "ren")
    world.clock.advance(3600)
    await world.book("hana", LESSON)


async def test_who_misses_lessons_waits_and_a_mistake_is_taken_back(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, no_shows_max=2, blocked_days=7))
    for slot in (LESSON, NEXT, THIRD):
        await world.lesson(slot, capacity=5)
    await world.book("hana", LESSON)
    await world.book("hana", NEXT)
    for slot in (LESSON, NEXT):
        world.clock.set(slot.starts_at.timestamp())
        await world.service.desk.mark_attendance(STAFF, slot, "hana", False)
    with pytest.raises(refusals.Blocked):
        await world.book("hana", THIRD)
    await world.service.desk.mark_attendance(STAFF, NEXT, "hana", True)
    await world.book("hana", THIRD)


async def test_who_comes_after_having_been_blocked_is_not_blocked_again(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, no_shows_max=1, no_show_days=30, blocked_days=1))
    later = Slot("gnz", date(2025, 8, 4), time(19, 30))
    for slot in (LESSON, later):
        await world.lesson(slot, capacity=5)
    await world.book("hana", LESSON)
    world.clock.set(LESSON.starts_at.timestamp())
    await world.service.desk.mark_attendance(STAFF, LESSON, "hana", False)
    world.clock.advance(25 * 3600)
    await world.book("hana", later)
    world.clock.set(later.starts_at.timestamp())
    await world.service.desk.mark_attendance(STAFF, later, "hana", True)
    again = Slot("gnz", date(2025, 8, 6), time(19, 30))
    await world.lesson(again, capacity=5)
    await world.book("hana", again)


async def test_an_absence_noted_twice_blocks_no_longer_than_once(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, no_shows_max=1, no_show_days=30, blocked_days=2))
    for slot in (LESSON, THIRD):
        await world.lesson(slot, capacity=5)
    await world.book("hana", LESSON)
    world.clock.set(LESSON.starts_at.timestamp())
    await world.service.desk.mark_attendance(STAFF, LESSON, "hana", False)
    world.clock.advance(3600)
    await world.service.desk.mark_attendance(STAFF, LESSON, "hana", False)
    world.clock.advance(47 * 3600 - 60)
    with pytest.raises(refusals.Blocked):
        await world.book("hana", THIRD)
    world.clock.set(LESSON.starts_at.timestamp() + 48 * 3600 - 1)
    await world.lesson(Slot("gnz", date(2025, 8, 2), time(9, 0)), capacity=5)
    world.clock.advance(1)
    await world.book("hana", Slot("gnz", date(2025, 8, 2), time(9, 0)))


async def test_a_late_cancellation_costs_no_week_where_the_rules_speak_of_no_ticket(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, per_week=1))
    for slot in (LESSON, THIRD):
        await world.lesson(slot, capacity=5)
    await world.book("hana", LESSON)
    world.clock.set((LESSON.starts_at - timedelta(hours=2)).timestamp())
    await world.cancel("hana", LESSON)
    await world.book("hana", THIRD)


async def test_a_cancellation_exactly_at_the_limit_is_in_time(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, needs_pass=True))
    await world.lesson(capacity=5)
    book = await given(world, "hana", 2, LESSON.lesson_date)
    await world.book("hana", LESSON)
    world.clock.set((LESSON.starts_at - timedelta(hours=3)).timestamp())
    await world.cancel("hana", LESSON)
    assert await left(world, book) == 2
    await world.book("hana", LESSON)
    world.clock.advance(0.001)
    await world.cancel("hana", LESSON)
    assert await left(world, book) == 1


async def test_who_has_been_there_is_no_newcomer(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, needs_pass=True, has_trial=True))
    for slot in (LESSON, NEXT):
        await world.lesson(slot, capacity=5)
    await given(world, "hana", 1, date(2025, 7, 30))
    await world.book("hana", LESSON)
    world.clock.set(LESSON.starts_at.timestamp() + 1)
    world.settle()
    await world.jobs.expire({})
    for one in await world.db.all(passes.scan()):
        await world.db.write(passes.delete(one.user_id, one.studio_code, one.pass_id))  # its time to live is over
    world.settle()
    with pytest.raises(refusals.NoPass):
        await world.book("hana", NEXT)


async def test_a_first_lesson_cannot_be_taken_away_and_had_anew(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, needs_pass=True, has_trial=True))
    for slot in (LESSON, NEXT):
        await world.lesson(slot, capacity=5)
    made = await world.book("hana", LESSON)
    assert made.pass_id is not None
    await world.service.entitlements.take_away(STAFF, "hana", made.pass_id)
    with pytest.raises(refusals.NoPass):
        await world.book("hana", NEXT)


async def test_a_lesson_that_is_called_off_costs_nothing_and_takes_again_when_it_is_brought_back(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, needs_pass=True, per_week=2))
    await world.lesson(capacity=5)
    book = await given(world, "hana", 2)
    await world.book("hana", LESSON)
    await world.service.desk.call_off(STAFF, LESSON)
    world.settle()
    await world.jobs.changed({"slot": str(LESSON)})
    assert await left(world, book) == 2
    await world.service.restoring.bring_back(LESSON)
    found = await tie(world, "hana", TieKind.BOOKING)
    assert found is not None
    assert (found.pass_id, await left(world, book)) == (book.pass_id, 1)


@pytest.mark.parametrize(("name", "until", "tickets"), [("", 31, 1), ("x", 1, 1), ("x", 31, 0), ("x", 31, 1001)])
async def test_what_is_no_pass_is_refused(world: World, name: str, until: int, tickets: int) -> None:
    person = Contact(user_id="hana", name="hana")
    with pytest.raises(refusals.BadPass):
        await world.service.entitlements.give(STAFF, person, name, date(2025, 7, 1), date(2025, 7, until), tickets)


async def test_nobody_is_blocked_for_a_booking_that_was_cancelled(world: World) -> None:
    """The desk noted that they did not come, and then cancelled for them."""
    await world.service.rulebook.save(STAFF, rules(world, no_shows_max=1))
    await world.lesson(capacity=1)
    await world.lesson(NEXT, capacity=1)
    await world.person("hana")
    await world.book("hana", LESSON)
    world.clock.set((LESSON.starts_at - timedelta(minutes=10)).timestamp())
    await world.service.desk.mark_attendance(STAFF, LESSON, "hana", came=False)
    with pytest.raises(refusals.Blocked):
        await world.book("hana", NEXT)
    await world.service.desk.cancel_for(STAFF, LESSON, "hana")
    assert (await world.book("hana", NEXT)).user_id == "hana"


async def test_who_is_noted_as_absent_while_they_cancel_is_not_blocked(world: World) -> None:
    """The cancellation has read the booking before the desk writes."""
    await world.service.rulebook.save(STAFF, rules(world, no_shows_max=1, minutes={"cancel_until": 0}))
    await world.lesson(capacity=1)
    await world.lesson(NEXT, capacity=1)
    await world.book("hana", LESSON)
    world.clock.set((LESSON.starts_at - timedelta(minutes=10)).timestamp())
    cancelling, absent = world.service.reservations.cancelling, [True]

    async def noted_first(*given: Any) -> Any:
        if absent:
            absent.clear()
            await world.service.desk.mark_attendance(STAFF, LESSON, "hana", came=False)
        return await cancelling(*given)

    world.service.reservations.cancelling = noted_first  # type: ignore[method-assign]
    await world.cancel("hana", LESSON)
    assert (await world.book("hana", NEXT)).user_id == "hana"


async def test_a_cancellation_ends_the_booking_that_it_has_seen(world: World) -> None:
    """Meanwhile somebody else cancelled it and booked anew, with another ticket."""
    await world.service.rulebook.save(STAFF, rules(world, needs_pass=True))
    await world.lesson(capacity=1)
    await world.person("hana")
    first = await given(world, "hana", 1, date(2025, 8, 1))
    await world.book("hana", LESSON)
    second, cancelling, once = await given(world, "hana", 1), world.service.reservations.cancelling, [True]

    async def booked_anew(*about: Any) -> Any:
        if once:
            once.clear()
            await world.service.desk.cancel_for(STAFF, LESSON, "hana")
            await world.service.entitlements.take_away(STAFF, "hana", first.pass_id)
            await world.service.desk.book_for(STAFF, LESSON, "hana")
        return await cancelling(*about)

    world.service.reservations.cancelling = booked_anew  # type: ignore[method-assign]
    await world.cancel("hana", LESSON)
    assert await left(world, second) == 1
    assert await booked(world) == 0


async def test_a_week_is_given_back_once_when_the_lesson_was_off_meanwhile(world: World) -> None:
    """Called off and brought back between the look at a booking and its end: brought back, it counts in no week."""
    await world.service.rulebook.save(STAFF, rules(world, per_week=2))
    await world.lesson(capacity=1)
    await world.lesson(NEXT, capacity=1)
    await world.person("hana")
    for slot in (LESSON, NEXT):
        await world.book("hana", slot)
    cancelling, once = world.service.reservations.cancelling, [True]

    async def off_and_on(*about: Any) -> Any:
        if once:
            once.clear()
            await world.service.desk.call_off(STAFF, LESSON)
            world.settle()
            await world.jobs.changed({"slot": str(LESSON)})
            await world.service.restoring.bring_back(LESSON)
        return await cancelling(*about)

    world.service.reservations.cancelling = off_and_on  # type: ignore[method-assign]
    await world.cancel("hana", LESSON)
    weeks = await world.db.all(weeks_of("hana").consistent())
    assert [one.count for one in weeks] == [1]


async def test_tickets_that_are_used_before_the_desk_has_its_answer_are_given_once(world: World) -> None:
    await world.service.rulebook.save(STAFF, rules(world, needs_pass=True))
    await world.lesson(capacity=5)
    with answer_lost(world.db, lambda: world.book("hana", LESSON)) as store:
        book = await given(world, "hana", 2)
    assert await left(world, book) == 1
    assert "PutItem" in store.operations, "one unit, not two"
