"""How requests are spread over partition keys."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

KEYS_FOLLOWED = 200
"""The hottest keys have a place of their own; the many others are spread evenly."""


@dataclass(frozen=True, slots=True)
class Popularity:
    """The shares of the hottest keys, and what is left for all others."""

    shares: tuple[float, ...]
    name: str

    @property
    def rest(self) -> float:
        return max(0.0, 1.0 - sum(self.shares))

    def sharded(self, by: int) -> Popularity:
        """The same keys, each cut into so many."""
        cut = sorted((share / by for share in self.shares for _ in range(by)), reverse=True)[:KEYS_FOLLOWED]
        return Popularity(tuple(cut), f"{self.name}, {by} shards")


def zipf(keys: int, exponent: float = 1.0) -> Popularity:
    """The n-th key is asked for 1/n-th as often as the first, as in most of life."""
    followed = min(keys, KEYS_FOLLOWED)
    weights = [1 / rank**exponent for rank in range(1, followed + 1)]
    total = sum(weights) + _tail(followed, keys, exponent)
    return Popularity(tuple(weight / total for weight in weights), f"zipf {exponent:g} over {keys:,} keys")


def _tail(first: int, last: int, exponent: float) -> float:
    """The weights from `first` + 1 to `last`, by their integral."""
    if last <= first:
        return 0.0
    if exponent == 1.0:
        return log(last / first)
    return float((last ** (1 - exponent) - first ** (1 - exponent)) / (1 - exponent))


def even(keys: int) -> Popularity:
    if keys <= KEYS_FOLLOWED:
        return Popularity((1 / keys,) * keys, f"{keys} keys alike" if keys > 1 else "one key")
    return Popularity((), f"{keys:,} keys alike")


def celebrity(share: float, keys: int) -> Popularity:
    """One key draws this share of everything; the others are alike."""
    return Popularity((share,), f"one of {keys:,} keys draws {share:.0%}")
