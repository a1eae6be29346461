"""What each pattern cost when it was last measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class Units(NamedTuple):
    """Capacity units of one run of a pattern, and how many items it returned."""

    read: float
    write: float
    items: int

    def __str__(self) -> str:
        shown = [f"{amount:g} {name}" for amount, name in ((self.read, "read"), (self.write, "write")) if amount]
        return f"{' + '.join(shown) or '0'} units, {self.items} items"


class Measurements:
    """Units by pattern name; kept in a JSON file so that the document can show them."""

    def __init__(self, units: Mapping[str, Units] | None = None) -> None:
        self.units: dict[str, Units] = dict(units or {})

    def record(self, pattern: str, responses: list[Any], writing: bool, items: int) -> None:
        """`responses` are the ConsumedCapacity members of one run's answers."""
        total = sum(_total(one) for one in responses)
        self.units[pattern] = Units(0.0, total, items) if writing else Units(total, 0.0, items)

    @classmethod
    def load(cls, path: Path) -> Measurements:
        if not path.exists():
            return cls()
        found = json.loads(path.read_text(encoding="utf-8"))
        return cls({name: Units(*values) for name, values in found.items()})

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(dict(sorted(self.units.items())), indent=1) + "\n", encoding="utf-8")


def _total(capacity: Any) -> float:
    if isinstance(capacity, list):
        return sum(_total(one) for one in capacity)
    return float(capacity.get("CapacityUnits", 0.0)) if capacity else 0.0
