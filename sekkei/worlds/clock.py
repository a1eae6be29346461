"""The clock of one process in a world: the world's time, a little off."""

from __future__ import annotations

import uuid

from sekkei.worlds.chance import Dice
from sekkei.worlds.loop import VirtualLoop

START = 1_767_193_200.0
"""31 December 2025, 15:00 (UTC)."""


class WorldClock:
    def __init__(self, loop: VirtualLoop, dice: Dice, skew_seconds: float = 0.0, start: float = START) -> None:
        self._loop, self._dice, self.skew_seconds, self._start = loop, dice, skew_seconds, start

    def now(self) -> float:
        return self._start + self._loop.time() + self.skew_seconds

    def monotonic(self) -> float:
        return self._loop.time()

    def random(self) -> float:
        return self._dice.random()

    def uuid(self) -> str:
        return str(uuid.UUID(int=self._dice.getrandbits(128), version=4))
