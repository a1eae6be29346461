"""Chance, all of it from the seed: while a world runs, even `secrets` and `os.urandom` give what the seed says.

Each asker has dice of its own, named by who asks and how often: taking one operation out of a story does not shift the
choices of all that follow, so that stories can be made shorter.
"""

from __future__ import annotations

import os
import random
import secrets
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
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
        _THROWN.seed(f"{luck}/call/{self.name}/{self.calls}")
        return _THROWN


ASKER: ContextVar[Asker] = ContextVar("asker")
_THROWN = Dice()


def dice_of(seed: int | str, *names: object) -> Dice:
    return Dice("/".join(str(each) for each in (seed, *names)))


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """No randomness but the seed's, for everything in this process that asks Python for it.

    Whoever makes dice without a seed, or asks the machine past `secrets`, has a source of their own: something of the
    sort may be done once in a process, and must not shift what others are given."""
    source, machine, dice = (dice_of(seed, each) for each in ("secrets", "machine", "unseeded"))
    sow, state = random.Random.seed, random.getstate()

    def sown(itself: random.Random, a: Any = None, version: int = 2) -> None:
        sow(itself, dice.getrandbits(256) if a is None else a, version)

    random.seed(seed)
    given: list[tuple[Any, dict[str, Any]]] = [
        (secrets, {"_sysrand": source, "choice": source.choice, "randbits": source.getrandbits}),
        (os, {"urandom": source.randbytes, "getrandom": lambda size, flags=0: machine.randbytes(size)}),
        (random, {"_urandom": machine.randbytes, "seed": partial(sown, getattr(random, "_inst"))}),  # noqa: B009
        (random.Random, {"seed": sown}),
        (uuid, {"uuid1": lambda node=None, clock_seq=None: uuid.UUID(int=machine.getrandbits(128), version=1)}),
    ]
    there = [(owner, name, new) for owner, names in given for name, new in names.items() if hasattr(owner, name)]
    kept = [(owner, name, getattr(owner, name)) for owner, name, _ in there]
    for owner, name, new in there:
        setattr(owner, name, new)
    try:
        yield
    finally:
        for owner, name, value in kept:
            setattr(owner, name, value)
        random.setstate(state)
