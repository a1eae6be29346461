"""What a studio asks of those who book: rules that a person can read, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta

from sekkei_systems.days import JST
from sekkei_systems.lessons.design import Pass, PassKind, StudioRules
from sekkei_systems.lessons.rules.policy import Fairness, Policy
from sekkei_systems.lessons.texts import say

TRIAL_ID = "trial"
_PASS_ORDER = (PassKind.MEMBERSHIP, PassKind.TICKETS, PassKind.TRIAL)


def opens_at(rules: StudioRules, starts_at: datetime) -> datetime | None:
    """From when a lesson can be booked; None for always."""
    if rules.opens_days is None:
        return None
    day = starts_at.astimezone(JST).date() - timedelta(days=rules.opens_days)
    return datetime.combine(day, rules.opens_time or time(0, 0), JST)


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())


def is_good(found: Pass, studio_code: str, day: date) -> bool:
    """Whether a lesson of that day can be booked with it."""
    right = found.studio_code == studio_code and found.valid_from <= day <= found.valid_until
    return right and (found.tickets_left is None or found.tickets_left > 0)


def chosen(passes: Iterable[Pass], studio_code: str, day: date) -> Pass | None:
    """A membership before tickets, and of tickets those that end first."""
    good = [one for one in passes if is_good(one, studio_code, day)]
    return min(good, key=lambda one: (_PASS_ORDER.index(one.kind), one.valid_until, one.pass_id), default=None)


def late_costs(rules: StudioRules) -> bool:
    """Whether a late cancellation gives nothing back; where no ticket is needed, none is lost."""
    return rules.needs_pass and rules.late_takes_ticket


def blocked_until(rules: StudioRules, absences: Iterable[str], now: datetime) -> datetime | None:
    """After how many missed lessons, for how long; `absences` are slots, which end with day and time."""
    if rules.no_shows_max is None:
        return None
    since = now - timedelta(days=rules.no_show_days)
    recent = [one for one in absences if _day_in(one) >= since.astimezone(JST).date()]
    return now + timedelta(days=rules.blocked_days) if len(recent) >= rules.no_shows_max else None


def _day_in(slot: str) -> date:
    return date.fromisoformat(slot.split("/")[1])


def sentences(rules: StudioRules, policy: Policy, language: str) -> list[str]:
    """The rules as a member reads them."""
    found = [_who_may_book(rules, language), _from_when(rules, language)]
    if rules.per_week is not None:
        found.append(say(language, "rules.per_week", n=rules.per_week))
    found.append(say(language, "rules.cancel", time=_span(policy.cancel_until, language)))
    late = _span(policy.late_within, language)
    found.append(say(language, "rules.late.ticket" if late_costs(rules) else "rules.late", time=late))
    if rules.no_shows_max is not None:
        numbers = {"n": rules.no_shows_max, "within": rules.no_show_days, "blocked": rules.blocked_days}
        found.append(say(language, "rules.no_shows", **numbers))
    if policy.fairness is Fairness.FIRST_IN_LINE:
        times = {"hold": _span(policy.hold, language), "all": _span(policy.broadcast_within, language)}
        found.append(say(language, "rules.first_in_line", **times))
    else:
        found.append(say(language, "rules.broadcast"))
    return found


def _who_may_book(rules: StudioRules, language: str) -> str:
    if not rules.needs_pass:
        return say(language, "rules.anybody")
    return say(language, "rules.pass.trial" if rules.has_trial else "rules.pass")


def _from_when(rules: StudioRules, language: str) -> str:
    if rules.opens_days is None:
        return say(language, "rules.always")
    hour = f"{rules.opens_time or time(0, 0):%H:%M}"
    return say(language, "rules.window", days=rules.opens_days, hour=hour)


def _span(length: timedelta, language: str) -> str:
    minutes = int(length / timedelta(minutes=1))
    if minutes % 60 == 0:
        return say(language, "rules.hours", n=minutes // 60)
    return say(language, "rules.minutes", n=minutes)
