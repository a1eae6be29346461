"""Indexes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sekkei.advice.facts import Facts, Read, is_constant, is_day, is_few
from sekkei.advice.findings import Finding, finding
from sekkei.design import Index, Table

UNIQUE_BY_NATURE = frozenset({"email", "username", "handle", "login"})
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
        for plan in pattern.plans:
            table = facts.design.tables.get(plan.table)
            if table is None or not plan.changes:
                continue
            moved = [i.name for i in table.indexes.values() if set(i.attributes) & set(plan.changes)]
            if moved:
                units = facts.units(pattern.name)
                figure = "" if units is None else f"{units.write:g} write units"
                yield finding("R23", pattern.name, f"it moves the item in {', '.join(moved)}", figure)


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
    for table, index in facts.indexes:
        reads = [read for read in facts.reads_of(table, index) if not _finds_many(read)]
        if index.local or index.sk or not reads:
            continue
        for read in reads:
            yield finding("R27", read.pattern.name, f"it finds one item through {_place(table, index)}")
        for entity in facts.holders(table, index):
            fields = [entity.model.by_stored.get(name) for name in index.pk]
            named = next((field for field in fields if field is not None), None)
            marked = {c.field.name for unique in entity.uniques for c in unique.template.components}
            if named is None or named.name not in UNIQUE_BY_NATURE:
                continue
            if not any(f"{mark}_".startswith(f"{named.name}_") for mark in marked):  # username, or username_folded
                yield finding("R38", _place(table, index), f"{named.label} is looked up as if it were unique")


def _finds_many(read: Read) -> bool:
    """`sessions_of` speaks of sessions, `session_by_token` of one."""
    return any(entity.name in read.pattern.name for entity in read.query.entities)


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
        reads = facts.reads_of(table, index)
        if index.projection != "ALL" or not reads or any(read.query.shape is None for read in reads):
            continue
        shapes = [read.query.shape for read in reads if read.query.shape is not None]
        needed = sorted({field.stored for shape in shapes for field in shape.fields.values() if field.is_stored})
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
