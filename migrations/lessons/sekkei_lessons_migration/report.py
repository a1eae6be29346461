"""What a stage found and did: as numbers, as lines for people, as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

LISTED_MAX = 10_000
"""More of one kind are counted but not listed: a report has to fit into memory."""
SHOWN_MAX = 10


@dataclass(slots=True)
class Tally:
    """How many there are, and which."""

    count: int = 0
    listed: list[dict[str, Any]] = field(default_factory=list)

    def add(self, **entry: Any) -> None:
        self.count += 1
        if len(self.listed) < LISTED_MAX:
            self.listed.append(entry)

    def __len__(self) -> int:
        return self.count


@dataclass(slots=True)
class Report:
    """What a plan, a run, a verification or a rollback found."""

    stage: str
    table: str
    rows: int = 0
    written: int = 0
    removed: int = 0
    unchanged: int = 0
    over: int = 0
    """Rows of lessons that were over so long ago that their time to live has passed."""
    conflicts: Tally = field(default_factory=Tally)
    """Rows that share a place with a newer one, and are kept in its `legacy`."""
    ahead: Tally = field(default_factory=Tally)
    """Places that were changed in the new table since; they stay."""
    unusable: Tally = field(default_factory=Tally)
    """Rows that cannot be moved; they stay in the old table."""
    shortened: Tally = field(default_factory=Tally)
    """Places whose rows together are too large for one item: what is left out stays in the old table and its backup."""
    unlisted: Tally = field(default_factory=Tally)
    """People who wait for a lesson that is not in the timetable; they can leave, and nobody watches it."""
    silent: Tally = field(default_factory=Tally)
    """People who wait and could not be told of a place."""
    contacts: int = 0
    """Contacts that were brought along."""
    drift: Tally = field(default_factory=Tally)
    """Places that are not as they should be."""
    seconds: float = 0.0
    resumed: int = 0
    """Rows that were done before this run went on."""

    def counts(self) -> dict[str, int]:
        """All numbers, for a run that is cut off and goes on."""
        return dict(self._numbers())

    def take(self, other: Report) -> None:
        """Add what another one, of a part of the work, has counted and listed."""
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in _TALLIES:
            mine, theirs = getattr(self, name), getattr(other, name)
            mine.count += theirs.count
            mine.listed += theirs.listed[: LISTED_MAX - len(mine.listed)]

    def resume(self, counts: Mapping[str, int]) -> None:
        """Go on counting where a run was cut off; what it listed is listed no more."""
        self.resumed = int(counts.get("rows", 0))
        for name, number in counts.items():
            if name in _TALLIES:
                getattr(self, name).count = int(number)
            elif name in _COUNTS:
                setattr(self, name, int(number))

    def as_json(self) -> dict[str, Any]:
        listed = {name: getattr(self, name).listed for name in _TALLIES}
        return {
            "stage": self.stage,
            "table": self.table,
            **self.counts(),
            "resumed": self.resumed,
            "seconds": round(self.seconds, 3),
            "listed": listed,
        }

    def lines(self) -> Iterator[str]:
        for name, number in self._numbers():
            label, explained = WORDS[name]
            if name in _SHOWN[self.stage] and (number or name in _ALWAYS):
                if self.stage == "plan" and name in ("written", "removed"):
                    label = f"would be {label}"
                elif self.stage == "rollback" and name == "written":
                    label = "written back"
                yield f"{label:<22}{number:>10,}{'  ' + explained if explained and number else ''}"
        for name in _TALLIES:
            tally: Tally = getattr(self, name)
            if name in _SHOWN[self.stage] and tally.listed:
                yield from _examples(WORDS[name][0], tally)
        if self.resumed:
            yield f"went on after {self.resumed:,} rows"
        if self.rows > self.resumed and self.seconds:
            yield f"{self.seconds:,.1f} s, {(self.rows - self.resumed) / self.seconds:,.0f} rows a second"

    def _numbers(self) -> Iterator[tuple[str, int]]:
        for name in WORDS:
            value = getattr(self, name)
            yield name, value if isinstance(value, int) else value.count


WORDS = {
    "rows": ("rows read", ""),
    "written": ("written", ""),
    "removed": ("taken out", ""),
    "unchanged": ("as they should be", ""),
    "ahead": ("new table ahead", "(changed there since; they stay)"),
    "conflicts": ("conflicts", "(two rows, one place: the newest stays, the others are kept in its legacy.conflicts)"),
    "over": ("over", "(more than a week after the lesson: their time to live has passed; not moved)"),
    "unusable": ("unusable", "(not moved; they stay in the old table)"),
    "shortened": ("shortened", "(too large for one item: what is left out stays in the old table and in its backup)"),
    "contacts": ("contacts brought", ""),
    "unlisted": ("not in the timetable", "(their lesson is not there: nobody watches it; they can leave)"),
    "silent": ("silent", "(they wait, and nobody could tell them: no address here, or openings muted)"),
    "drift": ("drift", ""),
}
_TALLIES = ("conflicts", "ahead", "unusable", "shortened", "unlisted", "silent", "drift")
_COUNTS = ("rows", "written", "removed", "unchanged", "over", "contacts")
_ALWAYS = ("rows", "written", "unchanged", "drift")
_MOVING = ("rows", "written", "removed", "unchanged", "ahead", "conflicts", "over", "unusable", "shortened", "contacts")
_SHOWN = {
    "plan": _MOVING,
    "run": (*_MOVING, "drift"),
    "verify": (
        "rows",
        "unchanged",
        "ahead",
        "conflicts",
        "over",
        "unusable",
        "shortened",
        "unlisted",
        "silent",
        "drift",
    ),
    "cutover": ("rows", "unchanged", "ahead", "conflicts", "over", "unusable", "unlisted", "silent", "drift"),
    "rollback": ("written", "removed", "ahead"),
}


def _examples(label: str, tally: Tally) -> Iterator[str]:
    yield f"{label}:"
    for entry in tally.listed[:SHOWN_MAX]:
        yield "  " + "  ".join(f"{value}" if name != "key" else _key(value) for name, value in entry.items())
    if tally.count > SHOWN_MAX:
        yield f"  … {tally.count - SHOWN_MAX:,} more; --report FILE lists them"


def _key(key: Mapping[str, Any]) -> str:
    return " ".join(str(value) for value in key.values())
