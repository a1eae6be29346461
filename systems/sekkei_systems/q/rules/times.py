"""On time or late, how old, and when a question comes out: arithmetic without a store."""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta

from sekkei_systems import days

ON_TIME = timedelta(minutes=30)
UNDO = timedelta(minutes=30)
"""How long an author may take a deletion back."""
AGE_MIN = 13
REFUSED_FOR = timedelta(days=1)
"""Before somebody who was too young can say another day of birth."""
REUSED_AFTER = timedelta(days=30)
GRACE = timedelta(days=7)
"""Between asking to withdraw and the deletion."""
RECOUNT_AFTER = timedelta(minutes=10)
"""An index may be behind; what is still wrong after this is wrong."""


def lateness(published_at: datetime, answered_at: datetime) -> int:
    """Minutes past the half hour in which an answer is on time, rounded up; 0 is on time."""
    over = answered_at - published_at - ON_TIME
    return max(0, math.ceil(over / timedelta(minutes=1)))


def due_at(day: date, scheduled: time) -> datetime:
    return days.at(day, scheduled.hour, scheduled.minute)


def is_due(day: date, scheduled: time, now: datetime) -> bool:
    return due_at(day, scheduled) <= now


def publish_time(window: tuple[time, time], chance: float) -> time:
    """A minute in the window, both ends included."""
    first, last = (moment.hour * 60 + moment.minute for moment in window)
    minute = first + int(chance * (last - first + 1))
    return time(minute // 60, minute % 60)


def window_of(text: str, otherwise: tuple[time, time] = (time(8), time(22))) -> tuple[time, time]:
    """`08:00-22:00` as the operator wrote it."""
    if not text:
        return otherwise
    first, _, last = text.partition("-")
    window = time.fromisoformat(first.strip()), time.fromisoformat(last.strip())
    if window[0] > window[1]:
        raise ValueError(f"{text!r} ends before it begins; write for example 08:00-22:00.")
    return window


def year_before(day: date) -> date:
    """The same day a year ago; on a leap day, the day before."""
    return day.replace(year=day.year - 1) if (day.month, day.day) != (2, 29) else date(day.year - 1, 2, 28)


def age(born: date, today: date) -> int:
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))
