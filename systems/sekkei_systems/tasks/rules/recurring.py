"""When a task comes again: RRULEs (RFC 5545), as far as days need them."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from dateutil.rrule import rrulestr  # type: ignore[import-untyped]

from sekkei.runtime.refusals import Invalid

PRESETS = {
    "daily": "FREQ=DAILY",
    "weekdays": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "weekly": "FREQ=WEEKLY",
    "biweekly": "FREQ=WEEKLY;INTERVAL=2",
    "monthly": "FREQ=MONTHLY",
    "yearly": "FREQ=YEARLY",
}
_RULE_MAX = 200
LOOKED_AHEAD = timedelta(days=366 * 12)
LATE = datetime(9988, 1, 1)
"""What does not come from here on, such as 30 February, never does. dateutil looks until the calendar ends, in 9999;
from today that would take seconds."""
_DAY = r"(?:[+-]?[1-5])?(?:MO|TU|WE|TH|FR|SA|SU)"
_PARTS = {
    "FREQ": r"DAILY|WEEKLY|MONTHLY|YEARLY",
    "INTERVAL": r"[1-9]\d?",
    "BYDAY": rf"{_DAY}(?:,{_DAY})*",
    "BYMONTHDAY": r"-?[1-9]\d?(?:,-?[1-9]\d?)*",
    "BYMONTH": r"(?:[1-9]|1[0-2])(?:,(?:[1-9]|1[0-2]))*",
    "BYSETPOS": r"-?[1-9]\d?",
}


class BadRule(Invalid):
    """No rule for days that come again."""


def checked(text: str) -> str:
    """A rule that is one, by the name of a preset or as an RRULE."""
    rule = PRESETS.get(text, text).strip().upper().removeprefix("RRULE:")
    pairs = [each.partition("=") for each in rule.split(";")]
    names = [name for name, _, _ in pairs]
    fits = all(name in _PARTS and re.fullmatch(_PARTS[name], value) for name, _, value in pairs)
    if len(rule) > _RULE_MAX or not fits or "FREQ" not in names or len(set(names)) < len(names):
        raise BadRule(field="rule")
    if next(iter(rrulestr(rule, dtstart=LATE)), None) is None:
        raise BadRule(field="rule")
    return rule


def anchored(rule: str, due: date | None) -> str:
    """Monthly on the 31st means the last day in shorter months, and the 31st again after them."""
    if due is None or due.day <= 28 or "FREQ=MONTHLY" not in rule or "BY" in rule:
        return rule
    days = ",".join(str(day) for day in range(28, due.day + 1))
    return f"{rule};BYMONTHDAY={days};BYSETPOS=-1"


def following(rule: str, due: date | None, today: date) -> date | None:
    """The first day of the rule after the task was due, and not before tomorrow if that is over."""
    first = due or today
    found = rrulestr(rule, dtstart=datetime.combine(first, time())).replace(
        until=datetime.combine(max(first, today), time()) + LOOKED_AHEAD
    )
    after = found.after(datetime.combine(max(first, today), time()))
    found_day: date | None = after.date() if after else None
    return found_day


def preset_of(rule: str | None) -> str:
    """The preset's name, "" for none, or the rule itself."""
    if rule is None:
        return ""
    plain = re.sub(r";BYMONTHDAY=[\d,]+;BYSETPOS=-1$", "", rule)
    return next((name for name, preset in PRESETS.items() if preset == plain), rule)
