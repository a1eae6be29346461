"""Small designs, each with one mistake or without it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from enum import Enum
from typing import Any

from sekkei.advice.checking import check
from sekkei.advice.scale import scale_of
from sekkei.advice.workload import Traffic
from sekkei.design import Attr, Design, Index, Key, Measurements, Units, attr, model, part


class State(Enum):
    OPEN = "open"
    DONE = "done"


@model
class Thing:
    owner: Attr[str] = part()
    id: Attr[str] = part()
    state: Attr[State] = attr(default=State.OPEN)
    day: Attr[date] = attr(default=date(2026, 11, 15))
    at: Attr[datetime] = attr(default=datetime(2026, 11, 15, tzinfo=UTC))
    email: Attr[str] = attr(default="a@example.com")
    seen: Attr[int] = attr(default=0)
    log: Attr[list[str]] = attr(default_factory=list)
    note: Attr[str | None] = attr(default=None)


def thing_design(*indexes: Index, **options: Any) -> tuple[Design, Any]:
    """One table of things by owner, safe from loss unless it says otherwise."""
    design = Design("small")
    table = design.table(
        "things", "PK", "SK", indexes=indexes, **{"pitr": True, "deletion_protection": True, **options}
    )

    @table.entity(Thing)
    def things(owner: str, id: str) -> Key:
        return Key(f"OWNER#{owner}", f"THING#{id}")

    return design, things


def found(design: Design, units: dict[str, Units] | None = None, users: int = 0) -> dict[str, set[str]]:
    """Rule to the places it speaks of. Every user runs every measured pattern ten times a day."""
    result: dict[str, set[str]] = {}
    measured = Measurements(units)
    scale = scale_of(design, Traffic(patterns=dict.fromkeys(units or {}, 10.0)), {}, measured) if users else None
    for each in check(design, measured, scale=scale, users=users):
        result.setdefault(each.rule.id, set()).add(each.place)
    return result
