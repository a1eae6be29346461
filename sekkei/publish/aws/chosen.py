"""A design with what whoever publishes it chooses: tags, and provisioned units reckoned from measured ones."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Mapping
from math import ceil

from sekkei.design import Capacity, Design, Measurements, Pattern, Table
from sekkei.design.limits import check_tags


def chosen(design: Design, tags: Mapping[str, str], units: Mapping[str, Capacity]) -> Design:
    """The same design, with these tags on every table, and with the units of each `table` and `table.index`."""
    found = copy.copy(design)
    found.tables = {name: _table(table, tags, units) for name, table in design.tables.items()}
    return found


def _table(table: Table, tags: Mapping[str, str], units: Mapping[str, Capacity]) -> Table:
    found = copy.copy(table)
    found.tags = {**table.tags, **tags}
    check_tags(table.name, found.tags)
    if table.name in units:
        found.capacity = units[table.name]
        found.indexes = {name: copy.copy(index) for name, index in table.indexes.items()}
        for name, index in found.indexes.items():
            index.capacity = None if index.local else units[f"{table.name}.{name}"]
    return found


def units_for(
    design: Design, measurements: Measurements, rates: Mapping[str, float], peak: float
) -> dict[str, Capacity]:
    """What each table that the rates touch needs in its busiest hour, and what its indexes need; raises LookupError."""
    read, write = defaultdict[str, float](float), defaultdict[str, float](float)
    touched: set[str] = set()
    for name, rate in rates.items():
        pattern = design.patterns.get(name)
        if pattern is None:
            raise LookupError(f"{design.name} has no pattern {name}. It has: {', '.join(sorted(design.patterns))}.")
        if name not in measurements.units:
            raise LookupError(f"{name} is not measured yet. Run `sekkei measure {design.name}` first.")
        units = measurements.units[name]
        touched |= {plan.table for plan in pattern.plans}
        for asked, total in ((read, units.read), (write, units.write)):
            for place, part in _parts(pattern, total, units.indexes if total else {}).items():
                asked[place] += part * rate * peak
    places = {place for name in touched for place in _places(design.tables[name])}
    return {place: Capacity(max(1, ceil(read[place])), max(1, ceil(write[place]))) for place in sorted(places)}


def _parts(pattern: Pattern[..., object], total: float, indexes: Mapping[str, float]) -> dict[str, float]:
    """The units of one run by place. What the indexes did not take is spread evenly over the tables that were asked."""
    rest = total - sum(indexes.values())
    asked = [plan.table for plan in pattern.plans if plan.index is None] or [plan.table for plan in pattern.plans]
    found = dict(indexes)
    for table in asked:
        found[table] = found.get(table, 0.0) + rest / len(asked)
    return found


def _places(table: Table) -> list[str]:
    return [table.name, *(f"{table.name}.{index.name}" for index in table.indexes.values() if not index.local)]
