"""Time as these systems mean it: a day is a day in Japan, and times are written in one width."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

from sekkei.clock import Clock

JST = timezone(timedelta(hours=9), "JST")
"""Japan has had no summer time since 1951, so an offset says all."""


def now(clock: Clock) -> datetime:
    """To the millisecond, as it is stored: what was just written and what is read back are the same moment."""
    moment = datetime.fromtimestamp(clock.now(), UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def now_jst(clock: Clock) -> datetime:
    return now(clock).astimezone(JST)


def today(clock: Clock) -> date:
    """The date in Japan."""
    return now_jst(clock).date()


def day_of(moment: datetime) -> date:
    """The date in Japan at a moment."""
    return moment.astimezone(JST).date()


def start_of(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=JST)


def at(day: date, hour: int, minute: int = 0) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=JST)
