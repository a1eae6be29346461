"""How long to wait before the next try: twice as long each time, with jitter so that not all come back at once."""

from __future__ import annotations

from datetime import timedelta

from sekkei.clock import Clock

FIRST_SECONDS = 2.0
LONGEST_SECONDS = 3600.0


def backoff(attempts: int, clock: Clock) -> timedelta:
    """After that many attempts that failed."""
    longest = min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** min(max(0, attempts - 1), 20))
    return timedelta(seconds=longest * (0.5 + clock.random() / 2))
