"""The world of lessons: its promises hold on these seeds."""

from __future__ import annotations

from sekkei.worlds import run
from tests.worlds.lessons import WORLD


def test_nobody_asks_the_store_without_a_pause() -> None:
    """Seed 8: a lease of a process that was killed kept the other one asking, ten thousand times a minute."""
    outcome = run(WORLD, 8)
    assert outcome.broken == ""
    assert outcome.calls < 6_000


def test_a_place_given_back_is_given_back_at_the_studio_too() -> None:
    """Seed 11: a schedule came before its transaction, and the place stayed sold to nobody."""
    assert run(WORLD, 11).broken == ""
