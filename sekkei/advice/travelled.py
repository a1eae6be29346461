"""What a journey cost: units by place and form of key, storage by place. Kept as `journeys.json` beside the design."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sekkei.design.measured import lines_of

if TYPE_CHECKING:
    from sekkei.advice.journal import Journal


NOISE_BYTE_DAYS = 1_000.0
"""A few bytes a year: numbers that grew a digit."""


class Asked(NamedTuple):
    """Units that a journey asks of the keys of one form."""

    place: str
    """`table`, or `table.index`."""
    key: str
    """The form of the partition key: `TEAM#{team_id}`."""
    read: float
    write: float
    splits: bool
    """Can a hot key of this form be cut between its sort keys? Not when it is another one every day."""
    nature: str
    """How such keys are asked for where nobody says so (`load.popularity_of`)."""


@dataclass(frozen=True, slots=True)
class Travelled:
    about: str
    requests: list[str]
    """`GET /tasks/teams/{team_id}`; what an access log is compared with."""
    calls: int
    asked: list[Asked]
    byte_days: Mapping[str, float]
    """By place: bytes × days kept, of the first year."""

    @classmethod
    def of(cls, about: str, requests: Iterable[str], journal: Journal) -> Travelled:
        charges = sorted(journal.charges.items())
        asked = [
            Asked(*place, one.read, one.write, one.splits, one.nature)
            for place, one in charges
            if one.read or one.write
        ]
        days = sorted(journal.byte_days.items())
        kept = {place: round(amount) for place, amount in days if abs(amount) >= NOISE_BYTE_DAYS}
        return cls(about, list(requests), journal.tally.calls, asked, kept)

    @property
    def read(self) -> float:
        return sum(one.read for one in self.asked)

    @property
    def write(self) -> float:
        return sum(one.write for one in self.asked)


def beside(home: Path) -> Path:
    """Where the journeys of a design are kept."""
    return home / "journeys.json" if home.is_dir() else home.with_suffix(".journeys.json")


def save(path: Path, found: Mapping[str, Travelled]) -> None:
    path.write_text(as_text(found), "utf-8")


def as_text(found: Mapping[str, Travelled]) -> str:
    content = {name: {**asdict(one), "asked": [list(each) for each in one.asked]} for name, one in found.items()}
    return lines_of(content) + "\n"


def load(path: Path) -> dict[str, Travelled]:
    """None of them when there is no file."""
    if not path.exists():
        return {}
    found = json.loads(path.read_text("utf-8"))
    return {name: Travelled(**{**one, "asked": [Asked(*each) for each in one["asked"]]}) for name, one in found.items()}
