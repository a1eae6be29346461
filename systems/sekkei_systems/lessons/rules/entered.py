"""Times, days and numbers as people type them: full width, `9:5`, `2025/7/30`. What is none is refused in words."""

from __future__ import annotations

import re
from datetime import date, time

from sekkei.kit.text import half_width
from sekkei_systems.lessons.refusals import BadDay, BadTime

_TIME = re.compile(r"([0-9]{1,2}):([0-9]{1,2})(?::[0-9]{1,2})?")
_DAY = re.compile(r"([0-9]{4})[-/.年]([0-9]{1,2})[-/.月]([0-9]{1,2})日?")


def plainly(text: str) -> str:
    """Full width as half width, without blanks around it."""
    return half_width(text)


def time_in(text: str, field: str = "time") -> time:
    found = _TIME.fullmatch(plainly(text))
    try:
        if found is None:
            raise ValueError(text)
        return time(int(found[1]), int(found[2]))
    except ValueError:
        raise BadTime(field=field) from None


def day_in(text: str, field: str = "date") -> date:
    found = _DAY.fullmatch(plainly(text))
    try:
        if found is None:
            raise ValueError(text)
        return date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        raise BadDay(field=field) from None


def optional_time_in(text: str | None, field: str = "time") -> time | None:
    return time_in(text, field) if text and text.strip() else None
