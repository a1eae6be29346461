"""What can go wrong in a world."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.worlds.chance import Dice

_SKEW_SECONDS = 1.5


@dataclass(frozen=True, slots=True)
class Faults:
    """What can go wrong in a seed; a random part of it does."""

    lost_requests: float = 0.03
    lost_answers: float = 0.03
    crashes: int = 3
    outside: float = 0.1
    """Of messages and requests to services outside."""
    letters: float = 0.3
    """Of what services outside tell us: late, or twice."""
    leaps: int = 1
    """How often everything is stopped for a while, and time goes on."""
    weather: bool = True
    """Late indexes, throttling, conflicts."""
    skew_seconds: float = _SKEW_SECONDS

    def some(self, dice: Dice) -> Faults:
        """Swarm testing: each seed has some of the faults, seldom all."""
        return Faults(
            self.lost_requests if dice.chance(0.5) else 0.0,
            self.lost_answers if dice.chance(0.5) else 0.0,
            dice.randint(0, self.crashes),
            self.outside if dice.chance(0.5) else 0.0,
            self.letters if dice.chance(0.5) else 0.0,
            self.leaps if dice.chance(0.3) else 0,
            self.weather and dice.chance(0.3),
            self.skew_seconds if dice.chance(0.5) else 0.0,
        )


CALM = Faults(0.0, 0.0, 0, 0.0, 0.0, 0, False, 0.0)
