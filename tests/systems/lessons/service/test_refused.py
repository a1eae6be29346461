"""A studio's own system refuses later what the desk or the queue has booked: the member is told, the desk sees it."""

from __future__ import annotations

import dataclasses
from datetime import time

import pytest

from sekkei.clock import ManualClock
from sekkei.store import Store
from sekkei_fakes.studio.system import Faults
from sekkei_systems import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import DeskVerb
from sekkei_systems.lessons.ports.booking import NoWord, StudioRefused
from sekkei_systems.lessons.rules.waitlist import Wishes
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.desk import Desk
from sekkei_systems.lessons.service.waitlist import NoPlace
from tests.systems.lessons.service.test_reservations import SELLERS, Both, both_sides
from tests.systems.lessons.world import LESSON, STAFF


async def refuse_to_confirm(both: Both) -> None:
    port = both.reservations.port("gnz")
    assert port is not None

    async def lapsed(key: str) -> None:
        both.world.clock.advance(1)
        raise StudioRefused("lapsed")

    port.confirm = lapsed  # type: ignore[method-assign]


async def told(both: Both) -> list[tuple[str, str]]:
    """In the order in which it was written."""
    found = sorted(await both.world.notices(), key=lambda one: one.created_at)
    return [(one.kind, str(one.body["subject"]).partition(":")[0]) for one in found]


def desk_of(both: Both) -> Desk:
    """One that books at the studio."""
    return dataclasses.replace(both.world.service.desk, bookings=both.world.service.bookings)


@pytest.mark.parametrize("answer", [StudioRefused("lapsed"), NoWord("lost")])
async def test_a_member_hears_that_the_studio_refused_what_the_desk_booked(
    answer: Exception, store: Store, clock: ManualClock
) -> None:
    """At once, or when the studio answers again; and the desk sees it."""
    both = await both_sides(store, clock, 1)
    port = both.reservations.port("gnz")
    assert port is not None

    async def fails(key: str) -> None:
        clock.advance(1)
        raise answer

    port.confirm = fails  # type: ignore[method-assign]
    await both.world.person("hana", language="en")
    booking = desk_of(both).book_for(STAFF, LESSON, "hana")
    if isinstance(answer, StudioRefused):
        with pytest.raises(refusals.Full):
            await booking
    else:
        await booking
        await refuse_to_confirm(both)
        await both.settle()
    assert await both.here() == []
    assert await both.unsettled() == []
    assert await told(both) == [("mail", "You're booked"), ("mail", "Your booking couldn't be kept")]
    seen = await both.world.service.acts.of(LESSON)
    assert [(one.verb, one.name, one.by) for one in seen] == [
        (DeskVerb.REFUSED, "hana", ""),
        (DeskVerb.BOOKED, "hana", "staff"),
    ]
    assert not both.world.service.acts.may_undo(seen[0])


async def test_whoever_books_themselves_reads_that_it_was_refused(store: Store, clock: ManualClock) -> None:
    both = await both_sides(store, clock, 1)
    await refuse_to_confirm(both)
    await both.world.person("hana")
    with pytest.raises(refusals.Full):
        await both.world.book("hana", LESSON)
    assert await told(both) == []
    assert await both.world.service.acts.of(LESSON) == []


async def test_the_queue_tells_of_a_booking_that_the_studio_refused(store: Store, clock: ManualClock) -> None:
    """In quiet hours both wait, so that nobody hears of the end first."""
    both = await both_sides(store, clock, 1)
    await refuse_to_confirm(both)
    await both.world.person("hana", quiet_from=time(11, 0), quiet_until=time(13, 0))
    await both.world.lesson(capacity=1, booked=1)
    await both.world.join("hana", LESSON)
    waiting = await both.world.service.waitlist.prefer(Member("hana"), LESSON, Wishes(1))
    await both.world.lesson(capacity=1)
    auto = dataclasses.replace(both.world.monitor.auto, bookings=both.world.service.bookings, sellers=SELLERS)
    with pytest.raises(NoPlace):
        await auto.book(waiting, await both.world.lesson_now())
    assert await told(both) == [("mail", "席が空いたので予約しました"), ("mail", "予約をお取りできませんでした")]
    due = {one.due_at.astimezone(days.JST).time() for one in await both.world.notices() if one.due_at}
    assert due == {time(13, 0)}


@pytest.mark.parametrize("dies", [False, True])
async def test_a_cancellation_whose_undoing_the_studio_refused_can_be_undone(
    dies: bool, store: Store, clock: ManualClock
) -> None:
    both = await both_sides(store, clock, 1)
    await both.world.person("hana")
    await both.world.book("hana", LESSON)
    desk, service = desk_of(both), both.world.service
    await desk.cancel_for(STAFF, LESSON, "hana")
    await both.settle()
    port, (act,) = both.reservations.port("gnz"), await service.acts.of(LESSON)
    assert port is not None
    sound = port.confirm
    undoing = dataclasses.replace(service.undoing, desk=desk)
    if dies:
        both.system.faults = Faults()

        async def gone(key: str) -> None:
            raise ConnectionError("the process is gone")

        port.confirm = gone  # type: ignore[method-assign]
        with pytest.raises(ConnectionError):
            await undoing.undo(STAFF, LESSON, act.act_id)
        await refuse_to_confirm(both)
        await both.settle()
    else:
        await refuse_to_confirm(both)
        with pytest.raises(refusals.Full):
            await undoing.undo(STAFF, LESSON, act.act_id)
    assert await both.here() == []
    for one in list(both.system.reservations):
        both.system.release(one)
    port.confirm = sound  # type: ignore[method-assign]
    await both.world.lesson(capacity=1)
    await undoing.undo(STAFF, LESSON, act.act_id)
    await both.agree()
    assert [one.verb for one in await service.acts.of(LESSON) if one.undone_at] == [DeskVerb.CANCELLED]
