"""Booking in a studio's own system: never more places than there are, whatever gets lost on the way."""

from __future__ import annotations

import asyncio
import dataclasses
import random
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime import days
from sekkei.runtime.refusals import Refusal
from sekkei.store import Embedded, Store
from sekkei_fakes.studio.system import HOLD_SECONDS, Faults, Refused, State, StudioSystem
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    Lesson,
    Reservation,
    Status,
    TieKind,
    UserLesson,
    lessons,
    reservations,
    user_lessons,
)
from sekkei_systems.lessons.ports.booking import NoWord, StudioRefused
from sekkei_systems.lessons.ports.timetable import availability_in
from sekkei_systems.lessons.rules.places import Availability, as_said
from sekkei_systems.lessons.rules.policy import Policy
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.service.passes import Entitled
from sekkei_systems.lessons.service.reservations import Reservations
from tests.systems.lessons.rules.test_places import lesson
from tests.systems.lessons.steps import tie
from tests.systems.lessons.world import LESSON, STAFF, World, open_world

SELLERS = Sellers(ports=frozenset({"gnz"}), told=frozenset({"gnz"}))


class Direct:
    """The studio's system without HTTP between, with faults by dice of their own."""

    def __init__(self, system: StudioSystem, dice: random.Random) -> None:
        self._system, self._dice = system, dice

    async def reserve(self, key: str, slot: Slot) -> None:
        await self._call(lambda: self._system.reserve(key, str(slot)))

    async def confirm(self, key: str) -> None:
        await self._call(lambda: self._system.confirm(key))

    async def release(self, key: str) -> None:
        await self._call(lambda: self._system.release(key))

    async def _call(self, act: object) -> None:
        faults = self._system.faults
        await asyncio.sleep(0)
        if self._dice.random() < faults.deaf:
            raise NoWord("lost")
        try:
            act()  # type: ignore[operator]
        except Refused as refused:
            raise StudioRefused(refused.code) from None
        await asyncio.sleep(0)
        if self._dice.random() < faults.mute:
            raise NoWord("lost")


@dataclasses.dataclass(frozen=True, slots=True)
class Both:
    """Our side and the studio's."""

    world: World
    system: StudioSystem
    reservations: Reservations

    async def here(self) -> list[UserLesson]:
        ties = await self.world.db.all(user_lessons.scan().consistent())
        return [one for one in ties if one.kind is TieKind.BOOKING and one.status is Status.ACTIVE]

    async def unsettled(self) -> list[Reservation]:
        return await self.world.db.all(reservations.scan().consistent())

    async def settle(self) -> None:
        """Until nothing is left, with a studio that answers again."""
        self.system.faults = Faults()
        for _ in range(5):
            for one in await self.unsettled():
                await self.reservations.settle(one.reservation_id)
        assert await self.unsettled() == []

    async def agree(self) -> None:
        """Both sides have the same bookings, and no more than there are places."""
        sold = {key for key, one in self.system.reservations.items() if one.state is State.SOLD}
        assert {one.reservation_id for one in await self.here()} == sold
        assert self.system.taken(str(LESSON)) <= self.system.lessons[str(LESSON)].capacity
        assert (await self.world.lesson_now()).booked_here == len(sold)


async def both_sides(
    store: Store,
    clock: ManualClock,
    capacity: int,
    seed: int = 0,
    faults: Faults | None = None,
    sellers: Sellers = SELLERS,
) -> Both:
    world = await open_world(store, clock, Policy())
    system = StudioSystem(clock, faults)
    system.offer(str(LESSON), capacity)
    port = Direct(system, random.Random(seed))
    held = dataclasses.replace(world.service.reservations, ports={"gnz": port})
    bookings = dataclasses.replace(world.service.bookings, sellers=sellers, reservations=held)
    service = dataclasses.replace(world.service, bookings=bookings, reservations=held, sellers=sellers)
    await world.lesson(capacity=capacity)
    return Both(dataclasses.replace(world, service=service), system, held)


async def test_a_place_is_reserved_booked_and_confirmed(store: Store, clock: ManualClock) -> None:
    both = await both_sides(store, clock, 2)
    booked = await both.world.book("hana", LESSON)
    assert both.system.reservations[booked.reservation_id or ""].state is State.SOLD
    assert await both.unsettled() == []
    await both.agree()
    assert both.system.sell(str(LESSON))
    with pytest.raises(refusals.Full):
        await both.world.book("ren", LESSON)
    await both.world.cancel("hana", LESSON)
    await both.settle()
    assert both.system.taken(str(LESSON)) == 1, "the studio has its place back"
    await both.agree()


async def test_an_answer_that_is_lost_sells_nothing(store: Store, clock: ManualClock) -> None:
    both = await both_sides(store, clock, 1, faults=Faults(mute=1.0))
    with pytest.raises(refusals.StudioSilent):
        await both.world.book("hana", LESSON)
    assert await both.here() == []
    await both.settle()
    assert both.system.taken(str(LESSON)) == 0
    await both.world.book("ren", LESSON)
    await both.agree()


async def test_a_hold_that_lapsed_before_it_was_confirmed_is_undone(store: Store, clock: ManualClock) -> None:
    both = await both_sides(store, clock, 1)
    port = both.reservations.port("gnz")
    assert port is not None

    async def silent(key: str) -> None:
        raise NoWord("lost")

    confirm, port.confirm = port.confirm, silent  # type: ignore[method-assign]
    await both.world.person("hana", email="hana@example.com")
    await both.world.book("hana", LESSON)
    assert len(await both.here()) == 1, "booked here; the studio is asked again later"
    clock.advance(HOLD_SECONDS + 1)
    assert both.system.sell(str(LESSON)), "it has lapsed, and the studio sold it at its counter"
    port.confirm = confirm  # type: ignore[method-assign]
    await both.settle()
    found = await tie(both.world, "hana", TieKind.BOOKING)
    assert found is not None
    assert found.status is Status.CANCELLED
    assert [one.to for one in await both.world.notices()] == ["hana@example.com"], "nobody loses a place without a word"
    await both.agree()


async def test_whoever_lost_a_place_at_the_studio_may_wait_again(store: Store, clock: ManualClock) -> None:
    both = await both_sides(store, clock, 1)
    await both.world.lesson(capacity=1, booked=1)
    await both.world.join("hana", LESSON)
    await both.world.lesson(capacity=1)
    port = both.reservations.port("gnz")
    assert port is not None

    async def lapsed(key: str) -> None:
        raise StudioRefused("lapsed")

    port.confirm = lapsed  # type: ignore[method-assign]
    with pytest.raises(refusals.Full):
        await both.world.book("hana", LESSON)
    await both.world.lesson(capacity=1, booked=1)
    again = await both.world.join("hana", LESSON)
    assert again.status is Status.ACTIVE


async def test_a_place_is_given_back_when_the_studio_answers_again(store: Store, clock: ManualClock) -> None:
    both = await both_sides(store, clock, 1)
    await both.world.book("hana", LESSON)
    both.system.faults = Faults(deaf=1.0)
    await both.world.cancel("hana", LESSON)
    (left,) = await both.unsettled()
    await both.reservations.settle(left.reservation_id)
    assert [one.tries for one in await both.unsettled()] == [1], "nobody answered: planned again"
    await both.settle()
    assert both.system.taken(str(LESSON)) == 0
    await both.agree()


def test_what_the_studio_tells_counts_our_places_too() -> None:
    said = as_said(lesson(capacity=5, booked=2, booked_here=2), Availability(2, 5, True), includes_ours=True)
    assert said.booked == 3
    behind = as_said(lesson(capacity=5, booked=2, booked_here=2), Availability(5, 5, True), includes_ours=True)
    assert behind.booked == 2, "what it tells may be minutes old"


@pytest.mark.parametrize("seed", range(15))
async def test_never_more_bookings_than_places_on_both_sides(seed: int) -> None:
    """Two dozen people and the studio's own counter want five places, while requests and answers are lost."""
    clock, dice = ManualClock(1_753_758_000.0), random.Random(seed)
    store = Embedded(clock=clock)
    faults = Faults(deaf=dice.choice((0.0, 0.2)), mute=dice.choice((0.0, 0.2, 0.5)))
    both = await both_sides(store, clock, 5, seed, faults)

    async def somebody(user: str) -> None:
        for _ in range(3):
            try:
                await both.world.book(user, LESSON)
                if dice.random() < 0.4:
                    await both.world.cancel(user, LESSON)
            except Refusal:
                pass
            assert both.system.taken(str(LESSON)) <= 5
            clock.advance(dice.choice((0.0, 1.0, 90.0)))

    async def counter() -> None:
        for _ in range(12):
            both.system.sell(str(LESSON)) if dice.random() < 0.6 else both.system.give_back(str(LESSON))
            await asyncio.sleep(0)

    await asyncio.gather(counter(), *(somebody(f"u{number}") for number in range(24)))
    await both.settle()
    await both.agree()
    await store.close()


async def test_what_the_studio_sold_out_can_be_waited_for(store: Store, clock: ManualClock) -> None:
    both = await both_sides(store, clock, 2)
    for _ in range(2):
        assert both.system.sell(str(LESSON))
    with pytest.raises(refusals.Full):
        await both.world.book("hana", LESSON)
    await both.world.join("hana", LESSON)
    assert (await both.world.lesson_now()).booked == 2
    await both.settle()


async def test_two_devices_at_the_same_moment_have_one_place(store: Store, clock: ManualClock) -> None:
    """The second reads before the first has booked, and reserves after it: what it gives up is its own."""
    both = await both_sides(store, clock, 2)
    entitled = both.world.service.entitlements.entitled
    looked, booked = asyncio.Event(), asyncio.Event()

    async def late(*about: Any, **more: Any) -> Entitled:
        found = await entitled(*about, **more)
        if not looked.is_set():
            looked.set()
            await booked.wait()
        return found

    both.world.service.entitlements.entitled = late  # type: ignore[method-assign]
    second = asyncio.create_task(both.world.book("hana", LESSON))
    await looked.wait()
    await both.world.book("hana", LESSON)
    booked.set()
    with pytest.raises(refusals.AlreadyRegistered):
        await second
    await both.settle()
    await both.agree()
    assert len(await both.here()) == 1


class Lagging:
    """The studio's system as a feed shows it."""

    def __init__(self, system: StudioSystem) -> None:
        self._system = system

    async def availability(self, _: Lesson) -> Availability:
        return availability_in(self._system.availability(str(LESSON)))


async def test_a_feed_that_is_behind_tells_nobody_of_a_place_that_is_sold(store: Store, clock: ManualClock) -> None:
    both = await both_sides(store, clock, 2, faults=Faults(lag_seconds=300))
    world, monitor = both.world, both.world.monitor
    monitor.provider, monitor.sellers = Lagging(both.system), SELLERS  # type: ignore[assignment]
    clock.advance(1_000)
    for _ in range(2):
        both.system.sell(str(LESSON))
    await world.person("ren")
    with pytest.raises(refusals.Full):
        await world.book("ren", LESSON)
    await world.join("ren", LESSON)
    for _ in range(20):
        clock.advance(60)
        assert await monitor.run() == 0, "both places are sold, whatever the feed says"
    both.system.give_back(str(LESSON))
    clock.advance(360)
    assert await monitor.run() == 1, "this one is there"


async def test_a_fill_that_nobody_was_told_of_yet_is_no_opening(store: Store, clock: ManualClock) -> None:
    """Our booking takes the last place; before the stream says so, a feed that is behind shows it as free."""
    both = await both_sides(store, clock, 1, faults=Faults(lag_seconds=300))
    world, monitor = both.world, both.world.monitor
    monitor.provider, monitor.sellers = Lagging(both.system), SELLERS  # type: ignore[assignment]
    await world.lesson(capacity=1, booked=1)
    await world.join("ren", LESSON)
    clock.advance(1_000)
    assert await world.watch() == 1
    before = await world.lesson_now()
    await world.book("hana", LESSON)
    full = await world.lesson_now()
    assert await world.watch() == 0
    await monitor.filled(before, full)
    assert await world.watch() == 0
    found = await world.lesson_now()
    assert (found.booked, found.was_available, found.episode) == (1, False, 1)
    assert found.sold_out_at == full.updated_at


async def test_a_row_that_does_not_say_when_it_opened_ends_as_it_did(store: Store, clock: ManualClock) -> None:
    """As an older version wrote it."""
    both = await both_sides(store, clock, 2)
    world, monitor = both.world, both.world.monitor
    monitor.provider, monitor.sellers = Lagging(both.system), SELLERS  # type: ignore[assignment]
    await world.lesson(capacity=2, booked=2)
    await world.join("ren", LESSON)
    await world.lesson(capacity=2, booked=1, was_available=True, episode=1)
    for _ in range(2):
        both.system.sell(str(LESSON))
    assert await world.watch() == 0
    found = await world.lesson_now()
    assert (found.booked, found.was_available) == (2, False)


async def test_what_an_older_version_gave_back_is_given_back_once(store: Store, clock: ManualClock) -> None:
    both = await both_sides(store, clock, 2)
    await both.world.book("hana", LESSON)
    await both.world.book("ren", LESSON)
    await both.world.cancel("hana", LESSON)
    (left,) = await both.unsettled()
    assert left.place_taken
    older = reservations.update(left.reservation_id).remove(Reservation.place_taken)
    await both.world.db.write(older.when(Reservation.state.exists()))
    await both.world.lesson(capacity=2, booked=1, booked_here=1)
    await both.settle()
    assert (await both.world.lesson_now()).booked == 1


async def test_a_place_of_a_lesson_that_is_gone_is_given_back_there(store: Store, clock: ManualClock) -> None:
    both = await both_sides(store, clock, 1)
    await both.world.book("hana", LESSON)
    await both.world.cancel("hana", LESSON)
    await both.world.db.write(lessons.delete(LESSON.studio_code, LESSON.lesson_date, LESSON.start_time))
    await both.settle()
    assert both.system.taken(str(LESSON)) == 0


async def test_places_of_a_lesson_that_is_called_off_are_taken_until_the_studio_has_them(
    store: Store, clock: ManualClock
) -> None:
    both = await both_sides(store, clock, 2)
    world = both.world
    await world.book("hana", LESSON)
    await world.service.desk.call_off(STAFF, LESSON)
    world.settle()
    world.alerts.reservations = both.reservations
    assert await world.alerts.lesson_changed(LESSON) == 1
    found = await world.lesson_now()
    assert (found.booked, found.booked_here) == (1, 0)
    await both.settle()
    assert ((await world.lesson_now()).booked, both.system.taken(str(LESSON))) == (0, 0)


async def test_a_place_that_the_studio_sold_to_somebody_else_is_not_told_of(store: Store, clock: ManualClock) -> None:
    """Its hold had lapsed: whether it is free, the studio's system says."""
    both = await both_sides(store, clock, 1)
    port = both.reservations.port("gnz")
    assert port is not None

    async def lapsed(key: str) -> None:
        raise StudioRefused("lapsed")

    port.confirm = lapsed  # type: ignore[method-assign]
    await both.world.lesson(capacity=2, booked=1, sold_out_at=days.now(clock))
    with pytest.raises(refusals.Full):
        await both.world.book("hana", LESSON)
    found = await both.world.lesson_now()
    assert (found.booked, found.booked_here, found.sold_out_at) == (2, 0, days.now(clock))
