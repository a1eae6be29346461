"""There is always room between two cards."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sekkei.clock import ManualClock
from sekkei_systems.tasks.rules.identifiers import short
from sekkei_systems.tasks.rules.ranks import DIGITS, RANK_MAX, between


def test_digits_are_in_the_order_of_their_bytes() -> None:
    assert list(DIGITS) == sorted(DIGITS)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=150))
def test_whatever_is_put_anywhere_stays_there(places: list[int]) -> None:
    clock = ManualClock(1_762_398_000.0)
    keys = sorted(short(clock) for _ in range(4))
    for place in places:
        at = place % (len(keys) + 1)
        low, high = keys[at - 1] if at else "", keys[at] if at < len(keys) else None
        made = between(low, high)
        assert low < made
        assert high is None or made < high
        keys.insert(at, made)
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("side", ["low", "high", "either"])
def test_a_thousand_in_one_gap_are_no_trouble(side: str) -> None:
    low, high, chance = "a", "b", random.Random(7)
    for _ in range(1_000):
        made = between(low, high)
        assert low < made < high
        if side == "low" or (side == "either" and chance.random() < 0.5):
            low = made
        else:
            high = made
    assert len(made) < RANK_MAX


def test_what_is_not_in_order_is_refused() -> None:
    for low, high in (("b", "a"), ("a", "a")):
        with pytest.raises(ValueError, match="no room"):
            between(low, high)
