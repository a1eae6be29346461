"""Heat: which key range throttles, when, and whether splitting helps. DynamoDB's partitions in simulated time.

What the model knows, each a test with its source:

- a partition takes 3,000 read and 1,000 write units a second, and so does a single item;
- a new on-demand table starts with four partitions (12,000 and 4,000 units);
- a partition that stays hot is split between keys, and within a key between sort keys; one item is never split, nor
  does a split help a sort key that only rises;
- a table with provisioned capacity saves up to 300 seconds of what it does not use, and spends it in bursts;
- every global index has partitions of its own, and a write that its index has no room for is refused.

What it leaves out: splits for size (10 GB). How fast DynamoDB notices heat is not documented; `SPLIT_AFTER_SECONDS` is
ours. Popularity is what the caller says. Within a range load is even from second to second but for a little chance, by
the seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

READ_MAX = 3_000.0
WRITE_MAX = 1_000.0
FIRST_PARTITIONS = 4
SPLIT_AFTER_SECONDS = 300
BURST_SECONDS = 300
KEYS_FOLLOWED = 200
"""The hottest keys have a place of their own; the many others are spread evenly."""
RANGES_MAX = 1 << 20


@dataclass(frozen=True, slots=True)
class Popularity:
    """How requests are spread over partition keys: the shares of the hottest, and what is left for all others."""

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
        from math import log

        return log(last / first)
    return float((last ** (1 - exponent) - first ** (1 - exponent)) / (1 - exponent))


def even(keys: int) -> Popularity:
    if keys <= KEYS_FOLLOWED:
        return Popularity((1 / keys,) * keys, f"{keys} keys alike" if keys > 1 else "one key")
    return Popularity((), f"{keys:,} keys alike")


def celebrity(share: float, keys: int) -> Popularity:
    """One key draws this share of everything; the others are alike."""
    return Popularity((share,), f"one of {keys:,} keys draws {share:.0%}")


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


@dataclass(slots=True)
class Range:
    """A partition, or several that are alike: hot keys with their share of each stream, and a width of the rest."""

    width: float
    keys: list[tuple[int, int, float]] = field(default_factory=list)
    """(stream, rank, share of the stream)."""
    alike: int = 1
    hot_seconds: int = 0
    stuck: bool = False


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

    @property
    def share(self) -> float:
        return self.refused / self.asked if self.asked else 0.0


class Place:
    """One table or index: its partitions, second by second."""

    def __init__(
        self, name: str, streams: Sequence[Stream], dice: random.Random, provisioned: Provisioned | None
    ) -> None:
        self.name, self.streams, self.dice, self.provisioned = name, streams, dice, provisioned
        self.outcome = Outcome(name)
        self._saved = [0.0, 0.0]
        self.ranges = [Range(1 / FIRST_PARTITIONS) for _ in range(FIRST_PARTITIONS)]
        for number, stream in enumerate(streams):
            for rank, share in enumerate(stream.popularity.shares):
                self.dice.choice(self.ranges).keys.append((number, rank, share))

    def second(self, now: int) -> None:
        """Refuse what does not fit."""
        asked_write = asked = refused = 0.0
        for each in self.ranges:
            read, write = self._load(each)
            fits_read, fits_write = min(read, READ_MAX), min(write, WRITE_MAX)
            lost = (read - fits_read) + (write - fits_write)
            asked += (read + write) * each.alike
            refused += lost * each.alike
            asked_write += write * each.alike
            each.hot_seconds = each.hot_seconds + 1 if lost else 0
            if lost:
                self._note(each, now)
        if self.provisioned is not None:
            refused += self._over_the_table(asked - refused, asked_write)
        self.outcome.asked += asked
        self.outcome.refused += refused
        if now % 60 == 0:
            self.outcome.by_minute.append(0.0)
            self.outcome.partitions_by_minute.append(self.outcome.partitions)
        if asked:
            self.outcome.by_minute[-1] += refused / asked / 60
        self._split()

    def _load(self, each: Range) -> tuple[float, float]:
        read = write = 0.0
        for stream in self.streams:
            share = stream.popularity.rest * each.width
            read += stream.read * share
            write += stream.write * share
        for number, _, share in each.keys:
            read += self.streams[number].read * share
            write += self.streams[number].write * share
        chance = 1 + (self.dice.random() - 0.5) * 0.05
        return read * chance, write * chance

    def _over_the_table(self, asked: float, asked_write: float) -> float:
        """Provisioned capacity with what was saved before; the excess is refused."""
        assert self.provisioned is not None
        excess = 0.0
        limits = (self.provisioned.read, self.provisioned.write)
        for kind, (load, limit) in enumerate(zip((asked - asked_write, asked_write), limits, strict=True)):
            if load <= limit:
                self._saved[kind] = min(self._saved[kind] + limit - load, limit * BURST_SECONDS)
                continue
            spent = min(load - limit, self._saved[kind])
            self._saved[kind] -= spent
            excess += load - limit - spent
        return excess

    def _note(self, each: Range, now: int) -> None:
        outcome = self.outcome
        outcome.first_refused = now if outcome.first_refused is None else outcome.first_refused
        outcome.last_refused = now
        if each.keys:
            number, rank, share = max(each.keys, key=lambda key: key[2] * self._weight(key[0]))
            stream = self.streams[number]
            outcome.worst = f"{stream.pattern}: its key number {rank + 1} draws {share:.1%} ({stream.popularity.name})"

    def _weight(self, number: int) -> float:
        stream = self.streams[number]
        return stream.write / WRITE_MAX + stream.read / READ_MAX

    def _split(self) -> None:
        fresh: list[Range] = []
        for each in self.ranges:
            if each.hot_seconds < SPLIT_AFTER_SECONDS or each.stuck or self.outcome.partitions >= RANGES_MAX:
                fresh.append(each)
                continue
            halves = self._halves(each)
            fresh += halves
            self.outcome.splits += each.alike if len(halves) > 1 or halves[0].alike > each.alike else 0
        self.ranges = fresh
        self.outcome.partitions = sum(each.alike for each in fresh)
        self.outcome.stuck = self.outcome.stuck or any(each.stuck for each in fresh)

    def _halves(self, each: Range) -> list[Range]:
        """A split between keys, or within the one key that is hot."""
        if not each.keys:
            return [Range(each.width / 2, alike=each.alike * 2)]
        hottest = max(each.keys, key=lambda key: key[2] * self._weight(key[0]))
        rest = [key for key in each.keys if key is not hottest]
        if rest or each.width > 1e-9:
            apart = Range(0.0, [hottest])
            return [apart, Range(each.width, rest)]
        number, rank, share = hottest
        if not self.streams[number].splits_within:
            each.stuck, each.hot_seconds = True, 0
            return [each]
        return [Range(0.0, [(number, rank, share / 2)]), Range(0.0, [(number, rank, share / 2)])]


@dataclass(frozen=True, slots=True)
class Provisioned:
    read: float
    write: float


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
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Report:
    """So many seconds of steady load, from a table that is new."""
    by_place: dict[str, list[Stream]] = {}
    for stream in streams:
        by_place.setdefault(stream.place, []).append(stream)
    capacity = provisioned or {}
    places = {
        name: Place(name, found, random.Random(f"{seed}/{name}"), capacity.get(name))
        for name, found in by_place.items()
    }
    for now in range(seconds):
        for place in places.values():
            place.second(now)
        if now % 60 == 0:
            progress(now, seconds)
    outcomes = {name: place.outcome for name, place in places.items()}
    refused = _by_pattern(by_place, {name: outcome.share for name, outcome in outcomes.items()})
    return Report(seconds, outcomes, refused, list(_minutes(by_place, outcomes)))


def _by_pattern(by_place: Mapping[str, Sequence[Stream]], shares: Mapping[str, float]) -> dict[str, float]:
    """A call is refused when any of the places it touches refuses it: an index without room refuses the write."""
    refused: dict[str, float] = {}
    for name, streams in by_place.items():
        for stream in streams:
            refused[stream.pattern] = max(refused.get(stream.pattern, 0.0), shares[name])
    return refused


def _minutes(by_place: Mapping[str, Sequence[Stream]], outcomes: Mapping[str, Outcome]) -> Iterator[Minute]:
    calls = {stream.pattern: stream.calls for found in by_place.values() for stream in found}
    for at in range(max((len(outcome.by_minute) for outcome in outcomes.values()), default=0)):
        refused = _by_pattern(by_place, {name: outcome.by_minute[at] for name, outcome in outcomes.items()})
        served = sum(rate * (1 - min(1.0, refused[pattern])) for pattern, rate in calls.items())
        yield Minute(sum(calls.values()), served)


def wall(stream: Stream) -> float:
    """How many times this load the hottest key bears when no split can help any more; infinite when splits do."""
    if stream.splits_within or not stream.popularity.shares:
        return float("inf")
    hottest = stream.popularity.shares[0]
    limits = [
        limit / (load * hottest) for limit, load in ((READ_MAX, stream.read), (WRITE_MAX, stream.write)) if load > 0
    ]
    return min(limits, default=float("inf"))
