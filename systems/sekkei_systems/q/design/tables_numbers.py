"""The table of the operator's numbers: whatever is counted is added as it happens, and nothing is scanned for it."""

from __future__ import annotations

from datetime import date

from sekkei.design import Key, Query, Ref
from sekkei_systems.q.design.models_numbers import Cohort, CohortWeek, Counted, DayNumbers, Totals
from sekkei_systems.q.design.tables import design

NOW = "now"

numbers_table = design.table(
    "Numbers",
    "kind",
    "period",
    ttl="ttl",
    pitr=True,
    ja="運営の数字",
    en="Numbers for the operator",
    added=True,
)


@numbers_table.entity(DayNumbers, ja="日ごとの数字", en="numbers of a day", added=True)
def day_numbers(day: date) -> Key:
    return Key("day", day)


@numbers_table.entity(Cohort, ja="参加週", en="week of joining", added=True)
def cohorts(week: date) -> Key:
    return Key("cohort", week)


@numbers_table.entity(CohortWeek, ja="参加週ごとの継続", en="retention of a week of joining", added=True)
def cohort_weeks(week: date, later: int) -> Key:
    return Key("cohort-week", f"{week}#{later:04d}")


@numbers_table.entity(Totals, ja="合計", en="sums of now", added=True)
def totals(name: str) -> Key:
    return Key("total", name)


@numbers_table.entity(Counted, ja="数えた目印", en="marker of what is counted", added=True)
def counted(what: str) -> Key:
    return Key(f"counted#{what}", "-")


@design.pattern(ja="日ごとの数字", added=True)
def numbers_of_days(first: date, last: date) -> Query[DayNumbers]:
    """The numbers of some days, oldest first."""
    return day_numbers.where(DayNumbers.day.between(first, last))


@design.pattern(ja="今の合計", added=True)
def numbers_now() -> Ref[Totals]:
    """How many are there, and how much waits."""
    return totals(NOW)


@design.pattern(ja="参加週ごとの人数", added=True)
def cohorts_between(first: date, last: date) -> Query[Cohort]:
    """How many joined in each of some weeks."""
    return cohorts.where(Cohort.week.between(first, last))


@design.pattern(ja="参加週ごとの継続", added=True)
def retention_since(week: date) -> Query[CohortWeek]:
    """How many of those who joined since a week answered in each week after."""
    return cohort_weeks.where(CohortWeek.week >= week)
