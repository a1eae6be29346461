"""Heat: which key range throttles, when, and whether splitting helps. DynamoDB's partitions in simulated time.

What the model knows, each a test with its source:

- a partition takes 3,000 read and 1,000 write units a second, and so does a single item;
- a new on-demand table starts with four partitions (12,000 and 4,000 units), and half an hour after a peak there is
  room for twice as much;
- a partition that stays hot, or holds more than 10 GB, is split between keys, and within a key between sort keys; one
  item is never split, nor does a split help a sort key that only rises;
- a table with provisioned capacity saves up to 300 seconds of what it does not use, and spends it in bursts;
- every global index has partitions of its own, and a write that its index has no room for is refused;
- a table or index on demand takes no more than its quota.

How fast DynamoDB notices heat is not documented; `SPLIT_AFTER_SECONDS` is ours. Popularity is what the caller says.
Within a range load is even from second to second but for a little chance, by the seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, log
from typing import NamedTuple

# A partition: a range of hashed keys, what is asked of it, and where it is cut.
#
# Keys stand in hash space, from 0 to 1. The hottest have a position of their own there, all others are spread evenly. A
# range is cut where half of its load is on either side. When only one key is left, it is cut between its sort keys,
# unless all load is on one item or on the last of rising ones.


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
class _HotKey:
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
        keys: Sequence[_HotKey] = (),
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


# How requests are spread over partition keys.


_KEYS_FOLLOWED = 200
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
        cut = sorted((share / by for share in self.shares for _ in range(by)), reverse=True)[:_KEYS_FOLLOWED]
        return Popularity(tuple(cut), f"{self.name}, {by} shards")


def zipf(keys: int, exponent: float = 1.0) -> Popularity:
    """The n-th key is asked for 1/n-th as often as the first, as in most of life."""
    followed = min(keys, _KEYS_FOLLOWED)
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
    if keys <= _KEYS_FOLLOWED:
        return Popularity((1 / keys,) * keys, f"{keys} keys alike" if keys > 1 else "one key")
    return Popularity((), f"{keys:,} keys alike")


def celebrity(share: float, keys: int) -> Popularity:
    """One key draws this share of everything; the others are alike."""
    return Popularity((share,), f"one of {keys:,} keys draws {share:.0%}")


__all__ = ["READ_MAX", "WRITE_MAX", "Popularity", "Stream", "celebrity", "even", "hottest", "ramp", "simulate", "zipf"]

FIRST_PARTITIONS = 4
SPLIT_AFTER_SECONDS = 300
_BURST_SECONDS = 300
_DOUBLED_AFTER_MINUTES = 30
CHANCE = 0.05
_RANGES_MAX = 1 << 20


@dataclass(frozen=True, slots=True)
class Stream:
    """Requests of one pattern at one place: units a second, and how they are spread."""

    pattern: str
    place: str
    """`table`, or `table.index`."""
    read: float
    write: float
    popularity: Popularity
    splits_within: bool = True
    """False: one item, or a sort key that only rises, so that no split within a key helps."""
    calls: float = 0.0
    """Requests a second of the whole pattern: the same at every place that it asks."""
    key: str = ""
    """The form of its partition keys: streams of one form ask the same keys."""
    growth: float = 0.0
    """Bytes a second that stay."""
    kept_together: bool = False
    """By a local index: the items of a key are in one partition, 10 GB at most."""


@dataclass(slots=True)
class Outcome:
    """What became of one place."""

    place: str
    partitions: int = FIRST_PARTITIONS
    asked: float = 0.0
    refused: float = 0.0
    first_refused: int | None = None
    last_refused: int | None = None
    stuck: bool = False
    worst: str = ""
    splits: int = 0
    by_minute: list[float] = field(default_factory=list)
    """The share that was refused, minute by minute."""
    partitions_by_minute: list[int] = field(default_factory=list)
    """How many there were when the minute began."""
    reasons: dict[str, float] = field(default_factory=dict)
    """Units that were refused, by DynamoDB's name of the reason."""

    @property
    def share(self) -> float:
        return self.refused / self.asked if self.asked else 0.0

    @property
    def reason(self) -> str:
        """Of most refusals."""
        return max(self.reasons, key=lambda name: self.reasons[name], default="")


@dataclass(frozen=True, slots=True)
class Provisioned:
    read: float
    write: float


class Place:
    """One table or index: its partitions, second by second."""

    def __init__(
        self,
        name: str,
        streams: Sequence[Stream],
        dice: random.Random,
        provisioned: Provisioned | None = None,
        stored: float = 0.0,
        quota: float = float("inf"),
    ) -> None:
        self.name, self.streams, self.dice, self.provisioned, self.quota = name, streams, dice, provisioned, quota
        self.outcome = Outcome(name)
        self.read, self.write = sum(each.read for each in streams), sum(each.write for each in streams)
        self.lost = [[0.0, 0.0] for _ in streams]
        """Read and write units of each stream that were refused in this minute."""
        self.refused_by_minute: list[list[float]] = []
        """By minute, the share of each stream that was refused."""
        self._table_lost = [0.0, 0.0]
        self._saved = [0.0, 0.0]
        self._peaks: list[tuple[float, float]] = []
        self._place(self._first(stored), stored)

    def _first(self, stored: float) -> int:
        capacity = self.provisioned or Provisioned(0.0, 0.0)
        return max(
            FIRST_PARTITIONS, ceil(stored / SIZE_MAX), ceil(capacity.read / READ_MAX), ceil(capacity.write / WRITE_MAX)
        )

    def _place(self, count: int, stored: float) -> None:
        """The partitions at the start: alike, but for the hottest keys."""
        loads = [Load(number, each.read, each.write, each.growth) for number, each in enumerate(self.streams)]
        rest = [load.times(self.streams[load.stream].popularity.rest) for load in loads]
        homes: dict[int, list[_HotKey]] = {}
        for key in sorted(self._hot_keys(loads), key=lambda one: one.position):
            homes.setdefault(int(key.position * count), []).append(key)
        wide, each = 1 / count, stored / count
        self.ranges = [Range(rest, at * wide, (at + 1) * wide, keys, stored=each) for at, keys in homes.items()]
        if count > len(homes):
            self.ranges.append(Range(rest, 0.0, wide, stored=each, alike=count - len(homes)))
        self._look()

    def _hot_keys(self, loads: Sequence[Load]) -> Iterable[_HotKey]:
        """The n-th of a form is one key, whoever asks for it. Its busiest stream says whether it can be cut."""
        found: dict[tuple[str, int], _HotKey] = {}
        for load, stream in zip(loads, self.streams, strict=True):
            for rank, share in enumerate(stream.popularity.shares):
                form = (stream.key or f"{stream.pattern} {load.stream}", rank)
                if form not in found:
                    found[form] = _HotKey(self.dice.random(), rank)
                found[form].loads.append(load.times(share))
        for key in found.values():
            busiest = self.streams[max(key.loads, key=lambda one: one.read / READ_MAX + one.write / WRITE_MAX).stream]
            key.splits_within, key.kept_together = busiest.splits_within, busiest.kept_together
        return found.values()

    def _look(self) -> None:
        """Only partitions near their limits are asked every second."""
        most = 1 + CHANCE / 2
        self._warm = [
            each
            for each in self.ranges
            if each.full or each.read * most > READ_MAX or each.write * most > WRITE_MAX or each.hot_seconds
        ]
        self.outcome.partitions = sum(each.alike for each in self.ranges)
        self.outcome.stuck = self.outcome.stuck or any(each.stuck for each in self.ranges)

    def second(self, now: int, factor: float = 1.0) -> None:
        """Refuse what does not fit."""
        if now % 60 == 0:
            self.outcome.partitions_by_minute.append(self.outcome.partitions)
        lost_read = lost_write = 0.0
        due = []
        for each in self._warm:
            over_read, over_write = self._over(each, factor)
            if not (over_read or over_write):
                each.hot_seconds = max(0, each.hot_seconds - 1)
                continue
            each.lost_read += over_read * factor
            each.lost_write += over_write * factor
            lost_read += each.read * factor * over_read * each.alike
            lost_write += each.write * factor * over_write * each.alike
            each.hot_seconds += 1
            self._note(each, now)
            if each.hot_seconds >= SPLIT_AFTER_SECONDS and not each.stuck:
                due.append(each)
        self._over_the_table(now, factor, lost_read, lost_write)
        if due:
            self._split(due)

    def _over(self, each: Range, factor: float) -> tuple[float, float]:
        """The shares of its reads and writes that a partition refuses."""
        chance = factor * (1 + (self.dice.random() - 0.5) * CHANCE)
        read, write = each.read * chance, each.write * chance
        over_write = 1 - WRITE_MAX / write if write > WRITE_MAX else 0.0
        return 1 - READ_MAX / read if read > READ_MAX else 0.0, 1.0 if each.full else over_write

    def _over_the_table(self, now: int, factor: float, lost_read: float, lost_write: float) -> None:
        """What partitions would serve, against what the whole table may; the excess is refused."""
        served = (self.read * factor - lost_read, self.write * factor - lost_write)
        for kind, load in enumerate(served):
            limit = self._limit(kind, load)
            if load > limit:
                self._table_lost[kind] += (1 - limit / load) * factor
                self._mark(now)

    def _limit(self, kind: int, load: float) -> float:
        if self.provisioned is None:
            return self.quota
        limit = (self.provisioned.read, self.provisioned.write)[kind]
        spent = min(load - limit, self._saved[kind]) if load > limit else load - limit
        self._saved[kind] = min(self._saved[kind] - spent, limit * _BURST_SECONDS)
        return limit + max(0.0, spent)

    def _mark(self, now: int) -> None:
        outcome = self.outcome
        outcome.first_refused = now if outcome.first_refused is None else outcome.first_refused
        outcome.last_refused = now

    def _note(self, each: Range, now: int) -> None:
        self._mark(now)
        if each.keys and not self.outcome.worst:
            key = max(each.keys, key=lambda one: one.weight)
            load = max(key.loads, key=lambda one: one.read / READ_MAX + one.write / WRITE_MAX)
            stream = self.streams[load.stream]
            share = stream.popularity.shares[key.rank]
            what = f"its key {stream.key}, number {key.rank + 1}," if stream.key else f"its key number {key.rank + 1}"
            self.outcome.worst = f"{stream.pattern}: {what} draws {share:.1%} ({stream.popularity.name})"

    def minute(self, factors: float) -> None:
        """Close a minute: who was refused how much, what was stored, what is split for it. `factors`: their sum."""
        for each in self.ranges:
            self._settle(each)
        asked = lost = 0.0
        shares = []
        for stream, gone in zip(self.streams, self.lost, strict=True):
            units = (stream.read * factors, stream.write * factors)
            for kind in (0, 1):
                over = self._table_lost[kind] / factors if factors else 0.0
                gone[kind] += self._because(kind, self._whole, max(0.0, units[kind] - gone[kind]) * over)
            shares.append(max((gone[kind] / units[kind] for kind in (0, 1) if units[kind]), default=0.0))
            asked, lost = asked + sum(units), lost + sum(gone)
        self.lost, self._table_lost = [[0.0, 0.0] for _ in self.streams], [0.0, 0.0]
        self.refused_by_minute.append(shares)
        self.outcome.asked += asked
        self.outcome.refused += lost
        self.outcome.by_minute.append(lost / asked if asked else 0.0)
        self._grow(factors)
        self._prepare(factors / 60)

    @property
    def _whole(self) -> str:
        return "AccountLimitExceeded" if self.provisioned is None else "ProvisionedThroughputExceeded"

    def _settle(self, each: Range) -> None:
        """Share out among streams what a partition has refused."""
        if each.lost_read or each.lost_write:
            for load in each.loads:
                parts = (load.read * each.lost_read, load.write * each.lost_write)
                for kind, part in enumerate(parts):
                    why = "KeyRangeThroughputExceeded" if not each.full else ""
                    self.lost[load.stream][kind] += self._because(kind, why, part * each.alike)
            each.lost_read = each.lost_write = 0.0

    def _because(self, kind: int, why: str, units: float) -> float:
        """Put refused units down under DynamoDB's name for the reason (APIReference/API_ThrottlingReason)."""
        if units:
            of = "Index" if "." in self.name else "Table"
            name = f"{of}{('Read', 'Write')[kind]}{why}" if why else "ItemCollectionSizeLimitExceeded"
            self.outcome.reasons[name] = self.outcome.reasons.get(name, 0.0) + units
        return units

    def _grow(self, seconds: float) -> None:
        large = []
        for each in self.ranges:
            if each.growth:
                each.grow(seconds)
            if each.size > SIZE_MAX and not each.full:
                large.append(each)
        if large:
            self._split(large, for_size=True)

    def _prepare(self, factor: float) -> None:
        """On demand, half an hour after a peak there is room for twice as much."""
        if self.provisioned is not None:
            return
        gone = self.outcome.by_minute[-1]
        read, write = self.read * factor * (1 - gone), self.write * factor * (1 - gone)
        old = self._peaks[-1] if self._peaks else (0.0, 0.0)
        self._peaks.append((max(old[0], read), max(old[1], write)))
        if len(self._peaks) <= _DOUBLED_AFTER_MINUTES:
            return
        read, write = self._peaks[-1 - _DOUBLED_AFTER_MINUTES]
        needed = ceil(2 * max(min(read, self.quota) / READ_MAX, min(write, self.quota) / WRITE_MAX))
        while self.outcome.partitions < needed:
            able = [each for each in self.ranges if not each.stuck]
            if not able:
                return
            self._split([max(able, key=lambda one: one.weight)])

    def _split(self, chosen: Sequence[Range], *, for_size: bool = False) -> None:
        gone = set(map(id, chosen))
        fresh = [each for each in self.ranges if id(each) not in gone]
        for each in chosen:
            if self.outcome.partitions >= _RANGES_MAX:
                each.stuck = True
            self._settle(each)
            halves = [each] if each.stuck and not for_size else each.halves(for_size=for_size)
            fresh += halves
            self.outcome.splits += sum(half.alike for half in halves) - each.alike
        self.ranges = fresh
        self._look()


class Minute(NamedTuple):
    """Requests a second, on average of a minute."""

    asked: float
    served: float

    @property
    def throttled(self) -> float:
        return self.asked - self.served


@dataclass(frozen=True, slots=True)
class Report:
    seconds: int
    outcomes: Mapping[str, Outcome]
    """By place: `table`, or `table.index`."""
    refused: Mapping[str, float]
    """The share of each pattern's calls that was refused."""
    minutes: Sequence[Minute] = ()
    """All patterns together."""


def simulate(
    streams: Iterable[Stream],
    *,
    seconds: int = 3_600,
    seed: int = 0,
    provisioned: Mapping[str, Provisioned] | None = None,
    stored: Mapping[str, float] | None = None,
    quota: float = float("inf"),
    busy: Callable[[int], float] = lambda now: 1.0,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Report:
    """So many seconds from a table that is new, or holds `stored` bytes. `busy` says how much of the load there is."""
    by_place: dict[str, list[Stream]] = {}
    for stream in streams:
        by_place.setdefault(stream.place, []).append(stream)
    places = [
        Place(
            name,
            found,
            random.Random(f"{seed}/{name}"),
            (provisioned or {}).get(name),
            (stored or {}).get(name, 0.0),
            quota,
        )
        for name, found in by_place.items()
    ]
    busyness = []
    for begin in range(0, seconds, 60):
        factors = [busy(now) for now in range(begin, min(begin + 60, seconds))]
        for place in places:
            for at, factor in enumerate(factors):
                place.second(begin + at, factor)
            place.minute(sum(factors))
        busyness.append(sum(factors) / len(factors))
        progress(begin, seconds)
    return _report(seconds, places, busyness)


def ramp(minutes: float) -> Callable[[int], float]:
    """For `busy`: from nobody to everybody in so many minutes; 0: everybody at once."""
    return lambda now: min(1.0, (now + 1) / (minutes * 60)) if minutes else 1.0


def _report(seconds: int, places: Sequence[Place], busyness: Sequence[float]) -> Report:
    calls = {stream.pattern: stream.calls for place in places for stream in place.streams}
    asked, refused = dict.fromkeys(calls, 0.0), dict.fromkeys(calls, 0.0)
    minutes = []
    for at, busy in enumerate(busyness):
        shares = _refused_in(places, at)
        for pattern, share in shares.items():
            asked[pattern] += busy
            refused[pattern] += busy * share
        all_asked = sum(calls.values()) * busy
        minutes.append(Minute(all_asked, all_asked - sum(calls[name] * busy * share for name, share in shares.items())))
    outcomes = {place.name: place.outcome for place in places}
    return Report(seconds, outcomes, {name: refused[name] / (asked[name] or 1.0) for name in calls}, minutes)


def _refused_in(places: Sequence[Place], minute: int) -> dict[str, float]:
    """A call is refused when any of the places it touches refuses it: an index without room refuses the write."""
    found: dict[str, float] = {}
    for place in places:
        for stream, share in zip(place.streams, place.refused_by_minute[minute], strict=True):
            found[stream.pattern] = max(found.get(stream.pattern, 0.0), min(1.0, share))
    return found


def hottest(streams: Sequence[Stream]) -> float:
    """What streams of one form ask of its hottest key, against what a partition bears: 1.0 is all of it."""
    read = sum(stream.read * stream.popularity.shares[0] for stream in streams)
    write = sum(stream.write * stream.popularity.shares[0] for stream in streams)
    return max(read / READ_MAX, write / WRITE_MAX)
