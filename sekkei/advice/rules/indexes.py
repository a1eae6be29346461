"""Indexes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from sekkei.advice.facts import Facts, Read, is_constant, is_day, is_few
from sekkei.advice.findings import Finding, finding
from sekkei.design import Entity, Index, Table, Update

AMPLIFIED = 2.0
"""Units of indexes for one unit of the item, from which on a write is worth a look."""


def _place(table: Table, index: Index) -> str:
    return f"{table.name}.{index.name}"


def local_indexes(facts: Facts) -> Iterator[Finding]:
    for table, index in facts.indexes:
        if index.local:
            yield finding("R17", _place(table, index), "a partition with it holds at most 10 GB")


def few_partitions(facts: Facts) -> Iterator[Finding]:
    for table, index in facts.indexes:
        if index.local:
            continue
        for entity in facts.holders(table, index):
            templates = [entity.template_for(name) for name in index.pk]
            known = [template for template in templates if template is not None]
            text = " + ".join(template.text for template in known)
            if all(is_constant(template) or is_few(template) for template in known):
                yield finding("R21", _place(table, index), f'every {entity.name} is under "{text}"')
            elif all(is_day(template) for template in known):
                yield finding("R21", _place(table, index), f'all of a day\'s {entity.name} are under "{text}"')


def less_capacity(facts: Facts) -> Iterator[Finding]:
    for table, index in facts.indexes:
        if table.capacity is None or index.capacity is None or index.capacity.write >= table.capacity.write:
            continue
        yield finding(
            "R22", _place(table, index), f"{index.capacity.write} write units, the table has {table.capacity.write}"
        )


def moving_keys(facts: Facts) -> Iterator[Finding]:
    for pattern in facts.design.patterns.values():
        once = {
            change.field.stored
            for write in facts.writes
            if write.pattern is pattern and isinstance(write.action, Update)
            for change in write.action.changes
            if change.kind == "default"
        }
        for plan in pattern.plans:
            table = facts.design.tables.get(plan.table)
            if table is None or not plan.changes:
                continue
            changed = {name for name in plan.changes if name not in once and not _may_be_absent(table, name)}
            moved = [index.name for index in table.indexes.values() if set(index.attributes) & changed]
            if moved:
                units = facts.units(pattern.name)
                figure = "" if units is None else f"{units.write:g} write units"
                yield finding("R23", pattern.name, f"it moves the item in {', '.join(moved)}", figure)


def _may_be_absent(table: Table, stored: str) -> bool:
    """With such a key an item enters its index or leaves it: one write, not two."""
    fields = [field for entity in table.entities if (field := entity.model.by_stored.get(stored)) is not None]
    return bool(fields) and all(field.optional and field.absent_as is None for field in fields)


def amplified_writes(facts: Facts) -> Iterator[Finding]:
    for name in facts.design.patterns:
        units = facts.units(name)
        if units is None or not units.write:
            continue
        for_indexes = sum(units.indexes.values())
        own = units.write - for_indexes
        if for_indexes > AMPLIFIED * max(own, 1.0):
            most = ", ".join(
                f"{index} {part:g}" for index, part in sorted(units.indexes.items(), key=lambda i: -i[1])[:4]
            )
            yield finding("R24", name, f"most of it is for indexes ({most})", f"{units.write:g} units, {own:g} its own")


def lookups(facts: Facts) -> Iterator[Finding]:
    """An index whose whole key is given, with nothing to sort by: whoever asks wants what this key names."""
    for table, index in facts.indexes:
        reads = facts.reads_of(table, index)
        if index.local or index.sk or not reads:
            continue
        for read in reads:
            yield finding("R27", read.pattern.name, f"it looks up by the whole key of {_place(table, index)}")
        for entity in facts.holders(table, index):
            yield from _as_if_unique(_place(table, index), entity, index, reads)


def _as_if_unique(place: str, entity: Entity[..., Any], index: Index, reads: list[Read]) -> Iterator[Finding]:
    """A page of one item says so; a name, such as email, does not."""
    named = next((field for name in index.pk if (field := entity.model.by_stored.get(name)) is not None), None)
    alone = [read.pattern.name for read in reads if read.query.size == 1 and entity in read.query.entities]
    if named is not None and alone and not _is_declared_unique(entity, named.name):
        yield finding("R38", place, f"{', '.join(alone)} asks for one item by {named.label}, as if it were unique")


def _is_declared_unique(entity: Entity[..., Any], name: str) -> bool:
    """By itself, or folded: username, or username_folded."""
    marked = {component.field.name for unique in entity.uniques for component in unique.template.components}
    return any(f"{mark}_".startswith(f"{name}_") for mark in marked)


def sparse(facts: Facts) -> Iterator[Finding]:
    for table, index in facts.indexes:
        for entity in facts.holders(table, index):
            fields = [entity.model.by_stored.get(name) for name in index.attributes]
            missing = [f.name for f in fields if f is not None and f.optional and f.absent_as is None and not f.derived]
            if missing:
                yield finding("R28", _place(table, index), f"{entity.name} without {', '.join(missing)} are not in it")


def undistinguished(facts: Facts) -> Iterator[Finding]:
    for table, index in facts.indexes:
        holders = facts.holders(table, index)
        if len(holders) < 2:
            continue
        names = ", ".join(entity.name for entity in holders)
        projected = index.projection == "ALL" or table.discriminator in (*index.projection, *index.attributes)
        if table.discriminator is None or not projected:
            yield finding("R29", _place(table, index), f"it holds {names}")


def unused(facts: Facts) -> Iterator[Finding]:
    for table, index in facts.indexes:
        if not facts.reads_of(table, index):
            yield finding("R31", _place(table, index), "no pattern reads it")
    for table in facts.tables:
        for one, other in combinations(table.indexes.values(), 2):
            if one.attributes == other.attributes and one.local == other.local:
                yield finding("R31", _place(table, other), f"it has the same keys as {one.name}")


def wide_projections(facts: Facts) -> Iterator[Finding]:
    for table, index in facts.indexes:
        needed = facts.needed(table, index)
        if index.projection == "ALL" and needed is not None:
            yield finding("R24", _place(table, index), f"ALL is projected, and its patterns read {', '.join(needed)}")


CHECKS = (
    local_indexes,
    few_partitions,
    less_capacity,
    moving_keys,
    amplified_writes,
    wide_projections,
    lookups,
    sparse,
    undistinguished,
    unused,
)
