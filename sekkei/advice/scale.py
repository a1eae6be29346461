"""Internet scale on paper: what so many users cost in a month, and which key or quota gives way first.

scale = Scale(traffic, asked_by)
scale.bill(100_000, prices).on_demand
scale.walls()[0].users
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from sekkei.advice import heat, metering, workload
from sekkei.advice.costing import GB, Bill, Line, Prices, Stored, request_dollars
from sekkei.advice.facts import Wall
from sekkei.advice.heat import READ_MAX, WRITE_MAX
from sekkei.advice.load_model import BadLoad, nature_of, popularity_of, touches
from sekkei.advice.metering import Asked, Travelled
from sekkei.advice.workload import BadTraffic, Change, Traffic
from sekkei.design import Design, Measurements
from sekkei.design.loading import find, measurements_beside

DAY_SECONDS = 86_400
TABLE_QUOTA = 40_000.0
"""Read or write units a second of a table, and of each index, unless AWS raised it (developerguide/ServiceQuotas)."""
USERS_MAX = 10_000_000_000
"""More than there are people: no wall."""


@dataclass(frozen=True, slots=True)
class Scale:
    """One system: what its users do, and what each of those asks."""

    traffic: Traffic
    asked_by: Mapping[str, Travelled]

    def bill(self, users: int, prices: Prices) -> Bill:
        lines = []
        for name, rate, one in self._rates():
            calls = rate * users / DAY_SECONDS
            read, write = one.read * calls, one.write * calls
            lines.append(Line(name, calls, read, write, request_dollars(prices, read, write)))
        read, write = sum(line.read for line in lines), sum(line.write for line in lines)
        return Bill(prices, lines, self._stored(users), read, write, self.traffic.peak)

    def _stored(self, users: int) -> list[Stored]:
        kept: dict[str, float] = {}
        for _, rate, one in self._rates():
            for place, byte_days in one.byte_days.items():
                kept[place] = kept.get(place, 0.0) + byte_days * rate
        return [Stored(place, 0, max(0.0, amount) * users / GB) for place, amount in sorted(kept.items())]

    def walls(self, changes: Iterable[Change] = ()) -> list[Wall]:
        """The nearest first. A key that splits bears any load, so it is none."""
        made = list(changes)
        shards = {(one.place, one.key): one.shards for one in made}
        found = [*self._hot_keys(shards), *self._quotas({one.place: one.quota for one in made})]
        return sorted((wall for wall in found if wall.users < USERS_MAX), key=lambda wall: wall.users)

    def _hot_keys(self, shards: Mapping[tuple[str, str], int]) -> Iterable[Wall]:
        for key, one in self._by_key().items():
            if one.splits:
                continue
            said = self.traffic.popularity(one.place, one.key, one.nature)
            cut = shards.get((one.place, one.key.partition(" / ")[0]), 1)
            for kind, load, most in (("read", one.read, READ_MAX), ("write", one.write, WRITE_MAX)):
                if load:
                    yield Wall(_users_until(most, load * self._busy, said, cut), *key, kind, said)

    def peaks(self, users: int) -> dict[str, tuple[float, float]]:
        """Read and write units a second of each table and index in the busiest hour."""
        found: dict[str, tuple[float, float]] = {}
        for one in self._by_key().values():
            read, write = found.get(one.place, (0.0, 0.0))
            busy = self._busy * users
            found[one.place] = (read + one.read * busy, write + one.write * busy)
        return found

    def _quotas(self, raised: Mapping[str, int]) -> Iterable[Wall]:
        by_place: dict[tuple[str, str], float] = {}
        for one in self._by_key().values():
            for kind, load in (("read", one.read), ("write", one.write)):
                by_place[one.place, kind] = by_place.get((one.place, kind), 0.0) + load
        for (place, kind), load in by_place.items():
            if load:
                most = TABLE_QUOTA * raised.get(place, 1)
                yield Wall(int(min(most / (load * self._busy), USERS_MAX)), place, "", kind)

    def _by_key(self) -> dict[tuple[str, str], Asked]:
        """Units of one user on one day, by place and form of key."""
        found: dict[tuple[str, str], Asked] = {}
        for _, rate, one in self._rates():
            for asked in one.asked:
                before = found.get((asked.place, asked.key), asked._replace(read=0.0, write=0.0))
                read, write = before.read + asked.read * rate, before.write + asked.write * rate
                found[asked.place, asked.key] = asked._replace(read=read, write=write)
        return found

    def _rates(self) -> Iterable[tuple[str, float, Travelled]]:
        rates = {**self.traffic.journeys, **self.traffic.patterns}
        return [(name, rate, self.asked_by[name]) for name, rate in rates.items()]

    @property
    def _busy(self) -> float:
        """From units a day to units a second in the busiest hour."""
        return self.traffic.peak / DAY_SECONDS


def _users_until(most: float, load: float, said: str, cut: int) -> int:
    """How many users until the hottest key takes `most` units a second; `load` is what one of them asks for."""

    def hottest(users: int) -> float:
        shares = popularity_of(said, users).shares
        return load * users * (shares[0] if shares else 1.0 / users) / cut

    low, high = 1, USERS_MAX
    if hottest(high) < most:
        return USERS_MAX
    while high - low > max(1, low // 1_000):
        middle = (low + high) // 2
        low, high = (middle, high) if hottest(middle) < most else (low, middle)
    return low


def scale_of(design: Design, traffic: Traffic, journeys: Mapping[str, Travelled], measurements: Measurements) -> Scale:
    """What a declaration means for a design; refuses one that speaks of what is not there."""
    unknown = [name for name in traffic.journeys if name not in journeys]
    if unknown:
        known = ", ".join(journeys) or "none; run `sekkei measure SYSTEM --journeys`"
        raise BadTraffic(f"{design.name} has no journey {', '.join(unknown)}. It has: {known}.")
    patterns = {name: of_pattern(design, name, measurements) for name in traffic.patterns}
    held = _held(design, traffic)
    rates = {**traffic.patterns, **({"items": 1.0} if held.byte_days else {})}
    return Scale(replace(traffic, patterns=rates), {**journeys, **patterns, "items": held})


def _held(design: Design, traffic: Traffic) -> Travelled:
    """Items that are simply there, for what is declared by patterns."""
    from sekkei.advice.costing import stored_bytes

    kept: dict[str, float] = {}
    for name, count in traffic.items.items():
        if name not in design.tables:
            raise BadTraffic(f"{design.name} has no table {name}. It has: {', '.join(design.tables)}.")
        kept |= {place: size * count for place, size in stored_bytes(design.tables[name]).items()}
    return Travelled("what a user has stored", [], 0, [], kept)


def of_pattern(design: Design, name: str, measurements: Measurements) -> Travelled:
    """A measured pattern as if it were a journey."""
    try:
        found = touches(design, name, measurements)
    except BadLoad as error:
        raise BadTraffic(str(error)) from error
    natures = [nature_of(touch.keys) for touch in found]
    asked = [
        Asked(touch.place, touch.form, touch.read, touch.write, touch.splits and nature != "today", nature)
        for touch, nature in zip(found, natures, strict=True)
    ]
    return Travelled(design.patterns[name].en, [], measurements.units[name].calls, asked, {})


# What so many users mean for each table and index: load, money, and how near it is to what it bears.
#
# scale = declared("q")                        what one user does; raises BadTraffic when nobody said it
# heat_of(scale, 100_000)["Answers"].heat      0.29: at 29 % of the users that it bears
# plot(simulate_users(scale, 400_000))         the busiest hour of so many, as SVG


class Heat(NamedTuple):
    """One table or index under the load of so many users."""

    place: str
    """`table`, or `table.index`."""
    read: float
    """Units a second in the busiest hour."""
    write: float
    dollars: float | None
    """Its requests, on demand, a month; None when a price is not known."""
    gigabytes: float
    """After a year."""
    heat: float
    """1.0: as many users as it bears; above that, calls are refused. 0.0 when it bears any number."""
    wall: Wall | None
    """What gives way first here."""


def declared(name: str, file: Path | None = None) -> Scale:
    """What one user of a design does, from `traffic.toml` beside it or from a file."""
    design, home = find(name)
    path = file or workload.beside(home)
    if not path.exists():
        raise BadTraffic(f"{path} is not there: it says what one user of {design.name} does. See docs/advice.md.")
    journeys = metering.load(metering.beside(home))
    return scale_of(design, workload.load(path), journeys, Measurements.load(measurements_beside(home)))


def heat_of(scale: Scale, users: int, prices: Prices | None = None) -> dict[str, Heat]:
    """By place."""
    known = prices or Prices.of("us-east-1")
    walls: dict[str, Wall] = {}
    for wall in scale.walls():
        walls.setdefault(wall.place, wall)
    stored = {each.place: each.gigabytes for each in scale.bill(users, known).stored}
    found = {}
    for place, (read, write) in scale.peaks(users).items():
        dollars = request_dollars(known, read / scale.traffic.peak, write / scale.traffic.peak)
        nearest = walls.get(place)
        share = users / nearest.users if nearest else 0.0
        found[place] = Heat(place, read, write, dollars, stored.get(place, 0.0), share, nearest)
    return found


def streams_of(scale: Scale, users: int) -> list[heat.Stream]:
    """What so many users ask in a second of the busiest hour."""
    found = []
    for name, rate in {**scale.traffic.journeys, **scale.traffic.patterns}.items():
        calls = rate * users * scale.traffic.peak / DAY_SECONDS
        for one in scale.asked_by[name].asked:
            keys = popularity_of(scale.traffic.popularity(one.place, one.key, one.nature), users)
            units = (one.read * calls, one.write * calls)
            found.append(heat.Stream(name, one.place, *units, keys, one.splits, calls, one.key))
    return found


def stored_by(scale: Scale, users: int) -> dict[str, float]:
    """Bytes by place, after a year."""
    return {each.place: each.gigabytes * GB for each in scale.bill(users, Prices.of("us-east-1")).stored}


def simulate_users(scale: Scale, users: int, *, minutes: int = 60, ramp: int = 0) -> heat.Report:
    """The busiest hour of so many users, from tables that hold what a year of them leaves.

    With `ramp` they come one after the other in so many minutes.
    """
    return heat.simulate(
        streams_of(scale, users),
        seconds=minutes * 60,
        stored=stored_by(scale, users),
        quota=TABLE_QUOTA,
        busy=heat.ramp(ramp),
    )
