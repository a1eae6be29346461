"""How long to wait before the next try: twice as long each time, up to a limit, with jitter."""

from __future__ import annotations

from sekkei.clock import Clock

_DOUBLED_MAX = 60
"""Beyond it every limit is reached, and a float is not yet too small for the number."""


def backoff_seconds(
    failures: int, *, first: float, longest: float, clock: Clock | None = None, jitter: float = 1.0
) -> float:
    """Return the pause after that many failures. `jitter` is its random part; without a clock nothing is random."""
    ceiling = min(longest, first * 2.0 ** min(max(0, failures - 1), _DOUBLED_MAX))
    return ceiling if clock is None else ceiling * (1 - jitter + jitter * clock.random())
