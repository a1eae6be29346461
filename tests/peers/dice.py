"""Randomness that knows how often it was told to do something wrong."""

from __future__ import annotations

from random import Random


class Dice(Random):
    """`faults` counts the mistakes made on purpose: of several, implementations may name different ones first."""

    faults = 0

    def wrong(self, probability: float) -> bool:
        fired = self.random() < probability
        self.faults += fired
        return fired
