"""What a change adds to which row, and how rows become a page."""

from __future__ import annotations

from datetime import date, timedelta

from sekkei_systems import days
from sekkei_systems.q.design.models import Cohort, CohortWeek, DayNumbers, Totals
from sekkei_systems.q.rules.numbers import Tally, add_matter, ages_of, cohorts_of, days_of, monday, weeks_after

FRIDAY = date(2025, 11, 7)


def test_weeks_begin_on_monday() -> None:
    assert monday(FRIDAY) == date(2025, 11, 3) == monday(date(2025, 11, 3))
    assert [weeks_after(date(2025, 11, 3), FRIDAY + timedelta(weeks=n)) for n in (0, 3)] == [0, 3]
    assert weeks_after(date(2025, 11, 3), date(2025, 11, 2)) == 0  # joined on Monday, answered Sunday's question


def test_each_row_is_touched_once() -> None:
    """DynamoDB refuses a transaction with two actions on one item."""
    begun = days.at(FRIDAY, 9)
    tally = add_matter(Tally(), begun, None, begun + timedelta(hours=2))
    assert dict(tally.days[FRIDAY]) == {"waiting": -1, "settled": 1, "settled_seconds": 7200}
    assert len(tally.actions()) == 2  # the day and the sums
    assert add_matter(Tally(), begun, begun, begun).actions() == []


def test_members_are_counted_back_from_now() -> None:
    rows = [DayNumbers(day=FRIDAY, joined=3, away=1), DayNumbers(day=FRIDAY - timedelta(days=1), joined=4)]
    found = days_of(rows, Totals(name="now", members=6), FRIDAY, count=4)
    assert [one.members for one in found] == [0, 0, 4, 6]
    assert [one.rate for one in found] == [None, None, 0.0, 0.0]


def test_what_waits_by_its_age() -> None:
    waiting = {0: 1, 1: 2, 2: 3, 3: 4, 6: 5, 7: 6}
    rows = [DayNumbers(day=FRIDAY - timedelta(days=back), waiting=count) for back, count in waiting.items()]
    total = Totals(name="now", waiting=30)
    shown = days_of(rows, total, FRIDAY)
    assert dict(ages_of(shown, total, FRIDAY)) == {"day": 1, "three-days": 5, "week": 9, "older": 15}


def test_weeks_that_have_not_come_are_empty() -> None:
    this_week = monday(FRIDAY)
    last_week = this_week - timedelta(weeks=1)
    joined = [Cohort(week=this_week, joined=4), Cohort(week=last_week, joined=2)]
    stayed = [CohortWeek(week=last_week, later=0, people=2), CohortWeek(week=last_week, later=1, people=1)]
    newest, before, *_ = cohorts_of(joined, stayed, this_week)
    assert (newest.joined, newest.people[:2], newest.share(0)) == (4, [0, None], 0.0)
    assert (before.people[:3], before.share(1), before.share(2)) == ([2, 1, None], 50.0, None)
