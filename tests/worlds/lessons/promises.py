"""What holds in the world of lessons: after every commit, or when everything has come to rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sekkei.runtime import days
from sekkei.runtime.design import Message
from sekkei.runtime.sweeping import NOBODY
from sekkei.worlds import World, promises
from sekkei.worlds.fake_services import Received
from sekkei_fakes.studio.system import State
from sekkei_systems.lessons.design import (
    Contact,
    Lesson,
    Pass,
    PassKind,
    Reservation,
    Standing,
    Status,
    TieKind,
    UserLesson,
    WeekCount,
)
from sekkei_systems.lessons.rules.places import free_places
from sekkei_systems.lessons.rules.slots import slot_of
from sekkei_systems.lessons.rules.waitlist import holds_offer, is_paused
from sekkei_systems.lessons.texts import say
from tests.worlds.lessons.people import (
    PLACES,
    QUIET_LOOKS,
    THERE,
    WORLD,
    studio_of,
    telephone,
    tickets_in,
    ties,
)

SKEW = 3.0
"""By so much two clocks may differ, and a little more."""
TOLD_UNTIL_SECONDS = 11 * 60.0
"""Before the start; later nobody is told."""
PUSHED_SECONDS = 60.0
"""So long what was pushed may be on its way."""
OPENED_SECONDS = 5.0
"""So long word of an opening may be on its way to those who wait."""
KNOWN_SECONDS = 30.0
"""After which everybody knows an address."""
GOES_ON = (Status.ACTIVE, Status.COMPLETED)
PERSONAL = ("user_lessons", "Lessons", "Users")


@dataclass(slots=True)
class Seen:
    """What somebody remembers who has looked after every commit: rows are overwritten, and people forget."""

    lost: dict[str, UserLesson] = field(default_factory=dict)
    """Bookings that keep what they took, by their reservation: cancelled late, or over and deleted."""
    booked: dict[str, UserLesson] = field(default_factory=dict)
    """Who was booked at the last look, by reservation."""
    ever: dict[str, str] = field(default_factory=dict)
    """Who was ever booked, by reservation."""
    ended: list[UserLesson] = field(default_factory=list)
    """Bookings that went on at one look and not at the next."""
    off: set[str] = field(default_factory=set)
    times_off: Counter[str] = field(default_factory=Counter)
    """How often each lesson was called off."""
    names: dict[str, str] = field(default_factory=dict)
    """Of people, by their accounts."""
    waiting: dict[tuple[str, str], UserLesson] = field(default_factory=dict)
    """Who waited at the last look, by account and slot."""
    waited: dict[str, tuple[float, UserLesson | None]] = field(default_factory=dict)
    """How somebody waited just before they were booked, by reservation."""
    blocked: dict[str, UserLesson] = field(default_factory=dict)
    """Who was booked while they were blocked, by reservation."""
    push_since: dict[str, float] = field(default_factory=dict)
    """Since when people have push, by account."""


def looks_when_quiet(look: Callable[[World], list[str]]) -> Callable[[World], list[str]]:
    QUIET_LOOKS.append(look)
    return look


def _seen(world: World) -> Seen:
    found: Seen = world.given.setdefault("seen", Seen())
    return found


def _bookings(world: World) -> list[UserLesson]:
    return [one for one in world.decoded("user_lessons") if one.kind is TieKind.BOOKING]


def _rows(world: World, kind: type[Any]) -> list[Any]:
    return [one for one in world.decoded("Lessons") if isinstance(one, kind)]


def _costs(world: World, booking: UserLesson) -> bool:
    rules = world.given["rules"][booking.studio_code]
    return bool(rules["needsPass"]) and rules.get("lateTakesTicket", True)


@WORLD.always_in("user_lessons", "Lessons", "Users")
def a_booking_has_one_place(world: World) -> None:
    """No reservation is booked in two slots, also while a lesson is moved."""
    _remember(world)
    there = Counter(one.reservation_id for one in _bookings(world) if one.status in GOES_ON)
    twice = sorted(str(key) for key, count in there.items() if count > 1)
    assert twice == [], f"{twice} are booked in more than one slot"


def _remember(world: World) -> None:
    """For this promise and the others; it is looked at first."""
    seen, bookings = _seen(world), _bookings(world)
    now = {str(one.reservation_id): one for one in bookings if one.status in GOES_ON}
    late = [one for one in bookings if one.status not in GOES_ON and one.cancelled_late and _costs(world, one)]
    seen.lost |= {str(one.reservation_id): one for one in late}
    gone = [one for key, one in seen.booked.items() if key not in now]
    # Of somebody who leaves the lessons that took place are deleted before their passes are.
    seen.lost |= {str(one.reservation_id): one for one in gone if one.status is Status.COMPLETED}
    seen.ended += gone
    for key in now.keys() - seen.ever.keys():
        seen.waited[key] = world.clock.now(), seen.waiting.get((now[key].user_id, str(slot_of(now[key]))))
        if not now[key].guest_name and _is_blocked(world, now[key]):
            seen.blocked[key] = now[key]
    seen.waiting = {(one.user_id, str(slot_of(one))): one for one in ties(world, TieKind.WAITLIST)}
    seen.booked = now
    seen.ever |= {key: one.user_id for key, one in now.items() if not one.guest_name}
    off = {str(slot_of(one)) for one in _rows(world, Lesson) if one.called_off}
    seen.times_off.update(off - seen.off)
    seen.off = off
    for one in (one for one in world.decoded("Users") if isinstance(one, Contact)):
        seen.names[one.user_id] = (one.email or "").partition("@")[0]
        if one.push_token:
            seen.push_since.setdefault(one.user_id, world.clock.now())


def _is_blocked(world: World, booking: UserLesson) -> bool:
    whose, later = (booking.user_id, booking.studio_code), world.clock.now() + SKEW
    until = [one.blocked_until for one in _rows(world, Standing) if (one.user_id, one.studio_code) == whose]
    return any(one is not None and one.timestamp() > later for one in until)


@WORLD.always_in("user_lessons", "Lessons")
def places_equal_bookings(world: World) -> None:
    """What a lesson says is booked here is what people have booked, and never more than there is room for."""
    booked = Counter(str(slot_of(one)) for one in ties(world, TieKind.BOOKING))
    for lesson in _rows(world, Lesson):
        if not _has_begun(world, lesson):
            slot = str(slot_of(lesson))
            assert lesson.booked_here == booked[slot], f"{slot}: {lesson.booked_here} said, {booked[slot]} booked"
            assert booked[slot] <= PLACES, f"{booked[slot]} people have booked {PLACES} places of {slot}"


def _has_begun(world: World, lesson: Lesson) -> bool:
    """From then on bookings become history one by one."""
    return world.clock.now() > slot_of(lesson).starts_at.timestamp() - SKEW


@WORLD.always_in("user_lessons")
def nobody_waits_for_what_they_have(world: World) -> None:
    waiting = {(one.user_id, str(slot_of(one))) for one in ties(world, TieKind.WAITLIST)}
    booked = {(one.user_id, str(slot_of(one))) for one in ties(world, TieKind.BOOKING)}
    assert not waiting & booked, f"{sorted(waiting & booked)} are booked and wait"


@WORLD.always_in("user_lessons", "Lessons")
def tickets_equal_bookings(world: World) -> None:
    """Of a book of tickets as many are gone as bookings have taken and not given back."""
    took = Counter((one.pass_id, one.user_id) for one in _costly(world) if one.ticket_taken)
    for book in _rows(world, Pass):
        if book.tickets_left is not None and book.user_id != NOBODY:
            given = 1 if book.kind is PassKind.TRIAL else tickets_in(book)
            gone = given - book.tickets_left
            bookings = took[book.pass_id, book.user_id]
            assert gone == bookings, f"{gone} tickets of {book.user_id} are gone, for {bookings} bookings"


def _costly(world: World) -> list[UserLesson]:
    """Bookings that keep what they took."""
    return [*_seen(world).booked.values(), *_seen(world).lost.values()]


@WORLD.always_in("user_lessons", "Lessons")
def weeks_equal_bookings(world: World) -> None:
    made = [(one.user_id, one.studio_code, one.week_counted) for one in _costly(world) if one.week_counted]
    counted = Counter(made)
    for week in _rows(world, WeekCount):
        bookings = counted[week.user_id, week.studio_code, week.monday]
        assert week.count == bookings, f"{week.count} lessons of a week are counted, {bookings} are booked"


@WORLD.finally_
def nobody_books_while_they_are_blocked(world: World) -> None:
    """Neither by themselves nor out of the queue; the desk may book in anybody, and they are told."""
    by_desk = {key for one in _mails(world) if not one.id.startswith("lessons/auto/") for key in one.id.split("/")}
    for key, booking in _seen(world).blocked.items():
        left = _name(world, booking.user_id) in world.given["leaving"]
        assert left or key in by_desk, f"{booking.user_id} is blocked, and has booked {slot_of(booking)}"


@WORLD.finally_
def absences_equal_the_roll(world: World) -> None:
    """Nobody is blocked for a lesson that they came to, or did not have to come to."""
    absent = [one for one in _bookings(world) if one.status in GOES_ON and one.attended is False]
    missed = {(one.user_id, str(slot_of(one))) for one in absent}
    for standing in _rows(world, Standing):
        said = {(standing.user_id, slot) for slot in standing.absences}
        theirs = {one for one in missed if one[0] == standing.user_id and one[1].startswith(standing.studio_code)}
        assert said == theirs, f"{sorted(said)} are noted as missed, {sorted(theirs)} were"


# What people are told


def _mails(world: World) -> list[Received]:
    return list({one.id: one for one in world.outside["mail"].received}.values())


@WORLD.finally_
def whoever_is_booked_by_others_is_told(world: World) -> None:
    """Of every booking that somebody did not ask for themselves."""
    told = {key for one in _mails(world) for key in one.id.split("/") if key.startswith("rsv_")}
    by_others = Counter(_name(world, user) for key, user in _seen(world).ever.items() if key not in told)
    for name, count in by_others.items():
        asked = world.given["asked"][name]
        left = name in world.given["leaving"]  # what was to be told to them goes with them
        assert left or count <= asked, f"{name} got {count} bookings without a word, and asked for {asked}"


@WORLD.finally_
def the_queue_books_only_as_wished(world: World) -> None:
    """Whoever was booked without being asked waited and wished it, until then, and did not pause."""
    for mail in _mails(world):
        if mail.id.startswith("lessons/auto/"):
            at, waited = _seen(world).waited[mail.id.split("/")[2]]
            until = None if waited is None else waited.auto_book_until
            wished = until is not None and until.timestamp() > at - SKEW
            assert wished, f"{mail.to} was booked out of the queue and did not wish it"
            paused = waited.paused_until if waited is not None else None
            assert paused is None or paused.timestamp() < at + SKEW, f"{mail.to} was booked although they paused"


@looks_when_quiet
def places_that_go_begging(world: World) -> list[str]:
    """A place is free, and somebody who waits for it has not heard of it, although nobody is asked before them."""
    now, waiting = days.now(world.clock), ties(world, TieKind.WAITLIST)
    return [
        f"{slot_of(lesson)} has room, and nobody tells {tie.user_id}"
        for lesson in _rows(world, Lesson)
        if _can_be_told_of(world, lesson)
        for tie in [one for one in waiting if slot_of(one) == slot_of(lesson) and not is_paused(one, now)]
        if tie.notify_episode < lesson.episode or not lesson.was_available
    ]


def _can_be_told_of(world: World, lesson: Lesson) -> bool:
    """More places are free than are held for somebody, it is not too late, and the lesson is not on its way. The studio
    may have sold them at its counter: it is asked, and says nothing by itself; and it may give one back any moment."""
    if str(slot_of(lesson)) == THERE and not studio_of(world).availability(THERE)["available"]:
        return False
    soon = world.clock.now() > slot_of(lesson).starts_at.timestamp() - TOLD_UNTIL_SECONDS
    arriving = lesson.moving_to is not None or lesson.opens_after is not None
    just_now = lesson.opened_at is not None and lesson.opened_at.timestamp() > world.clock.now() - OPENED_SECONDS
    now, queue = days.now(world.clock), ties(world, TieKind.WAITLIST)
    held = sum(holds_offer(one, now) for one in queue if slot_of(one) == slot_of(lesson))
    is_known = lesson.is_open and not soon and not arriving and not just_now
    return is_known and (free_places(lesson) or 0) > held


@WORLD.finally_
def no_place_goes_begging(world: World) -> None:
    """Whoever waits is booked or told when a place is free."""
    found = world.given["places_that_go_begging"]
    assert found == [], found[0]


@looks_when_quiet
def pushes_that_nobody_believed(world: World) -> list[str]:
    """The studio has said what is free, nothing has changed there since, and here something else stands."""
    at, changes = world.given.get("pushed", (0.0, None))
    is_told = changes == len(studio_of(world).lessons[THERE].told) and world.clock.now() > at + PUSHED_SECONDS
    if not is_told or _rows(world, Reservation):
        return []
    said = studio_of(world).availability(THERE)
    found = [one for one in _rows(world, Lesson) if str(slot_of(one)) == THERE and not one.called_off]
    return [
        f"the studio says that {said['available']} places are free, here are {free_places(one)}"
        for one in found
        if free_places(one) != said["available"]
    ]


@looks_when_quiet
def places_that_leak(world: World) -> list[str]:
    """Where a studio pushes nothing, what is taken here is what is booked here."""
    if "pushed" in world.given or _rows(world, Reservation):
        return []
    there = [one for one in _rows(world, Lesson) if str(slot_of(one)) == THERE and one.sold_out_at is None]
    return [
        f"{THERE}: {one.booked} places are taken, {one.booked_here} are booked here"
        for one in there
        if one.booked != one.booked_here
    ]


@WORLD.finally_
def no_place_leaks(world: World) -> None:
    found = world.given["places_that_leak"]
    assert found == [], found[0]


@WORLD.finally_
def what_the_studio_says_stands_here(world: World) -> None:
    """What a studio pushes is believed, however often or late it comes."""
    found = world.given["pushes_that_nobody_believed"]
    assert found == [], found[0]


@WORLD.finally_
def every_channel_says_the_same(world: World) -> None:
    """Nobody hears by push what they are not mailed; and whoever has push hears by it what they are mailed."""
    mailed = {one.id.removesuffix("/mail"): one for one in _mails(world)}
    told = {one.id.removesuffix("/push"): one.to for one in world.outside["push"].received if "/proof/" not in one.id}
    leaving = {telephone(name) for name in world.given["leaving"]}  # a mail that is to be tried again goes with them
    pushed_only = sorted(reason for reason, to in told.items() if reason not in mailed and to not in leaving)
    assert pushed_only == [], f"{pushed_only} were pushed and not mailed"
    written = {one.id: one.created_at.timestamp() for one in promises.runtime_rows(world) if isinstance(one, Message)}
    since = {_name(world, user): at for user, at in _seen(world).push_since.items()}
    for reason, mail in mailed.items():
        name = mail.to.partition("@")[0]
        has_push = written.get(mail.id, 0.0) > since.get(name, world.clock.now()) + KNOWN_SECONDS
        left = name in world.given["leaving"]
        if has_push and not left and mail.id.startswith("lessons/") and mail.id.endswith("/mail"):
            assert reason in told, f"{name} was mailed {reason}, and nothing came to their telephone"


def _name(world: World, user_id: str) -> str:
    return _seen(world).names.get(user_id, "")


@WORLD.finally_
def whoever_loses_a_place_is_told(world: World) -> None:
    """Once, of every booking that ended without their doing."""
    lost = Counter((_name(world, one.user_id), str(slot_of(one))) for one in _seen(world).ended if not one.guest_name)
    told = Counter[tuple[str, str]]()
    for mail in _mails(world):
        told.update([(mail.to.partition("@")[0], slot) for slot in _ended_by(mail, world)])
    for (name, slot), times in lost.items():
        own, heard = world.given["cancelled"][name, slot], told[name, slot]
        left = name in world.given["leaving"]
        assert left or times <= own + heard, f"{name} lost {slot} {times} times, heard of {heard} and cancelled {own}"


def _ended_by(mail: Received, world: World) -> list[str]:
    """The slot of the booking that a mail says has ended."""
    parts = mail.id.split("/")
    if mail.id.startswith("lessons/desk/off/"):
        return ["/".join(parts[3:6])]
    if mail.id.startswith("lessons/change/") and say("ja", "notice.off") in mail.body["subject"]:
        return ["/".join(parts[2:5])]
    if mail.id.startswith("lessons/undone/"):
        return [str(slot_of(one)) for one in _seen(world).ended if one.reservation_id == parts[2]]
    return []


@WORLD.finally_
def nobody_hears_of_an_end_more_often_than_it_came(world: World) -> None:
    changes = [mail for mail in _mails(world) if mail.id.startswith("lessons/change/")]
    # By account: whoever left and came again has two of them, with one address.
    heard = Counter((mail.to, mail.id.split("/")[5], *_ended_by(mail, world)) for mail in changes)
    for (to, _, *slot), times in heard.items():
        came = _seen(world).times_off[slot[0]] if slot else times
        assert times <= came, f"{to} heard {times} times that {slot[0]} is off, and it was called off {came} times"


# What becomes of lessons


@WORLD.finally_
def what_takes_place_can_be_booked(world: World) -> None:
    """Nobody closes a lesson here: what is moved or brought back opens when everybody is there."""
    for lesson in _rows(world, Lesson):
        assert lesson.moving_to is None, f"{slot_of(lesson)} is still being moved to {lesson.moving_to}"
        assert lesson.is_open or lesson.called_off, f"{slot_of(lesson)} takes place, and nobody can book it"


@WORLD.finally_
def everybody_goes_with_their_lesson(world: World) -> None:
    """Nobody has booked a lesson that is not there; what ended with one goes on with it, or they are told."""
    there = {str(slot_of(one)): one for one in _rows(world, Lesson)}
    # Brought back, and then nothing ran until it had begun: nobody was there, and nobody is told any more.
    begun = {slot for slot, one in there.items() if one.updated_at >= slot_of(one).starts_at}
    for tie in world.decoded("user_lessons"):
        slot = str(slot_of(tie))
        if tie.status is not Status.CANCELLED and tie.kind in (TieKind.BOOKING, TieKind.HISTORY):
            assert slot in there, f"{tie.user_id} has a {tie.kind.value} of {slot}, where nothing takes place"
        elif tie.ended_with_lesson and slot in there.keys() - begun and not there[slot].called_off:
            raise AssertionError(f"a {tie.kind.value} of {slot} has ended, and the lesson has not")


WORLD.finally_(promises.everything_ends)
WORLD.finally_(promises.nothing_is_given_up)
WORLD.finally_(promises.nobody_is_told_twice)
WORLD.finally_(promises.what_is_sent_was_received)


@WORLD.finally_
def nothing_is_half_done_at_the_studio(world: World) -> None:
    left = _rows(world, Reservation)
    assert left == [], f"{len(left)} reservations are not settled"
    held = [one for one in studio_of(world).reservations.values() if one.state is State.HELD]
    assert all(one.until < world.clock.now() for one in held), "the studio holds a place for nobody"


@WORLD.finally_
def both_sides_agree(world: World) -> None:
    """Every place that Shibuya has sold through us is somebody's booking, and the reverse."""
    sold = {key for key, one in studio_of(world).reservations.items() if one.state is State.SOLD}
    ours = {one.reservation_id for one in _bookings(world) if one.studio_code == "sby" and one.status in GOES_ON}
    assert sold == ours, f"the studio has sold {sorted(sold)}, here are {sorted(map(str, ours))}"


@WORLD.finally_
def nothing_remains_of_whoever_left(world: World) -> None:
    for table in PERSONAL:
        for item in world.items(table):
            for user_id in sorted(world.given["left"]):
                assert user_id not in str(item), f"{table} still has {item} of somebody who left"
