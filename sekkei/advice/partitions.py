"""A partition: a range of hashed keys, what is asked of it, and where it is cut.

Keys stand in hash space, from 0 to 1. The hottest have a position of their own there, all others are spread evenly. A
range is cut where half of its load is on either side. When only one key is left, it is cut between its sort keys,
unless all load is on one item or on the last of rising ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

READ_MAX = 3_000.0
WRITE_MAX = 1_000.0
SIZE_MAX = 10 * 1024**3


class Load(NamedTuple):
    """What one stream asks, a second."""

    stream: int
    read: float
    write: float
    growth: float
    """Bytes."""

    def times(self, share: float) -> Load:
        return Load(self.stream, self.read * share, self.write * share, self.growth * share)


@dataclass(slots=True, eq=False)
class HotKey:
    """One of the hottest keys of a form."""

    position: float
    rank: int
    loads: list[Load] = field(default_factory=list)
    splits_within: bool = True
    kept_together: bool = False
    """By a local index: not even its size cuts it."""
    stored: float = 0.0

    @property
    def weight(self) -> float:
        return _weight(self.loads)


def _weight(loads: Iterable[Load]) -> float:
    return sum(load.read / READ_MAX + load.write / WRITE_MAX for load in loads)


class Range:
    """A partition, or several that are alike."""

    def __init__(
        self,
        rest: Sequence[Load],
        low: float,
        high: float,
        keys: Sequence[HotKey] = (),
        *,
        stored: float = 0.0,
        part: float = 1.0,
        alike: int = 1,
    ) -> None:
        self.rest, self.low, self.high, self.keys, self.part, self.alike = rest, low, high, list(keys), part, alike
        self.stored = stored
        """Bytes, without those of the hottest keys."""
        self.hot_seconds = 0
        self.stuck = self.full = False
        self.lost_read = self.lost_write = 0.0
        """Seconds of load that were refused since they were last asked for."""
        self.loads = self._sum()
        self.read = sum(load.read for load in self.loads)
        self.write = sum(load.write for load in self.loads)
        self.growth = sum(load.growth for load in self.loads)

    def _sum(self) -> list[Load]:
        found: dict[int, Load] = {}
        parts = [load.times(self.high - self.low) for load in self.rest if self.high > self.low]
        for load in [*parts, *(load.times(self.part) for key in self.keys for load in key.loads)]:
            old = found.get(load.stream, Load(load.stream, 0.0, 0.0, 0.0))
            sums = (old.read + load.read, old.write + load.write, old.growth + load.growth)
            found[load.stream] = Load(load.stream, *sums)
        return list(found.values())

    @property
    def weight(self) -> float:
        return _weight(self.loads)

    @property
    def size(self) -> float:
        return self.stored + sum(key.stored * self.part for key in self.keys)

    def grow(self, seconds: float) -> None:
        """Write so many seconds long. The parts of a key share what it holds."""
        self.stored += sum(load.growth for load in self.rest) * (self.high - self.low) * seconds
        for key in self.keys:
            key.stored += sum(load.growth for load in key.loads) * self.part * self.alike * seconds

    def halves(self, *, for_size: bool = False) -> list[Range]:
        """Two ranges in place of this one, or itself, stuck, when no cut helps."""
        if not self.keys:
            middle = (self.high - self.low) / 2
            return [Range(self.rest, 0.0, middle, stored=self.stored / 2, alike=self.alike * 2)]
        if self.high > self.low or len(self.keys) > 1:
            return self._between()
        return self._within(for_size)

    def _within(self, for_size: bool) -> list[Range]:
        (key,) = self.keys
        if key.splits_within:
            return [Range(self.rest, self.low, self.high, self.keys, part=self.part / 2, alike=self.alike * 2)]
        if for_size and not key.kept_together:
            # What is old stays behind; all that is asked follows what is new.
            old = Range(self.rest, self.low, self.high, stored=key.stored / 2)
            key.stored /= 2
            return [old, Range(self.rest, self.low, self.high, self.keys)]
        self.full = for_size
        self.stuck, self.hot_seconds = True, 0
        return [self]

    def _between(self) -> list[Range]:
        cut, count = self._median()
        wide = self.high - self.low
        share = (cut - self.low) / wide if wide else 0.0
        ends = (self.low, cut), (cut, self.high)
        keys = self.keys[:count], self.keys[count:]
        parts = self.stored * share, self.stored * (1 - share)
        return [Range(self.rest, *ends[at], keys[at], stored=parts[at]) for at in (0, 1)]

    def _median(self) -> tuple[float, int]:
        """Where half of the load is on either side, and how many of the keys are before it."""
        spread = _weight(self.rest)
        half, before, at = self.weight / 2, 0.0, self.low
        for count, key in enumerate(self.keys):
            gap = spread * (key.position - at)
            if before + gap >= half and gap:
                return at + (half - before) / spread, count
            before += gap
            weight, at = key.weight, key.position
            if before + weight >= half:
                empty_before, empty_after = (
                    not (count or at > self.low),
                    not (count + 1 < len(self.keys) or at < self.high),
                )
                closer_after = abs(before + weight - half) < abs(before - half)
                return at, count + (empty_before or (closer_after and not empty_after))
            before += weight
        return at + (half - before) / spread if spread else (at + self.high) / 2, len(self.keys)
