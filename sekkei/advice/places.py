"""What so many users mean for each table and index: load, money, and how near it is to what it bears.

scale = declared("q")                        what one user does; raises BadTraffic when nobody said it
heat_of(scale, 100_000)["Answers"].heat      0.29: at 29 % of the users that it bears
plot(simulate_users(scale, 400_000))         the busiest hour of so many, as SVG
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sekkei.advice import heat, traffic
from sekkei.advice import metering
from sekkei.advice.costing import GB, request_dollars
from sekkei.advice.load import popularity_of
from sekkei.advice.prices import Prices
from sekkei.advice.scale import DAY_SECONDS, TABLE_QUOTA, Scale, Wall, scale_of
from sekkei.advice.traffic import BadTraffic
from sekkei.design import Measurements
from sekkei.design.loading import find, measurements_beside


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
    path = file or traffic.beside(home)
    if not path.exists():
        raise BadTraffic(f"{path} is not there: it says what one user of {design.name} does. See docs/advice.md.")
    journeys = metering.load(metering.beside(home))
    return scale_of(design, traffic.load(path), journeys, Measurements.load(measurements_beside(home)))


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
