"""Who lives in the world of lessons: members who want the same places, a desk that books, moves and calls off, and a
studio that sells at its own counter too.

Ginza's places are sold here, with tickets in most seeds; Shibuya's in the studio's own system, in which we book as
well. One of Ginza's lessons begins soon: people cancel late, come in at the door, or do not come.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import orjson

from sekkei.worlds import Gone, Letter, Person, Script, World
from sekkei.worlds.chance import dice_of
from sekkei_fakes.asgi import Application
from sekkei_fakes.studio.system import StudioSystem, application
from sekkei_systems.days import JST
from sekkei_systems.lessons.design import DeskAct, DeskVerb, Lesson, Pass, Status, TieKind, UserLesson
from sekkei_systems.lessons.rules.places import is_available
from sekkei_systems.lessons.rules.slots import slot_of
from sekkei_systems.lessons.system import SYSTEM
from sekkei_systems.lessons.webhooks.availability import signature_of

TOKEN, PUSH_SECRET = "studio-token", "push-secret"
HERE = "gnz/2026-01-02/19:30"
THERE = "sby/2026-01-02/20:30"
LATER = ("20:45", "22:15")
"""At which other times of its day the lesson in Ginza may take place."""
WEEKLY = "18:00"
"""When there is one every week, on the weekday of the others."""
LESSON_DAY = HERE.split("/")[1]
PLACES = 2
OLD_PAGE = 0.1
"""How often somebody acts on what is no longer so."""
HAVING = (TieKind.BOOKING, TieKind.WAITLIST)
HOUR = 3600.0
SOON_SECONDS = 25 * 60
API = "/lessons/api"

WORLD = Script(
    "lessons",
    [SYSTEM],
    outside=("mail", "push"),
    seconds=26.0,
    settle_seconds=100.0,
    leaps=(HOUR,),
    rests=(HOUR * 1.1, HOUR * 72),
    settings={
        "lessons_studios": "gnz=銀座,sby=渋谷",
        "lessons_staff": "staff-1@example.com",
        "lessons_booking_url": "sby=https://studio.example",
        "lessons_booking_token": TOKEN,
        "lessons_push_secret": PUSH_SECRET,
    },
)


@WORLD.prepares
def open_the_studio(world: World) -> None:
    studio = StudioSystem(world.clock)
    studio.offer(THERE, PLACES)
    world.given |= {
        "studio": studio,
        "asked": Counter(),
        "cancelled": Counter(),
        "left": set(),
        "leaving": set(),
    }
    world.internet.services["studio.example"] = Application(application(studio, TOKEN, world.clock))


def studio_of(world: World) -> StudioSystem:
    found: StudioSystem = world.given["studio"]
    return found


@WORLD.lives
async def the_counter_sells_too(world: World) -> None:
    pushes, pushed = dice_of(world.seed, "pushes").chance(0.5), None
    for number in range(1, 200):
        dice = dice_of(world.seed, "counter", number)
        await asyncio.sleep(3 + dice.random() * 20)
        if world.faulty and dice.chance(0.5):
            studio_of(world).give_back(THERE)
            world.tell("counter", "takes a place back")
        elif world.faulty and studio_of(world).sell(THERE):
            world.tell("counter", "sells a place")
        changes = len(studio_of(world).lessons[THERE].told)
        if pushes and changes != pushed:  # also when as many are free as before: somebody gave back, somebody bought
            pushed = changes
            world.given["pushed"] = (world.clock.now(), changes)
            world.deliver(Letter(f"push#{number}", f"{API}/lessons/{THERE}/availability", lambda _: _push(world)))


def _push(world: World) -> tuple[bytes, Mapping[str, str]]:
    """What is free there when it is sent, also when it is sent again."""
    body, stamp = orjson.dumps(studio_of(world).availability(THERE)), f"{int(world.clock.now())}"
    signature = signature_of(PUSH_SECRET.encode(), stamp, THERE, body)
    return body, {"Content-Type": "application/json", "X-Timestamp": stamp, "X-Signature": signature}


@WORLD.lives
async def somebody_looks_when_it_is_quiet(world: World) -> None:
    """Lessons are over in the end: what was so before is seen when faults have stopped and all had time to settle."""
    quiet = 0
    while quiet < WORLD.settle_seconds * 0.95:
        await asyncio.sleep(3)
        quiet = 0 if world.faulty or not world.people else quiet + 3
    for look in QUIET_LOOKS:
        world.given[look.__name__] = look(world)


QUIET_LOOKS: list[Callable[[World], list[str]]] = []
"""Each says what it does not like; `promises` has them."""


# Who they are


@WORLD.role(1)
async def staff(me: Person) -> None:
    """Sets the rules of both studios, which differ from seed to seed, and opens their lessons."""
    await me.sign_in(f"{me.name}@example.com")
    asks, dice = {"minutes": {"cancel_until": 0}}, me.dice
    ginza = {
        "needsPass": dice.chance(0.7),
        "hasTrial": dice.chance(0.5),
        "perWeek": dice.choice((None, 2, 3)),
        "lateTakesTicket": dice.chance(0.7),
        "noShowsMax": dice.choice((None, 1)),
        "fairness": dice.choice((None, "first-in-line")),
    }
    shibuya = {"needsPass": dice.chance(0.5), "perWeek": dice.choice((None, 2))}
    await _settled(me, "PUT", "studios/gnz/rules", asks | ginza)
    await _settled(me, "PUT", "studios/sby/rules", asks | shibuya)
    lesson = {"name": "House", "instructor": "YUKI", "capacity": PLACES}
    begins = datetime.fromtimestamp(me.world.clock.now() + SOON_SECONDS, JST)
    me.world.given |= {"soon": f"gnz/{begins:%Y-%m-%d/%H:%M}", "rules": {"gnz": ginza, "sby": shibuya}}
    for name in (HERE, THERE, me.world.given["soon"]):
        await _settled(me, "POST", f"lessons/{name}", lesson)
    day = HERE.split("/")[1]
    path = f"studios/gnz/weekly/{datetime.fromisoformat(day).weekday()}/{WEEKLY}"
    await _settled(me, "PUT", path, lesson | {"firstDay": day, "lastDay": day})


async def _settled(me: Person, method: str, path: str, body: Any) -> None:
    """Before anything can go wrong."""
    reply = await me.json(method, f"{API}/{path}", body)
    assert reply.status in (200, 201), reply.text


@WORLD.role(1)
async def desk(me: Person) -> None:
    await me.sign_in(f"{me.name}@example.com")
    for studio in ("gnz", "sby"):
        role = {"email": f"{me.name}@example.com", "role": "manager"}
        await _settled(me.world.people[0], "PUT", f"studios/{studio}/staff", role)


@WORLD.role(4)
async def member(me: Person) -> None:
    """All but the last have tickets; that one is a newcomer."""
    await _arrives(me)
    for studio, tickets in (("gnz", 3), ("sby", 2)):
        if not me.name.endswith("4"):
            await _settled(me.world.people[0], "POST", f"studios/{studio}/passes", book_of(me, tickets))


async def _arrives(me: Person) -> None:
    await me.sign_in(f"{me.name}@example.com")
    await me.json("GET", f"{API}/me/preferences")
    mine, before = f"{me.name}@example.com", me.memory.get("account", "")
    theirs = {one.user_id for one in me.world.decoded("Users") if one.email == mine} - me.world.given["left"]
    me.memory["account"] = min(theirs - {before} or theirs, default="")
    if before not in ("", me.memory["account"]):
        me.world.given["left"].add(before)


def book_of(whom: Person, tickets: int | None) -> dict[str, Any]:
    days = {"validFrom": "2026-01-01", "validUntil": "2099-12-31"}
    return {"email": f"{whom.name}@example.com", "name": f"{tickets} tickets", "tickets": tickets, **days}


def tickets_in(book: Pass) -> int:
    """How many there were when it was given: it is called so."""
    return int(book.name.partition(" ")[0])


# What they see


def _timetable(world: World) -> list[Lesson]:
    found = [one for one in world.decoded("Lessons") if isinstance(one, Lesson)]
    return sorted(found, key=lambda one: str(slot_of(one)))


def _in_ginza(me: Person) -> str:
    """Mostly the lesson that they all want, wherever it was moved to."""
    found = [str(slot_of(one)) for one in _timetable(me.world) if one.studio_code == "gnz" and one.moving_to is None]
    wanted = [name for name in found if name.split("/")[2] in (HERE.split("/")[2], *LATER)]
    return me.dice.choice([*(wanted or [HERE]) * 3, *found])


def some_lesson(me: Person) -> str:
    return _in_ginza(me) if me.dice.chance(0.55) else THERE


def ties(world: World, kind: TieKind) -> list[UserLesson]:
    """Those that go on, in an order."""
    found = [one for one in world.decoded("user_lessons") if one.kind is kind and one.status is Status.ACTIVE]
    return sorted(found, key=lambda one: (one.user_id, str(slot_of(one))))


def _mine(me: Person, kind: TieKind) -> str | None:
    """One of theirs, as their list shows it; seldom any, as somebody does who has an old page open."""
    if me.dice.chance(OLD_PAGE):
        return some_lesson(me)
    theirs = [str(slot_of(one)) for one in ties(me.world, kind) if _is(me, one)]
    return me.dice.choice(theirs) if theirs else None


def _full(me: Person) -> str | None:
    """A lesson without a place for them, as the timetable shows it."""
    if me.dice.chance(OLD_PAGE):
        return some_lesson(me)
    theirs = {str(slot_of(one)) for kind in HAVING for one in ties(me.world, kind) if _is(me, one)}
    open_ = [one for one in _timetable(me.world) if one.is_open and not is_available(one)]
    found = [name for name in map(str, map(slot_of, open_)) if name not in theirs]
    return me.dice.choice(found) if found else None


def _is(me: Person, tie: UserLesson) -> bool:
    return bool(tie.user_id == me.memory["account"])


# Members


@WORLD.does("member", 5)
async def books(me: Person) -> str:
    lesson = some_lesson(me)
    me.world.given["asked"][me.name] += 1
    reply = await me.json("POST", f"{API}/me/bookings", {"lesson": lesson})
    if reply.status in (409, 503) and me.dice.chance(0.5):
        return f"cannot book {lesson[:3]}, and {await _wait(me, lesson)}"
    return f"books {lesson[:3]}: {reply.status}"


@WORLD.does("member", 4)
async def cancels(me: Person) -> str | None:
    lesson = _mine(me, TieKind.BOOKING)
    if lesson is None:
        return None
    me.world.given["cancelled"][me.name, lesson] += 1
    reply = await me.json("DELETE", f"{API}/me/bookings/{lesson}")
    return f"cancels {lesson[:3]}: {reply.status}"


@WORLD.does("member", 2)
async def waits(me: Person) -> str | None:
    lesson = _full(me)
    return await _wait(me, lesson) if lesson else None


async def _wait(me: Person, lesson: str) -> str:
    """Mostly with the wish to be booked."""
    reply = await me.json("POST", f"{API}/me/waitlist", {"lesson": lesson})
    said = f"waits for {lesson[:3]}: {reply.status}"
    return f"{said}, and {await _wish(me, lesson)}" if reply.status == 201 and me.dice.chance(0.6) else said


@WORLD.does("member", 1)
async def waits_no_longer(me: Person) -> str | None:
    lesson = _mine(me, TieKind.WAITLIST)
    if lesson is None:
        return None
    reply = await me.json("DELETE", f"{API}/me/waitlist/{lesson}")
    return f"waits no longer for {lesson[:3]}: {reply.status}"


@WORLD.does("member", 1)
async def looks(me: Person) -> str:
    lesson = some_lesson(me)
    return f"looks at {lesson[:3]}: {(await me.json('GET', f'{API}/lessons/{lesson}')).status}"


@WORLD.does("member", 2)
async def wishes(me: Person) -> str | None:
    lesson = _mine(me, TieKind.WAITLIST)
    return await _wish(me, lesson) if lesson else None


async def _wish(me: Person, lesson: str) -> str:
    """To be booked without being asked, or to hear nothing until the next day."""
    name = me.dice.choice(("bookHours", "bookHours", "bookHours", "pausedUntil"))
    wish = {name: me.dice.choice((0, 1, 1, None)) if name == "bookHours" else me.dice.choice((LESSON_DAY, None))}
    reply = await me.json("PUT", f"{API}/me/waitlist/{lesson}", wish)
    return f"wishes {name} {wish[name]} of {lesson[:3]}: {reply.status}"


def telephone(name: str) -> str:
    return f"ExponentPushToken[{name}]"


@WORLD.does("member", 1)
async def wants_push(me: Person) -> str | None:
    """A code goes to their telephone, and back when it is there. Nobody does so again who has it."""
    token, device = telephone(me.name), me.world.outside["push"]
    if any(one.push_token == token for one in me.world.decoded("Users")):
        return None
    used: set[str] = me.memory.setdefault("codes", set())
    sent = [one.body["body"] for one in device.received if one.to == token and "/proof/" in one.id]
    codes = [one for one in sent if one not in used]
    if not codes:
        reply = await me.json("POST", f"{API}/me/addresses", {"channel": "push", "address": token})
        return f"wants push: {reply.status}"
    reply = await me.json("POST", f"{API}/me/addresses/push/proof", {"code": codes[-1]})
    used.update(codes)
    return f"types the code for push: {reply.status}"


@WORLD.does("member", 0.7)
async def likes(me: Person) -> str:
    lesson = some_lesson(me)
    reply = await me.json("PUT", f"{API}/me/favorites/{lesson}", {"notes": "with Hana"})
    return f"likes {lesson[:3]}: {reply.status}"


@WORLD.does("member", 0.3)
async def likes_no_longer(me: Person) -> str | None:
    lesson = _mine(me, TieKind.FAVORITE)
    if lesson is None:
        return None
    reply = await me.json("DELETE", f"{API}/me/favorites/{lesson}")
    return f"likes {lesson[:3]} no longer: {reply.status}"


@WORLD.does("member", 0.4)
async def looks_for_more(me: Person) -> str:
    reply = await me.json("POST", f"{API}/me/searches", {"studio": "gnz"})
    return f"looks for more: {reply.status}"


@WORLD.does("member", 0.4)
async def looks_at_their_own(me: Person) -> str:
    what = me.dice.choice(("lessons", "passes", "statistics"))
    return f"looks at their {what}: {(await me.json('GET', f'{API}/me/{what}')).status}"


@WORLD.does("member", 0.2)
async def leaves(me: Person) -> str:
    """And comes back as somebody new."""
    account = me.memory["account"]
    await me.sign_in(f"{me.name}@example.com")  # nobody leaves by a session of long ago
    me.world.given["leaving"].add(me.name)
    with contextlib.suppress(Gone):
        await me.post("/account/leave", {"sure": "on"})
    await _arrives(me)
    return f"leaves with their account: {'done' if account in me.world.given['left'] else 'in vain'}"


# Those who run the studios


@WORLD.does("staff", 1)
async def changes_a_name(me: Person) -> str:
    lesson, name = some_lesson(me), f"House {me.dice.randint(1, 9)}"
    reply = await me.json("PUT", f"{API}/lessons/{lesson}", {"name": name})
    return f"calls {lesson[:3]} {name}: {reply.status}"


@WORLD.does("staff", 0.2)
async def calls_a_lesson_off(me: Person) -> str:
    lesson = some_lesson(me)
    reply = await me.json("DELETE", f"{API}/lessons/{lesson}")
    return f"calls {lesson[:3]} off: {reply.status}"


@WORLD.does("staff", 0.3)
async def has_a_holiday(me: Person) -> str:
    """Or none after all."""
    path = f"{API}/studios/gnz/holidays/{HERE.split('/')[1]}"
    if me.dice.chance(0.5):
        return f"closes for a holiday: {(await me.json('PUT', path, {'name': 'moving house'})).status}"
    return f"has no holiday: {(await me.json('DELETE', path)).status}"


@WORLD.does("staff", 0.3)
async def skips_a_day(me: Person) -> str:
    """Or does not."""
    day = HERE.split("/")[1]
    path = f"{API}/studios/gnz/weekly/{datetime.fromisoformat(day).weekday()}/{WEEKLY}/skipped/{day}"
    if me.dice.chance(0.5):
        return f"skips a day: {(await me.json('PUT', path)).status}"
    return f"skips none: {(await me.json('DELETE', path)).status}"


def some_member(me: Person) -> Person:
    return me.dice.choice([one for one in me.world.people if one.role == "member"])


@WORLD.does("staff", 0.15)
@WORLD.does("desk", 3)
async def books_for_somebody(me: Person) -> str:
    lesson, whom = some_lesson(me), some_member(me)
    reply = await me.json("POST", f"{API}/desk/{lesson}/places", {"email": f"{whom.name}@example.com"})
    return f"books {lesson[:3]} for somebody: {reply.status}"


@WORLD.does("staff", 0.15)
@WORLD.does("desk", 3)
async def cancels_for_somebody(me: Person) -> str | None:
    found = ties(me.world, TieKind.BOOKING)
    if not found:
        return None
    booking = me.dice.choice(found)
    reply = await me.json("DELETE", f"{API}/desk/{booking.user_id}/{slot_of(booking)}")
    return f"cancels {booking.studio_code} for somebody: {reply.status}"


@WORLD.does("desk", 1.5)
async def lets_somebody_in(me: Person) -> str:
    lesson = some_lesson(me) if me.dice.chance(0.5) else me.world.given["soon"]
    reply = await me.json("POST", f"{API}/desk/{lesson}/places", {"name": "Guest"})
    return f"lets somebody in {lesson[:3]}: {reply.status}"


@WORLD.does("desk", 1.5)
async def calls_the_roll(me: Person) -> str | None:
    """Of the lesson that begins soon, or has."""
    soon = me.world.given["soon"]
    bookings = [one for one in me.world.decoded("user_lessons") if one.kind is TieKind.BOOKING]
    found = [one for one in bookings if str(slot_of(one)) == soon and one.status is not Status.CANCELLED]
    if not found:
        return None
    booking, came = me.dice.choice(sorted(found, key=lambda one: one.user_id)), me.dice.chance(0.5)
    reply = await me.json("PUT", f"{API}/roll/{booking.user_id}/{soon}", {"attended": came})
    return f"notes that somebody {'came' if came else 'did not come'}: {reply.status}"


@WORLD.does("desk", 1)
async def gives_tickets(me: Person) -> str:
    studio = me.dice.choice(("gnz", "gnz", "sby"))
    body = book_of(some_member(me), me.dice.choice((1, 2, 2, None)))
    reply = await me.json("POST", f"{API}/studios/{studio}/passes", body)
    return f"gives a pass of {studio}: {reply.status}"


@WORLD.does("desk", 0.4)
async def takes_a_pass_away(me: Person) -> str | None:
    whom = some_member(me)
    found = [one for one in me.world.decoded("Lessons") if isinstance(one, Pass)]
    theirs = sorted(one.pass_id for one in found if one.user_id == whom.memory.get("account"))
    if not theirs:
        return None
    form = {"email": f"{whom.name}@example.com", "pass_id": me.dice.choice(theirs)}
    return f"takes a pass away: {(await me.post('/lessons/desk/gnz/passes/delete', form)).status}"


@WORLD.does("staff", 0.15)
@WORLD.does("desk", 2)
async def moves_a_lesson(me: Person) -> str:
    lesson, day = _in_ginza(me), HERE.rpartition("/")[0]
    others = [time for time in (HERE.split("/")[2], *LATER) if not lesson.endswith(time)]
    to = f"{day}/{me.dice.choice(others)}"
    reply = await me.json("POST", f"{API}/desk/{lesson}/move", {"to": to})
    return f"moves {lesson[-5:]} to {to[-5:]}: {reply.status}"


@WORLD.does("desk", 0.7)
async def calls_off(me: Person) -> str:
    lesson = some_lesson(me)
    reply = await me.json("DELETE", f"{API}/lessons/{lesson}?words=typhoon")
    return f"calls {lesson[:3]} off for a typhoon: {reply.status}"


@WORLD.does("staff", 0.3)
@WORLD.does("desk", 3)
async def takes_back(me: Person) -> str | None:
    """One of the last things that a desk did."""
    acts = [one for one in me.world.decoded("Lessons") if isinstance(one, DeskAct) and one.undone_at is None]
    if not acts:
        return None
    newest = sorted(acts, key=lambda one: one.act_id)[-3:]
    off = [one for one in newest if one.verb is DeskVerb.CALLED_OFF]
    act = me.dice.choice([*newest, *off])
    reply = await me.json("POST", f"{API}/desk/{slot_of_act(act)}/acts/{act.act_id}/undo")
    return f"takes back what was {act.verb.value}: {reply.status}"


def slot_of_act(act: DeskAct) -> str:
    return f"{act.studio_code}/{act.lesson_date}/{act.start_time:%H:%M}"
