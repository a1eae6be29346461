from __future__ import annotations

from sekkei.backoff import backoff_seconds
from sekkei.clock import ManualClock


def test_pauses_grow_and_stay_within_bounds() -> None:
    clock = ManualClock(seed=1)
    pauses = [[backoff_seconds(n, first=0.01, longest=1.0, clock=clock) for _ in range(200)] for n in range(1, 13)]
    assert all(0 <= one <= min(1.0, 0.01 * 2**n) for n, row in enumerate(pauses) for one in row)
    assert max(pauses[3]) > max(pauses[0])


def test_without_a_clock_nothing_is_random() -> None:
    assert [backoff_seconds(n, first=5.0, longest=300.0) for n in (0, 1, 2, 7, 9_999)] == [5, 5, 10, 300, 300]


def test_jitter_is_the_random_part() -> None:
    clock = ManualClock(seed=1)
    assert all(5 <= backoff_seconds(1, first=10.0, longest=10.0, clock=clock, jitter=0.5) < 10 for _ in range(100))
