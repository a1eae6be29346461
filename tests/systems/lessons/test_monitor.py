from __future__ import annotations

import asyncio
import hashlib
import hmac
from datetime import time, timedelta

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime import days
from sekkei.runtime.refusals import Refusal
from sekkei.store import Store
from systems.lessons import refusals
from systems.lessons.design import Lesson, lessons
from systems.lessons.providers import Availability, signature_of, verify_push
from systems.lessons.rules import Fairness, Policy, is_quiet
from tests.systems.lessons.conftest import LESSON, World, open_world


async def resize(world: World, capacity: int) -> None:
    update = lessons.update(LESSON.studio_code, LESSON.lesson_date, LESSON.start_time)
    await world.db.write(update.set(Lesson.capacity, capacity))


async def waiting(world: World, count: int) -> None:
    await world.lesson(capacity=0)
    for number in range(count):
        await world.service.join_waitlist(f"u{number}", LESSON)
        world.clock.advance(0.01)
    await world.watch()


async def told(world: World) -> list[str]:
    return sorted(message.to.partition("@")[0] for message in await world.notices())


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
    await world.service.book("u0", LESSON)
    await world.service.leave_waitlist("u1", LESSON)
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
        await world.service.book("u1", LESSON)
    await world.watch()
    assert await told(world) == ["u0"], "the place is on offer already"
    clock.advance(31 * 60)
    await world.watch()
    assert await told(world) == ["u0", "u1"]
    await world.service.book("u1", LESSON)
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


@pytest.mark.parametrize(("hour", "quiet"), [(21, False), (22, True), (3, True), (7, False)])
def test_quiet_hours_go_over_midnight(hour: int, quiet: bool) -> None:
    assert is_quiet(days.at(LESSON.lesson_date, hour), time(22, 0), time(7, 0)) is quiet


async def test_a_push_opens_too(world: World) -> None:
    await waiting(world, 1)
    assert await world.monitor.pushed(LESSON, Availability(2, 20, True)) == 1
    assert await world.monitor.pushed(LESSON, Availability(2, 20, True)) == 0


@pytest.mark.parametrize(
    ("body", "secret", "age"),
    [(b"{}x", b"secret", 0), (b"{}", b"other", 0), (b"{}", b"secret", 301), (b"{}", b"", -301)],
)
def test_forged_or_old_pushes_are_refused(clock: ManualClock, body: bytes, secret: bytes, age: int) -> None:
    stamp = str(int(clock.now()) - age)
    signature = signature_of(secret, stamp, str(LESSON), b"{}")
    with pytest.raises(Refusal):
        verify_push(b"secret", str(LESSON), body, signature, stamp, clock)


def test_a_good_push_is_accepted(clock: ManualClock) -> None:
    stamp = str(int(clock.now()))
    signed = f"{stamp}.{LESSON}.{{}}".encode()
    signature = "sha256=" + hmac.new(b"secret", signed, hashlib.sha256).hexdigest()
    verify_push(b"secret", str(LESSON), b"{}", signature, stamp, clock)
    with pytest.raises(Refusal):
        verify_push(b"secret", str(LESSON).replace("19:30", "20:30"), b"{}", signature, stamp, clock)


@pytest.mark.parametrize("stamp", ["", "x", "１", "-1", "9" * 400, "9" * 5000])
def test_a_time_that_is_none_is_refused(clock: ManualClock, stamp: str) -> None:
    with pytest.raises(Refusal):
        verify_push(b"secret", str(LESSON), b"{}", signature_of(b"secret", stamp, str(LESSON), b"{}"), stamp, clock)


async def test_an_index_that_is_behind_tells_nobody_wrongly(world: World) -> None:
    await waiting(world, 2)
    await resize(world, 1)
    world.settle()
    await world.service.leave_waitlist("u0", LESSON)
    assert await world.monitor.run() == 1, "who has just left may still stand in the index"
    assert await world.monitor.run() == 0, "who has just been told may stand there as not told"
    assert await told(world) == ["u1"]
