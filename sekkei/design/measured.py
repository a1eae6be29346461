"""What each pattern cost when it was last measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


WIDTH = 240
"""Characters of a line of JSON at most, where it can be broken."""


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
        return cls({name: Units(**values) for name, values in found.items()})

    def save(self, path: Path) -> None:
        content = {name: _shown(units) for name, units in sorted(self.units.items())}
        path.write_text(lines_of(content) + "\n", encoding="utf-8")


def lines_of(value: Any, indent: str = "") -> str:
    """Write JSON for people who read differences: what fits stands on one line, the rest has one part a line."""
    import json

    whole = json.dumps(value, ensure_ascii=False)
    if len(indent + whole) <= WIDTH or not isinstance(value, dict | list):
        return whole
    inner = indent + " "
    if isinstance(value, dict):
        parts = [f"{inner}{json.dumps(key)}: {lines_of(part, inner)}" for key, part in value.items()]
    else:
        parts = [inner + lines_of(part, inner) for part in value]
    first, last = ("{", "}") if isinstance(value, dict) else ("[", "]")
    return "\n".join((first, ",\n".join(parts), indent + last))


def _shown(units: Units) -> dict[str, Any]:
    """Without what is as it mostly is."""
    empty = Units(-1.0, -1.0, -1)
    return {name: value for name, value in units._asdict().items() if value != getattr(empty, name)}


def _total(capacity: Any) -> float:
    if isinstance(capacity, list):
        return sum(_total(one) for one in capacity)
    return float(capacity.get("CapacityUnits", 0.0)) if capacity else 0.0
