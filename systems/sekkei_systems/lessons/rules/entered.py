"""Times, days and numbers as people type them into forms and lists. What is none is refused in words."""

from __future__ import annotations

from datetime import date, time

from sekkei.kit.dates import Unread, read_day, read_time
from sekkei_systems.lessons.refusals import BadDay, BadTime


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
