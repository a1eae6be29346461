"""Days of these systems: those of Japan, unless a team, guild or studio has a zone of its own."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

from sekkei.clock import Clock
from sekkei.runtime.days import now as now

ZONE = "Asia/Tokyo"
JST = timezone(timedelta(hours=9), "JST")
"""Japan has had no summer time since 1951, so an offset says all."""


def now_jst(clock: Clock) -> datetime:
    return now(clock).astimezone(JST)


def today(clock: Clock) -> date:
    """Return the date in Japan."""
    return now_jst(clock).date()


def day_of(moment: datetime) -> date:
    """Return the date in Japan at a moment."""
    return moment.astimezone(JST).date()


def start_of(day: date) -> datetime:
    return at(day, 0)


def at(day: date, hour: int, minute: int = 0) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=JST)
