"""Chance, all of it from the seed: while a world runs, even `secrets` and `os.urandom` give what the seed says.

Each asker has dice of its own, named by who asks and how often: taking one operation out of a story does not shift the
choices of all that follow, so that stories can be made shorter.
"""

from __future__ import annotations

import os
import random
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


class Dice(random.Random):
    """`dice.chance(0.1)` is true one time in ten."""

    def chance(self, share: float) -> bool:
        return self.random() < share

    def seconds(self, most: float) -> float:
        """Mostly short, sometimes long: as waiting is."""
        return min(most, self.expovariate(4 / most)) if most else 0.0


@dataclass(slots=True)
class Asker:
    """On whose behalf a call is made: one operation of one person, or a process by itself."""

    name: str
    calls: int = 0

    def dice(self, luck: str) -> Dice:
        self.calls += 1
        return dice_of(luck, "call", self.name, self.calls)

    def thrown(self, luck: str) -> Dice:
        """The same for whoever throws them all at once, before anybody else can run: they are everybody's."""
        self.calls += 1
        THROWN.seed(f"{luck}/call/{self.name}/{self.calls}")
        return THROWN


ASKER: ContextVar[Asker] = ContextVar("asker")
THROWN = Dice()


def dice_of(seed: int | str, *names: object) -> Dice:
    return Dice("/".join(str(each) for each in (seed, *names)))


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """No randomness but the seed's, for everything in this process."""
    source = dice_of(seed, "secrets")
    module: Any = secrets
    kept = module._sysrand, os.urandom, random.getstate()
    module._sysrand, os.urandom = source, source.randbytes
    random.seed(seed)
    try:
        yield
    finally:
        module._sysrand, os.urandom = kept[0], kept[1]
        random.setstate(kept[2])
