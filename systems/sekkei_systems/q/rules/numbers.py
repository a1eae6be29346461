"""The operator's numbers: what a change adds to which row, without a store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from sekkei.design import Action, Field
from sekkei_systems.days import day_of
from sekkei_systems.q.design.models import (
    Answer,
    Cohort,
    CohortWeek,
    DayNumbers,
    Decision,
    ProfileReview,
    Report,
    ReportStatus,
    Totals,
    User,
)
from sekkei_systems.q.design.tables import NOW, cohort_weeks, cohorts, day_numbers, totals

_AGES = (("day", 0), ("three-days", 1), ("week", 3), ("older", 7))
"""How long something has waited: from how many days on."""
DAYS = 28
COHORTS = 12


def monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def weeks_after(cohort: date, day: date) -> int:
    """A question of yesterday may be answered before it closes by somebody who joined today: that is week 0."""
    return max(0, (monday(day) - cohort).days // 7)


def waits_since(thing: Answer | Report | ProfileReview | Decision | None) -> datetime | None:
    """Since when moderators have had to look at it; None when they need not."""
    if isinstance(thing, Report):
        return thing.created_at if thing.status is ReportStatus.PENDING else None
    if isinstance(thing, Answer):
        return thing.created_at if thing.flag_state else None
    if isinstance(thing, ProfileReview):
        return thing.since
    return thing.since if thing is not None and thing.waits else None


@dataclass(slots=True)
class Tally:
    """What is to be added, row by row: a transaction touches each row once."""

    days: dict[date, Counter[str]] = field(default_factory=dict)
    totals: Counter[str] = field(default_factory=Counter)
    cohorts: Counter[date] = field(default_factory=Counter)
    weeks: Counter[tuple[date, int]] = field(default_factory=Counter)

    def day(self, day: date, **amounts: int) -> Tally:
        self.days.setdefault(day, Counter()).update(amounts)
        return self

    def actions(self) -> list[Action[Any, Any]]:
        found: list[Action[Any, Any]] = []
        for day, amounts in self.days.items():
            found += _adding(day_numbers.upsert(day), DayNumbers, amounts)
        found += _adding(totals.upsert(NOW), Totals, self.totals)
        found += [cohorts.upsert(week).add(Cohort.joined, count) for week, count in self.cohorts.items()]
        found += [cohort_weeks.upsert(*at).add(CohortWeek.people, count) for at, count in self.weeks.items()]
        return found


def _adding(update: Any, model: type, amounts: Mapping[str, int]) -> list[Action[Any, Any]]:
    for name, amount in amounts.items():
        if amount:
            counter: Field[Any, int] = getattr(model, name)
            update = update.add(counter, amount)
    return [update] if update.changes else []


def of_presence(user: User, present: bool) -> Tally:
    """Somebody is there who was not, or the other way round; counted for the first time, they have joined."""
    tally, at = Tally(), day_of(user.updated_at)
    if user.counted_present is None:
        joined = day_of(user.created_at)
        tally.cohorts[monday(joined)] += 1
        tally.day(joined, joined=1).day(at, away=int(not present))
        tally.totals["members"] += int(present)
    else:
        tally.day(at, back=int(present), away=int(not present))
        tally.totals["members"] += 1 if present else -1
    return tally


def of_answer(old: Answer | None, new: Answer | None) -> Tally:
    """Posted once, deleted and brought back. That its author left takes nothing out of what the day was."""
    tally = Tally()
    if new is not None:
        was = old.is_deleted if old is not None else False
        tally.day(new.day, deleted=int(new.is_deleted) - int(was))
        if old is None:
            tally.day(new.day, posted=1, on_time=int(new.is_on_time))
    return tally


def add_matter(tally: Tally, was: datetime | None, since: datetime | None, now: datetime) -> Tally:
    """Something begins to wait for moderators, or waits no longer."""
    if was == since:
        return tally
    if since is not None:
        tally.day(day_of(since), opened=1, waiting=1)
    if was is not None:
        seconds = max(0, round((now - was).total_seconds()))
        tally.day(day_of(was), waiting=-1).day(day_of(now), settled=1, settled_seconds=seconds)
    tally.totals["waiting"] += int(since is not None) - int(was is not None)
    return tally


# How they are shown


@dataclass(frozen=True, slots=True)
class Day:
    numbers: DayNumbers
    members: int
    """At the end of the day."""

    @property
    def label(self) -> str:
        """Short enough to stand below a chart."""
        return f"{self.numbers.day.month}/{self.numbers.day.day}"

    @property
    def rate(self) -> float | None:
        """Answers for a hundred members."""
        return round(100 * self.numbers.posted / self.members, 1) if self.members else None

    @property
    def hours(self) -> float | None:
        """How long what ended this day had waited, on average."""
        settled = self.numbers.settled
        return round(self.numbers.settled_seconds / settled / 3600, 1) if settled else None


@dataclass(frozen=True, slots=True)
class CohortRow:
    week: date
    joined: int
    people: list[int | None]
    """Who answered, by weeks since joining; None for weeks that have not come yet."""

    def share(self, later: int) -> float | None:
        people = self.people[later]
        return None if people is None or not self.joined else round(100 * people / self.joined, 1)


@dataclass(frozen=True, slots=True)
class Numbers:
    days: list[Day]
    cohorts: list[CohortRow]
    members: int
    waiting: int
    ages: list[tuple[str, int]]


def days_of(found: Sequence[DayNumbers], now: Totals, last: date, count: int = DAYS) -> list[Day]:
    """Oldest first, every day once. Members are counted back from those who are there now."""
    known, members, made = {one.day: one for one in found}, now.members, []
    for back in range(count):
        day = last - timedelta(days=back)
        numbers = known.get(day) or DayNumbers(day=day)
        made.append(Day(numbers, max(0, members)))
        members -= numbers.joined + numbers.back - numbers.away
    return made[::-1]


def ages_of(found: Sequence[Day], now: Totals, today: date) -> list[tuple[str, int]]:
    """What waits, by how many days ago it began; what began before all of these days is the rest."""
    known: Counter[str] = Counter()
    for one in found:
        age = next(name for name, least in reversed(_AGES) if (today - one.numbers.day).days >= least)
        known[age] += max(0, one.numbers.waiting)
    known["older"] += max(0, now.waiting - sum(known.values()))
    return [(name, known[name]) for name, _ in _AGES]


def cohorts_of(found: Sequence[Cohort], weeks: Sequence[CohortWeek], this_week: date) -> list[CohortRow]:
    """Newest first; in the triangle of weeks that have begun, nobody is a number too."""
    people = {(one.week, one.later): one.people for one in weeks}
    joined = {one.week: one.joined for one in found}
    made = []
    for back in range(COHORTS):
        week = this_week - timedelta(weeks=back)
        row = [people.get((week, later), 0) if later <= back else None for later in range(COHORTS)]
        made.append(CohortRow(week, joined.get(week, 0), row))
    return made
