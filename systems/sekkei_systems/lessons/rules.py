"""The rules of lessons, without a store: slots, lifetimes, overlaps, quiet hours, who is told of a free place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import Enum

from sekkei.runtime.days import JST
from sekkei.runtime.settings import Settings
from sekkei_systems.lessons.design import KEPT_AFTER_LESSON, Lesson, TieKind, UserLesson
from sekkei_systems.lessons.people import Contact, Match, Search, plain
from sekkei_systems.lessons.refusals import BadSlot

LENGTH_DEFAULT = timedelta(minutes=60)
NOTE_LENGTH_MAX = 500
NAME_LENGTH_MAX = 200
CAPACITY_MAX = 10_000
FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(9998, 12, 31)
"""Days before and after which there are no others cannot be reckoned with."""
_STUDIO = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d")


@dataclass(frozen=True, slots=True, order=True)
class Slot:
    """Where and when: a studio has one lesson at a time."""

    studio_code: str
    lesson_date: date
    start_time: time

    @property
    def starts_at(self) -> datetime:
        return datetime.combine(self.lesson_date, self.start_time, JST)

    def __str__(self) -> str:
        return f"{self.studio_code}/{self.lesson_date:%Y-%m-%d}/{self.start_time:%H:%M}"


def slot(studio_code: str, lesson_date: str, start_time: str) -> Slot:
    """From what somebody wrote; refuses what would not fit the keys."""
    if not _STUDIO.fullmatch(studio_code) or not _TIME.fullmatch(start_time):
        raise BadSlot(field="studio" if not _STUDIO.fullmatch(studio_code) else "time")
    try:
        if len(lesson_date) != 10:
            raise ValueError(lesson_date)
        day = date.fromisoformat(lesson_date)
    except ValueError:
        raise BadSlot(field="date") from None
    if not FIRST_DAY <= day <= LAST_DAY:
        raise BadSlot(field="date")
    return Slot(studio_code, day, time.fromisoformat(start_time))


def parse_slot(text: str) -> Slot:
    """The inverse of `str(slot)`."""
    parts = text.split("/")
    if len(parts) != 3:
        raise BadSlot()
    return slot(*parts)


def slot_of(found: UserLesson | Lesson | Match) -> Slot:
    return Slot(found.studio_code, found.lesson_date, found.start_time)


def ttl_of(kind: TieKind, starts_at: datetime) -> datetime | None:
    """Favourites and waitlists go a week after the lesson; bookings become history, and history stays."""
    return starts_at + KEPT_AFTER_LESSON if kind in (TieKind.FAVORITE, TieKind.WAITLIST) else None


def span(lesson: Lesson) -> tuple[datetime, datetime]:
    start = slot_of(lesson).starts_at
    if lesson.end_time is None:
        return start, start + LENGTH_DEFAULT
    end = datetime.combine(lesson.lesson_date, lesson.end_time, JST)
    return start, end if end > start else end + timedelta(days=1)


def overlapping(lesson: Lesson, others: Iterable[Lesson]) -> list[Lesson]:
    """Those of the others that take place at the same time."""
    start, end = span(lesson)
    found = []
    for other in others:
        other_start, other_end = span(other)
        if slot_of(other) != slot_of(lesson) and other_start < end and start < other_end:
            found.append(other)
    return found


def free_places(lesson: Lesson) -> int | None:
    """None when the lesson has no limit."""
    return None if lesson.capacity is None else max(0, lesson.capacity - lesson.booked)


def is_available(lesson: Lesson) -> bool:
    return lesson.is_open and free_places(lesson) != 0


def is_quiet(moment: datetime, quiet_from: time | None, quiet_until: time | None) -> bool:
    """Whether somebody does not want to be woken; the hours may go over midnight."""
    if quiet_from is None or quiet_until is None or quiet_from == quiet_until:
        return False
    now = moment.astimezone(JST).time()
    if quiet_from < quiet_until:
        return quiet_from <= now < quiet_until
    return now >= quiet_from or now < quiet_until


def end_of_quiet(moment: datetime, quiet_until: time) -> datetime:
    local = moment.astimezone(JST)
    end = datetime.combine(local.date(), quiet_until, JST)
    return end if end > local else end + timedelta(days=1)


def quiet_pause(person: Contact | None, now: datetime, starts_at: datetime) -> timedelta:
    """How long a notice waits: until the end of the quiet hours, if the lesson is not over by then."""
    if person is None or person.quiet_until is None or not is_quiet(now, person.quiet_from, person.quiet_until):
        return timedelta()
    end = end_of_quiet(now, person.quiet_until)
    return end - now if end < starts_at else timedelta()


class Fairness(Enum):
    """Who is told when a place becomes free."""

    BROADCAST = "broadcast"
    FIRST_IN_LINE = "first-in-line"


@dataclass(frozen=True, slots=True)
class Policy:
    """How a studio handles its waitlists."""

    fairness: Fairness = Fairness.BROADCAST
    hold: timedelta = timedelta(minutes=30)
    """How long an offer stands before the next in line gets it."""
    broadcast_within: timedelta = timedelta(hours=12)
    """So close to the start everybody is told, whatever the mode."""
    stop_before: timedelta = timedelta(minutes=10)
    """Nobody is told any more."""
    quiet_period: timedelta = timedelta()
    """Who was told of an opening is not told of the next one sooner than that; what is open then is told then."""
    cancel_until: timedelta = timedelta(hours=1)
    """Bookings can be cancelled until so long before the start."""
    late_within: timedelta = timedelta(hours=3)
    """A booking cancelled later than that is noted as cancelled late."""
    remind_before: timedelta = timedelta(hours=3)
    """Whoever has booked is reminded so long before the start."""

    def mode(self, starts_at: datetime, now: datetime) -> Fairness:
        if starts_at - now <= self.broadcast_within:
            return Fairness.BROADCAST
        return self.fairness

    def held_until(self, starts_at: datetime, told_at: datetime) -> datetime | None:
        """How long a place is held for somebody who hears of it at `told_at`: not longer than only they may book."""
        until = min(told_at + self.hold, starts_at - self.broadcast_within)
        return until if until > told_at else None

    def may_cancel(self, starts_at: datetime, now: datetime) -> bool:
        return now <= starts_at - self.cancel_until

    def is_late(self, starts_at: datetime, now: datetime) -> bool:
        return now > starts_at - self.late_within


def policy_of(settings: Settings) -> Policy:
    """`SEKKEI_LESSONS_FAIRNESS=first-in-line`, and times such as `SEKKEI_LESSONS_HOLD_MINUTES=30`."""
    usual = Policy()

    def minutes(name: str, otherwise: timedelta) -> timedelta:
        given = settings.get(f"lessons_{name}_minutes")
        return timedelta(minutes=float(given)) if given else otherwise

    return Policy(
        fairness=Fairness(settings.get("lessons_fairness", usual.fairness.value)),
        hold=minutes("hold", usual.hold),
        broadcast_within=minutes("broadcast_within", usual.broadcast_within),
        stop_before=minutes("stop_before", usual.stop_before),
        quiet_period=minutes("quiet_period", usual.quiet_period),
        cancel_until=minutes("cancel_until", usual.cancel_until),
        late_within=minutes("late_within", usual.late_within),
        remind_before=minutes("remind_before", usual.remind_before),
    )


def to_tell(
    queue: Sequence[UserLesson], episode: int, places: int | None, mode: Fairness, now: datetime, quiet: timedelta
) -> list[UserLesson]:
    """Who of those waiting, in their order, is to be told of this opening now."""
    awake = [tie for tie in queue if tie.paused_until is None or tie.paused_until <= now]
    untold = [
        tie
        for tie in awake
        if tie.notify_episode < episode and (tie.notified_at is None or tie.notified_at + quiet <= now)
    ]
    if mode is Fairness.BROADCAST or places is None:
        return untold
    offers = sum(1 for tie in awake if holds_offer(tie, now))
    return untold[: max(0, places - offers)]


def holds_offer(tie: UserLesson | None, now: datetime) -> bool:
    return tie is not None and tie.offer_until is not None and tie.offer_until > now


def with_own(queue: Sequence[UserLesson], user_id: str, own: UserLesson | None) -> list[UserLesson]:
    """A queue out of the index, which may be behind, with what is known for certain of one user's place in it."""
    others = [tie for tie in queue if tie.user_id != user_id]
    return others if own is None else sorted([*others, own], key=lambda tie: tie.queue_key or "")


def fits(search: Search, lesson: Lesson) -> bool:
    """Whether a lesson is what somebody looks for."""
    names = {plain(name) for name in (lesson.program, lesson.lesson_name) if name}
    return (
        (search.studio_code is None or search.studio_code == lesson.studio_code)
        and (search.program is None or plain(search.program) in names)
        and (search.instructor is None or plain(search.instructor) == plain(lesson.instructor))
        and (not search.weekdays or lesson.lesson_date.weekday() in search.weekdays)
        and (search.time_from is None or lesson.start_time >= search.time_from)
        and (search.time_until is None or lesson.start_time < search.time_until)
    )


@dataclass(frozen=True, slots=True)
class Statistics:
    """Attendance: how often, by month, studio, instructor and lesson, the most frequent first; months in order."""

    lessons: int
    absences: int
    late_cancels: int
    months: list[tuple[str, int]]
    studios: list[tuple[str, int]]
    instructors: list[tuple[str, int]]
    names: list[tuple[str, int]]


def statistics(history: Iterable[UserLesson], late_cancels: int = 0) -> Statistics:
    """Out of history; who did not come was not there."""
    all_of_it = list(history)
    came = [tie for tie in all_of_it if tie.attended is not False]

    def ranked(counts: Counter[str]) -> list[tuple[str, int]]:
        return sorted(counts.items(), key=lambda one: (-one[1], one[0]))

    return Statistics(
        lessons=len(came),
        absences=len(all_of_it) - len(came),
        late_cancels=late_cancels,
        months=sorted(Counter(f"{tie.lesson_date:%Y-%m}" for tie in came).items()),
        studios=ranked(Counter(tie.studio_code for tie in came)),
        instructors=ranked(Counter(tie.instructor for tie in came)),
        names=ranked(Counter(tie.lesson_name for tie in came)),
    )
