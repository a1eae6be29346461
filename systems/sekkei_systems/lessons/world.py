"""Studio lessons in simulated time: members who want the same places, and a studio that sells at its own counter too.

Ginza's places are sold here; Shibuya's in the studio's own system, in which we book as well.
"""

from __future__ import annotations

import asyncio
from collections import Counter

from sekkei.runtime.counterparts.asgi import Application
from sekkei.runtime.design import Message
from sekkei.worlds import Person, Script, World, promises
from sekkei.worlds.chance import dice_of
from sekkei.worlds.clock import START
from sekkei_systems.lessons import SYSTEM
from sekkei_systems.lessons.design import Lesson, Reservation, Status, TieKind, UserLesson
from sekkei_systems.lessons.local.studio_system import State, StudioSystem, application
from sekkei_systems.lessons.rules.slots import slot_of

TOKEN = "studio-token"
HERE = "gnz/2026-01-02/19:30"
THERE = "sby/2026-01-02/20:30"
PLACES = 2
HOUR = 3600.0
LESSONS_BEGIN = HOUR * 43.5
"""After the world's first second."""

WORLD = Script(
    "lessons",
    [SYSTEM],
    seconds=28.0,
    settle_seconds=100.0,
    leaps=(HOUR,),
    rests=(HOUR * 1.1, HOUR * 72),
    settings={
        "lessons_studios": "gnz=銀座,sby=渋谷",
        "lessons_staff": "staff-1@example.com",
        "lessons_booking_url": "sby=https://studio.example",
        "lessons_booking_token": TOKEN,
    },
)


@WORLD.prepares
def open_the_studio(world: World) -> None:
    studio = StudioSystem(world.clock)
    studio.offer(THERE, PLACES)
    world.given["studio"] = studio
    world.internet.services["studio.example"] = Application(application(studio, TOKEN, world.clock))


def _studio(world: World) -> StudioSystem:
    found: StudioSystem = world.given["studio"]
    return found


@WORLD.lives
async def the_counter_sells_too(world: World) -> None:
    for number in range(1, 200):
        dice = dice_of(world.seed, "counter", number)
        await asyncio.sleep(3 + dice.random() * 20)
        if not world.faulty:
            continue
        if dice.chance(0.5):
            _studio(world).give_back(THERE)
            world.tell("counter", "takes a place back")
        elif _studio(world).sell(THERE):
            world.tell("counter", "sells a place")


# People


@WORLD.role(1)
async def staff(me: Person) -> None:
    await me.sign_in("staff-1@example.com")
    for lesson in (HERE, THERE):
        body = {"name": "House", "instructor": "YUKI", "capacity": PLACES}
        reply = await me.json("POST", f"/lessons/api/lessons/{lesson}", body)
        assert reply.status == 201, reply.text


@WORLD.role(4)
async def member(me: Person) -> None:
    await me.sign_in(f"{me.name}@example.com")


def _some_lesson(me: Person) -> str:
    return me.dice.choice([HERE, THERE])


@WORLD.does("member", 5)
async def books(me: Person) -> str:
    lesson = _some_lesson(me)
    reply = await me.json("POST", "/lessons/api/me/bookings", {"lesson": lesson})
    if reply.status in (409, 503) and me.dice.chance(0.5):
        await me.json("POST", "/lessons/api/me/waitlist", {"lesson": lesson})
        return f"cannot book {lesson[:3]}, and waits"
    return f"books {lesson[:3]}: {reply.status}"


@WORLD.does("member", 4)
async def cancels(me: Person) -> str:
    lesson = _some_lesson(me)
    reply = await me.json("DELETE", f"/lessons/api/me/bookings/{lesson}")
    return f"cancels {lesson[:3]}: {reply.status}"


@WORLD.does("member", 2)
async def waits(me: Person) -> str:
    lesson = _some_lesson(me)
    reply = await me.json("POST", "/lessons/api/me/waitlist", {"lesson": lesson})
    return f"waits for {lesson[:3]}: {reply.status}"


@WORLD.does("member", 1)
async def waits_no_longer(me: Person) -> str:
    lesson = _some_lesson(me)
    reply = await me.json("DELETE", f"/lessons/api/me/waitlist/{lesson}")
    return f"waits no longer for {lesson[:3]}: {reply.status}"


@WORLD.does("member", 1)
async def looks(me: Person) -> str:
    lesson = _some_lesson(me)
    return f"looks at {lesson[:3]}: {(await me.json('GET', f'/lessons/api/lessons/{lesson}')).status}"


@WORLD.does("staff", 1)
async def changes_a_name(me: Person) -> str:
    lesson, name = _some_lesson(me), f"House {me.dice.randint(1, 9)}"
    reply = await me.json("PUT", f"/lessons/api/lessons/{lesson}", {"name": name})
    return f"calls {lesson[:3]} {name}: {reply.status}"


@WORLD.does("staff", 0.2)
async def calls_a_lesson_off(me: Person) -> str:
    reply = await me.json("DELETE", f"/lessons/api/lessons/{HERE}")
    return f"calls gnz off: {reply.status}"


# Promises


def _ties(world: World, kind: TieKind) -> list[UserLesson]:
    return [one for one in world.decoded("user_lessons") if one.kind is kind and one.status is Status.ACTIVE]


def _is_over(world: World) -> bool:
    """Both lessons have begun; bookings become history one by one."""
    return world.clock.now() - START > LESSONS_BEGIN


@WORLD.always_in("user_lessons", "Lessons")
def places_equal_bookings(world: World) -> None:
    """What a lesson says is booked here is what people have booked, and never more than there is room for."""
    booked = Counter(str(slot_of(one)) for one in _ties(world, TieKind.BOOKING))
    for lesson in (one for one in world.decoded("Lessons") if isinstance(one, Lesson)):
        if not lesson.called_off and not _is_over(world):
            slot = str(slot_of(lesson))
            assert lesson.booked_here in (None, booked[slot]), (
                f"{slot}: {lesson.booked_here} said, {booked[slot]} booked"
            )
            assert booked[slot] <= PLACES, f"{booked[slot]} people have booked {PLACES} places of {slot}"


@WORLD.always_in("user_lessons")
def nobody_waits_for_what_they_have(world: World) -> None:
    waiting = {(one.user_id, str(slot_of(one))) for one in _ties(world, TieKind.WAITLIST)}
    booked = {(one.user_id, str(slot_of(one))) for one in _ties(world, TieKind.BOOKING)}
    assert not waiting & booked, f"{sorted(waiting & booked)} are booked and wait"


WORLD.finally_(promises.everything_ends)
WORLD.finally_(promises.nothing_is_given_up)


@WORLD.finally_
def nothing_is_half_done_at_the_studio(world: World) -> None:
    left = [one for one in world.decoded("Lessons") if isinstance(one, Reservation)]
    assert left == [], f"{len(left)} reservations are not settled"
    held = [one for one in _studio(world).reservations.values() if one.state is State.HELD]
    assert all(one.until < world.clock.now() for one in held), "the studio holds a place for nobody"


@WORLD.finally_
def both_sides_agree(world: World) -> None:
    """Every place that Shibuya has sold through us is somebody's booking, and the reverse."""
    sold = {key for key, one in _studio(world).reservations.items() if one.state is State.SOLD}
    ours = {one.reservation_id for one in _ever_booked(world)}
    assert sold == ours, f"the studio has sold {sorted(sold)}, here are {sorted(map(str, ours))}"


def _ever_booked(world: World) -> list[UserLesson]:
    """Bookings that go on or were completed."""
    return [
        one
        for one in world.decoded("user_lessons")
        if one.kind is TieKind.BOOKING and one.studio_code == "sby" and one.status in (Status.ACTIVE, Status.COMPLETED)
    ]


@WORLD.finally_
def nobody_is_told_of_an_opening_twice(world: World) -> None:
    mails = Counter(one.id for one in world.outside["mail"].received)
    known = {one.id for one in promises.runtime_rows(world) if isinstance(one, Message) and one.attempts <= 1}
    for message_id in sorted(known):
        assert mails[message_id] <= 1, f"{message_id} was mailed {mails[message_id]} times"
