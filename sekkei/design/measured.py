"""What each pattern cost when it was last measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class Units(NamedTuple):
    """Capacity units of one run of a pattern, and what it took and gave."""

    read: float
    write: float
    items: int
    """Returned, or written."""
    items_read: int = 0
    """Evaluated by the store, filtered ones included; those are paid for."""
    calls: int = 1
    response_bytes: int = 0
    indexes: Mapping[str, float] = {}
    """The part of the units that each index took, by `table.index`."""

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
        calls = len(responses)
        self.units[pattern] = Units(0.0, total, items, 0, calls) if writing else Units(total, 0.0, items, items, calls)

    @classmethod
    def load(cls, path: Path) -> Measurements:
        """An empty one when there is no file."""
        if not path.exists():
            return cls()
        import json

        found = json.loads(path.read_text(encoding="utf-8"))
        return cls({name: _units(values) for name, values in found.items()})

    def save(self, path: Path) -> None:
        content = {name: _shown(units) for name, units in sorted(self.units.items())}
        import json

        path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _units(stored: Any) -> Units:
    return Units(**stored) if isinstance(stored, dict) else Units(*stored)


def _shown(units: Units) -> dict[str, Any]:
    """Without what is as it mostly is."""
    empty = Units(-1.0, -1.0, -1)
    return {name: value for name, value in units._asdict().items() if value != getattr(empty, name)}


def _total(capacity: Any) -> float:
    if isinstance(capacity, list):
        return sum(_total(one) for one in capacity)
    return float(capacity.get("CapacityUnits", 0.0)) if capacity else 0.0
