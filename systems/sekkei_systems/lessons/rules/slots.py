"""Where and when a lesson is: a studio has one at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from sekkei.kit.dates import Unread, read_day, read_time
from sekkei_systems.days import JST
from sekkei_systems.lessons.design import KEPT_AFTER_LESSON, Lesson, Match, TieKind, UserLesson
from sekkei_systems.lessons.refusals import BadDay, BadSlot, BadTime

LENGTH_DEFAULT = timedelta(minutes=60)
FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(9998, 12, 31)
"""Days before and after which there are no others cannot be reckoned with."""
LENGTH_MAX = timedelta(hours=12)
"""A lesson may go over midnight, but not round the clock."""
_STUDIO = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")


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
        if len(lesson_date) != 10 or not lesson_date.isascii():
            raise ValueError(lesson_date)
        day = date.fromisoformat(lesson_date)
    except ValueError:
        raise BadSlot(field="date") from None
    if not FIRST_DAY <= day <= LAST_DAY:
        raise BadSlot(field="date")
    return Slot(studio_code, day, time.fromisoformat(start_time))


def parse_slot(text: str, field: str = "lesson") -> Slot:
    """The inverse of `str(slot)`; `field` is what it was sent as."""
    try:
        studio_code, lesson_date, start_time = text.split("/")
        return slot(studio_code, lesson_date, start_time)
    except (BadSlot, ValueError):
        raise BadSlot(field=field) from None


def slot_of(found: UserLesson | Lesson | Match) -> Slot:
    return Slot(found.studio_code, found.lesson_date, found.start_time)


def span(lesson: Lesson) -> tuple[datetime, datetime]:
    start = slot_of(lesson).starts_at
    if lesson.end_time is None:
        return start, start + LENGTH_DEFAULT
    end = datetime.combine(lesson.lesson_date, lesson.end_time, JST)
    return start, end if end > start else end + timedelta(days=1)


def length_of(lesson: Lesson) -> timedelta:
    start, end = span(lesson)
    return end - start


def overlapping(lesson: Lesson, others: Iterable[Lesson]) -> list[Lesson]:
    """Those of the others that take place at the same time."""
    start, end = span(lesson)
    found = []
    for other in others:
        other_start, other_end = span(other)
        if slot_of(other) != slot_of(lesson) and other_start < end and start < other_end:
            found.append(other)
    return found


# What ties a user to a lesson: how long it is kept, and the order of a queue.


NOTE_LENGTH_MAX = 500


def ttl_of(kind: TieKind, starts_at: datetime) -> datetime | None:
    """Favourites and waitlists go a week after the lesson; bookings become history, and history stays."""
    return starts_at + KEPT_AFTER_LESSON if kind in (TieKind.FAVORITE, TieKind.WAITLIST) else None


def with_own(queue: Sequence[UserLesson], user_id: str, own: UserLesson | None) -> list[UserLesson]:
    """A queue out of the index, which may be behind, with what is known for certain of one user's place in it."""
    others = [tie for tie in queue if tie.user_id != user_id]
    return others if own is None else sorted([*others, own], key=lambda tie: tie.queue_key or "")


# Times, days and numbers as people type them into forms and lists. What is none is refused in words.


def time_in(text: str, field: str = "time") -> time:
    try:
        return read_time(text)
    except Unread:
        raise BadTime(field=field) from None


def day_in(text: str, field: str = "date") -> date:
    """A day with its year: a list may be read long after it was written."""
    try:
        return read_day(text)
    except Unread:
        raise BadDay(field=field) from None


def optional_time_in(text: str | None, field: str = "time") -> time | None:
    return time_in(text, field) if text and text.strip() else None
