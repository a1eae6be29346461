"""Ids sort by when they were made."""

from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei_systems.tasks.rules.identifiers import short


def test_ids_are_short_unlike_and_in_the_order_of_time() -> None:
    clock = ManualClock(1_762_398_000.0)
    made = []
    for _ in range(50):
        clock.advance(0.001)
        made.append(short(clock))
    assert made == sorted(made)
    assert len(set(made)) == 50
    assert {len(one) for one in made} == {24}
