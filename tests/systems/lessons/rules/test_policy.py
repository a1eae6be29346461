"""How studios handle waitlists and cancellations, as it is set."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei.runtime.settings import Settings
from sekkei_systems.lessons.rules.policy import Fairness, Policy, policy_of
from tests.systems.lessons.world import LESSON

START = LESSON.starts_at


def test_what_is_not_set_is_as_usual() -> None:
    found = policy_of(Settings(values={"lessons_fairness": "first-in-line", "lessons_hold_minutes": "45"}))
    assert found == Policy(fairness=Fairness.FIRST_IN_LINE, hold=timedelta(minutes=45))
    with pytest.raises(ValueError, match="lottery"):
        policy_of(Settings(values={"lessons_fairness": "lottery"}))


def test_near_the_start_everybody_is_told_and_nothing_is_held_past_that_hour() -> None:
    policy = Policy(fairness=Fairness.FIRST_IN_LINE)
    assert policy.mode(START, START - timedelta(hours=13)) is Fairness.FIRST_IN_LINE
    assert policy.mode(START, START - timedelta(hours=12)) is Fairness.BROADCAST
    assert policy.held_until(START, START - timedelta(hours=20)) == START - timedelta(hours=19, minutes=30)
    assert policy.held_until(START, START - timedelta(hours=12, minutes=5)) == START - timedelta(hours=12)
    assert policy.held_until(START, START - timedelta(hours=12)) is None


def test_cancelling_ends_and_before_that_is_late() -> None:
    policy = Policy()
    moments = [START - timedelta(hours=hours) for hours in (4, 3, 2, 1, 0.5)]
    assert [policy.is_late(START, moment) for moment in moments] == [False, False, True, True, True]
    assert [policy.may_cancel(START, moment) for moment in moments] == [True, True, True, True, False]
