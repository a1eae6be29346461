"""The counterpart is as strict as a real booking system."""

from __future__ import annotations

import pytest

from sekkei.clock import ManualClock
from sekkei_fakes.studio.system import HOLD_SECONDS, Faults, Refused, StudioSystem
from tests.systems.lessons.world import NOON

NAME = "gnz/2025-07-30/19:30"


def test_a_hold_lapses_and_cannot_be_confirmed_then() -> None:
    clock = ManualClock(NOON)
    system = StudioSystem(clock)
    system.offer(NAME, 1)
    system.reserve("a", NAME)
    assert not system.sell(NAME)
    clock.advance(HOLD_SECONDS + 1)
    assert system.sell(NAME)
    for act in (lambda: system.confirm("a"), lambda: system.reserve("a", NAME)):
        with pytest.raises(Refused, match="lapsed"):
            act()


def test_a_release_that_comes_first_wins() -> None:
    system = StudioSystem(ManualClock(NOON))
    system.offer(NAME, 1)
    system.release("a")
    with pytest.raises(Refused, match="released"):
        system.reserve("a", NAME)
    assert system.taken(NAME) == 0


def test_it_refuses_what_it_does_not_know() -> None:
    system = StudioSystem(ManualClock(NOON))
    with pytest.raises(Refused, match="no-such-lesson"):
        system.reserve("a", NAME)
    system.offer(NAME, 2)
    system.offer("gnz/2025-07-31/19:30", 2)
    system.reserve("a", NAME)
    with pytest.raises(Refused, match="another-lesson"):
        system.reserve("a", "gnz/2025-07-31/19:30")


def test_what_it_tells_is_behind_and_it_changes_its_mind() -> None:
    clock = ManualClock(NOON)
    system = StudioSystem(clock, Faults(lag_seconds=120))
    system.offer(NAME, 5)
    clock.advance(200)
    system.sell(NAME)
    assert system.availability(NAME)["available"] == 5
    clock.advance(121)
    assert system.availability(NAME)["available"] == 4
    system.offer(NAME, 0)
    assert system.availability(NAME)["total"] == 1, "never below what is sold"
