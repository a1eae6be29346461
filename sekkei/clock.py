"""The one source of time and randomness, so that tests can hold both still.

Everything that needs the time of day, a random identifier or a random delay takes a `Clock`. Production code uses
`SYSTEM`; a test passes a `ManualClock` and moves it by hand.
"""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """What the rest of the program may ask of time and chance."""

    def now(self) -> float:
        """Seconds since the epoch, with fractions."""
        ...

    def monotonic(self) -> float:
        """Seconds since some moment, never fewer than before: for how long something takes."""
        ...

    def random(self) -> float:
        """A float in [0, 1)."""
        ...

    def uuid(self) -> str:
        """A random identifier in UUID's text form."""
        ...


class SystemClock:
    """The machine's own clock and randomness."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def random(self) -> float:
        from random import random

        return random()

    def uuid(self) -> str:
        from uuid import uuid4

        return str(uuid4())


class ManualClock:
    """A clock that stands still until told otherwise, with seeded randomness."""

    def __init__(self, start: float = 1_700_000_000.0, seed: int = 0) -> None:
        from random import Random  # here and below: loaded by those who need it, in a few milliseconds

        self._now = start
        self._passed = 0.0
        self._random = Random(seed)

    def now(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._passed

    def random(self) -> float:
        return self._random.random()

    def uuid(self) -> str:
        from uuid import UUID

        return str(UUID(int=self._random.getrandbits(128), version=4))

    def advance(self, seconds: float) -> None:
        """Move the hands; a negative number moves them back."""
        self.set(self._now + seconds)

    def set(self, now: float) -> None:
        self._passed += max(0.0, now - self._now)
        self._now = now


SYSTEM: Clock = SystemClock()
