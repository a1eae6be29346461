"""What one user does in a day, and how keys are asked for: `traffic.toml` beside a design. Assumptions, said aloud.

user = "somebody in a team"
peak = 5                                  # the busiest hour against the average
others = "even"                           # keys that belong to one user, message or task

[journeys]                                # times a day, of those in journeys.json
opens_the_board = 6
[patterns]                                # or of patterns, as `sekkei measure` found them
board = 6
[keys]                                    # by the form of the partition key
"TEAM#{team_id}" = "zipf:0.5/8"
[[changes]]                               # what moves a wall
place = "sekkei-runtime.due"
key = "OUTBOX"
shards = 16
what = "Shard the queue."
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sekkei.advice.load_model import BadLoad, popularity_of

RATE_MAX = 1e6


class BadTraffic(ValueError):
    """The file cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change to the design that moves a wall."""

    place: str
    key: str
    what: str
    shards: int = 1
    """Each such key becomes so many."""
    quota: int = 1
    """So many times the quota of a table, as AWS gives on request."""


@dataclass(frozen=True, slots=True)
class Traffic:
    user: str = "a user"
    peak: float = 3.0
    others: str = "zipf"
    journeys: Mapping[str, float] = field(default_factory=dict)
    """Times a day."""
    patterns: Mapping[str, float] = field(default_factory=dict)
    items: Mapping[str, float] = field(default_factory=dict)
    """Items that a user has, by table; journeys tell it by themselves."""
    keys: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()

    def popularity(self, place: str, key: str, nature: str) -> str:
        """How keys of a form are asked for: as it is said of the place, of the form, of the others, or by nature."""
        form = key.partition(" / ")[0]
        said = self.keys.get(f"{place} {form}", self.keys.get(form))
        return said if said is not None else nature if nature != "zipf" else self.others


def beside(home: Path) -> Path:
    """Where a design's traffic is declared."""
    return home / "traffic.toml" if home.is_dir() else home.with_suffix(".traffic.toml")


def load(path: Path) -> Traffic:
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadTraffic(f"{path}: {error}") from error
    try:
        return _traffic(found)
    except (BadTraffic, BadLoad) as error:
        raise BadTraffic(f"{path}: {error}") from error


def _traffic(found: Mapping[str, Any]) -> Traffic:
    strange = set(found) - set(Traffic.__slots__)
    if strange:
        raise BadTraffic(f"{', '.join(sorted(strange))}: there is no such thing. Write {', '.join(Traffic.__slots__)}.")
    rates = {name: _rates(name, found.get(name, {})) for name in ("journeys", "patterns", "items")}
    keys = {form: _popularity(said) for form, said in _table("keys", found.get("keys", {})).items()}
    peak = _rates("peak", {"peak": found.get("peak", 3.0)})["peak"]
    if not 1 <= peak <= 1_000:
        raise BadTraffic(f"peak = {peak:g}: the busiest hour is 1 to 1000 times the average.")
    others, user = _popularity(found.get("others", "zipf")), str(found.get("user", "a user"))
    changes = found.get("changes", [])
    if not isinstance(changes, list):
        raise BadTraffic("changes is a list: write [[changes]] before each.")
    return Traffic(
        user, peak, others, rates["journeys"], rates["patterns"], rates["items"], keys, tuple(map(_change, changes))
    )


def _table(name: str, found: Any) -> Mapping[str, Any]:
    if not isinstance(found, Mapping):
        raise BadTraffic(f"{name} is a table: [{name}] and a line for each.")
    return found


def _rates(name: str, found: Any) -> dict[str, float]:
    for each, rate in _table(name, found).items():
        if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= RATE_MAX:
            raise BadTraffic(f"{each} = {rate!r} is no number of times: 0 or more, such as 0.5 or 6.")
    return {each: float(rate) for each, rate in found.items()}


def _popularity(said: Any) -> str:
    popularity_of(str(said), 1_000)
    return str(said)


def _change(found: Any) -> Change:
    known = {"key": "", "shards": 1, "quota": 1, **_table("changes", found)}
    numbers = [known["shards"], known["quota"]]
    if set(known) != set(Change.__slots__) or not all(isinstance(n, int) and 1 <= n <= 100_000 for n in numbers):
        raise BadTraffic("a change has a place, what is done, and a key with its shards, or a quota as a multiple.")
    return Change(str(known["place"]), str(known["key"]), str(known["what"]), *numbers)
