"""The rules: each a function from the facts of a design to findings. `rules.toml` holds their words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

from sekkei.advice.facts import Facts, Read, is_constant, is_day, is_few, key_templates
from sekkei.advice.findings import Finding, finding
from sekkei.advice.sizes import item_bytes
from sekkei.design import Entity, Index, Put, Table, Update
from sekkei.design.ambiguity import overlap
from sekkei.design.codecs import Approximate, Day, Elements, Instant, Integer, Several
from sekkei.design.key_ranges import others_in

# Keys and partitions.


def _few_partitions(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        for entity in table.entities:
            key = entity.keys[table.pk]
            varies = any(not is_constant(template) for template in entity.keys.values())
            if is_few(key) and varies:
                yield finding("R1", f"{table.name}: {entity.name}", f'every item has {table.pk} = "{key.text}"')


def _days_as_partitions(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        for entity in table.entities:
            if is_day(entity.keys[table.pk]):
                yield finding("R3", f"{table.name}: {entity.name}", f'{table.pk} = "{entity.keys[table.pk].text}"')


def _rising_sort_keys(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        for entity in table.entities:
            if table.sk is None or not (is_few(entity.keys[table.pk]) or is_day(entity.keys[table.pk])):
                continue
            sort = entity.keys[table.sk]
            if sort.components and isinstance(sort.components[0].codec, Day | Instant):
                yield finding("R4", f"{table.name}: {entity.name}", f'{table.sk} = "{sort.text}" rises with time')


def _one_item_for_all(facts: Facts) -> Iterator[Finding]:
    for write in facts.writes:
        action = write.action
        alone = all(is_constant(template) for template in action.entity.keys.values())
        if alone and isinstance(action, Update):
            yield finding(
                "R5", write.pattern.name, f"there is one item of {action.entity.name}, and every call writes it"
            )


def _prefixes_inside_parts(facts: Facts) -> Iterator[Finding]:
    for read in facts.reads:
        for test in read.query.tests:
            if test.operator != "begins_with":
                continue
            text = next(iter(test.operands[0].values()))
            template = read.query.view.entity.template_for(test.attribute)
            if template is not None and isinstance(text, str) and text.endswith("}") and not template.whole:
                yield finding("R9", read.pattern.name, f"begins_with({test.attribute}, {text!r}) has no end")


def _keys_that_meet(facts: Facts) -> Iterator[Finding]:
    everybody = [entity for table in facts.tables for entity in table.entities]
    for table in facts.tables:
        for one, other in combinations(table.entities, 2):
            pairs = [
                (name, product(key_templates(one, name, everybody), key_templates(other, name, everybody)))
                for name in table.key_attributes
            ]
            meeting = [(name, next((p for p in both if overlap(*p)), None)) for name, both in pairs]
            if all(pair is not None for _, pair in meeting):
                made = ", ".join(f'{name} "{p[0].text}" and "{p[1].text}"' for name, p in meeting if p is not None)
                yield finding("R11", f"{table.name}: {one.name}, {other.name}", f"their keys can be equal: {made}")


def _floats_as_keys(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        names = {*table.key_attributes, *(a for index in table.indexes.values() for a in index.attributes)}
        for entity in table.entities:
            for name in sorted(names):
                template = entity.template_for(name)
                if template is not None and any(isinstance(c.codec, Approximate) for c in template.components):
                    yield finding("R14", f"{table.name}: {entity.name}", f"{name} is a float")


_KEYS = (
    _few_partitions,
    _days_as_partitions,
    _rising_sort_keys,
    _one_item_for_all,
    _prefixes_inside_parts,
    _keys_that_meet,
    _floats_as_keys,
)


# Items and collections.


LARGE_BYTES = 100_000
_MANY_UNITS_BYTES = 4_096
_KEY_WARN = {"pk": 1_536, "sk": 768}


def _largest(entity: Entity[..., object]) -> int:
    return max((item_bytes(entity.encode(one)) for one in entity.examples), default=0)


def _large_items(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        for entity in table.entities:
            size = _largest(entity)
            if size > LARGE_BYTES:
                yield finding("R15", f"{table.name}: {entity.name}", "an example of it is large", f"{size:,} bytes")


def _long_keys(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        for entity in table.entities:
            for one in entity.examples:
                for name, kind in zip(table.key_attributes, _KEY_WARN, strict=False):
                    size = len(str(next(iter(entity.ref_of(one).key[name].values()))).encode())
                    if size > _KEY_WARN[kind]:
                        yield finding("R8", f"{table.name}: {entity.name}", f"{name} of an example", f"{size} bytes")


def _growing_lists(facts: Facts) -> Iterator[Finding]:
    for write in facts.writes:
        if not isinstance(write.action, Update):
            continue
        for change in write.action.changes:
            grows = change.kind in ("append", "prepend") or (
                change.kind == "add" and isinstance(change.field.codec, Several | Elements)
            )
            if grows:
                yield finding("R16", write.pattern.name, f"{change.field.label} grows with every call")


def _counters_in_large_items(facts: Facts) -> Iterator[Finding]:
    for write in facts.writes:
        action = write.action
        if not isinstance(action, Update) or _largest(action.entity) <= _MANY_UNITS_BYTES:
            continue
        for change in action.changes:
            if change.kind == "add" and isinstance(change.field.codec, Integer):
                size = _largest(action.entity)
                yield finding("R18", write.pattern.name, f"{change.field.label} is counted there", f"{size:,} bytes")


_ITEMS = (_large_items, _long_keys, _growing_lists, _counters_in_large_items)


# Indexes.


_AMPLIFIED = 2.0
"""Units of indexes for one unit of the item, from which on a write is worth a look."""


def _place(table: Table, index: Index) -> str:
    return f"{table.name}.{index.name}"


def _local_indexes(facts: Facts) -> Iterator[Finding]:
    for table, index in facts.indexes:
        if index.local:
            yield finding("R17", _place(table, index), "a partition with it holds at most 10 GB")


def _few_index_partitions(facts: Facts) -> Iterator[Finding]:
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


def _less_capacity(facts: Facts) -> Iterator[Finding]:
    for table, index in facts.indexes:
        if table.capacity is None or index.capacity is None or index.capacity.write >= table.capacity.write:
            continue
        yield finding(
            "R22", _place(table, index), f"{index.capacity.write} write units, the table has {table.capacity.write}"
        )


def _moving_keys(facts: Facts) -> Iterator[Finding]:
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


def _amplified_writes(facts: Facts) -> Iterator[Finding]:
    for name in facts.design.patterns:
        units = facts.units(name)
        if units is None or not units.write:
            continue
        for_indexes = sum(units.indexes.values())
        own = units.write - for_indexes
        if for_indexes > _AMPLIFIED * max(own, 1.0):
            most = ", ".join(
                f"{index} {part:g}" for index, part in sorted(units.indexes.items(), key=lambda i: -i[1])[:4]
            )
            yield finding("R24", name, f"most of it is for indexes ({most})", f"{units.write:g} units, {own:g} its own")


def _lookups(facts: Facts) -> Iterator[Finding]:
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


def _undistinguished(facts: Facts) -> Iterator[Finding]:
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


def _wide_projections(facts: Facts) -> Iterator[Finding]:
    for table, index in facts.indexes:
        needed = facts.needed(table, index)
        if index.projection == "ALL" and needed is not None:
            yield finding("R24", _place(table, index), f"ALL is projected, and its patterns read {', '.join(needed)}")


_INDEXES = (
    _local_indexes,
    _few_index_partitions,
    _less_capacity,
    _moving_keys,
    _amplified_writes,
    _wide_projections,
    _lookups,
    sparse,
    _undistinguished,
    unused,
)


# What patterns do.


_KEPT_MIN = 0.5
ACTIONS_MAX = 100


def scans(facts: Facts) -> Iterator[Finding]:
    for pattern in facts.design.patterns.values():
        for plan in pattern.plans:
            if plan.operation == "Scan":
                why = f"it says why: {pattern.scan}" if pattern.scan else "it reads everything"
                yield finding("R33", pattern.name, why, severity="info" if pattern.scan else None)


def filters(facts: Facts) -> Iterator[Finding]:
    for read in facts.reads:
        units = facts.units(read.pattern.name)
        if not read.query.filters or read.query.scanning or units is None or not units.items_read:
            continue
        kept = units.items / units.items_read
        if kept < _KEPT_MIN:
            figure = f"{units.items} of {units.items_read} items kept, {units.read:g} read units"
            yield finding("R34", read.pattern.name, "its filter drops most of what it reads", figure)


def transactions(facts: Facts) -> Iterator[Finding]:
    together = {write.pattern.name: write.together for write in facts.writes if write.together > 1}
    for name, count in together.items():
        units = facts.units(name)
        figure = "" if units is None else f"{units.write:g} write units"
        yield finding("R37", name, f"{count} actions together", figure, "error" if count > ACTIONS_MAX else None)


def _blind_writes(facts: Facts) -> Iterator[Finding]:
    for write in facts.writes:
        action = write.action
        if (
            isinstance(action, Put)
            and action.mode == "put"
            and not action.conditions
            and action.entity.model.version is None
        ):
            yield finding("R39", write.pattern.name, f"{action.entity.name}.put(...) has no condition and no version")


def _expired_shown(facts: Facts) -> Iterator[Finding]:
    for read in facts.reads:
        if read.query.expired and read.query.view.table.ttl is not None:
            yield finding("R42", read.pattern.name, "it shows items whose time is over")


def strangers(facts: Facts) -> Iterator[Finding]:
    for read in facts.reads:
        others = [] if read.query.scanning else [entity.name for entity in others_in(read.query)]
        units = facts.units(read.pattern.name)
        if not others or (units is not None and units.items_read <= units.items):
            continue
        figure = "" if units is None else f"{units.items_read} items read for {units.items}"
        yield finding("R48", read.pattern.name, f"items of {', '.join(others)} can lie in its range", figure)


_OPERATIONS = (scans, filters, transactions, _blind_writes, _expired_shown, strangers)


# Tables: time to live, streams, and not losing them.


def timers(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        if table.ttl is not None and table.stream is not None:
            yield finding("R43", table.name, f"{table.ttl} ends items, and the stream tells of it late")


def images(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        if table.stream is not None and table.stream != "NEW_AND_OLD_IMAGES":
            yield finding("R44", table.name, f"its stream carries {table.stream}")


def _losable(facts: Facts) -> Iterator[Finding]:
    for table in facts.tables:
        lacking = [name for name in ("pitr", "deletion_protection") if not getattr(table, name)]
        if lacking:
            yield finding("R47", table.name, f"it has no {' and no '.join(lacking)}")


_TABLES = (timers, images, _losable)


# What so many users ask for; only where it is declared what one of them does.


_FIRST_READ = 12_000.0
_FIRST_WRITE = 4_000.0


def _hot_keys(facts: Facts) -> Iterator[Finding]:
    """R2 for keys, R6 for tables: the walls that lie before so many users."""
    for wall in facts.walls:
        figure = f"from {wall.users:,} users on"
        if wall.key:
            text = f'the hottest key of "{wall.key}" is asked for more {wall.kind} units than a partition gives'
            yield finding("R2", wall.place, text, figure)
        else:
            yield finding("R6", wall.place, f"more than 40,000 {wall.kind} units a second", figure)


def launches(facts: Facts) -> Iterator[Finding]:
    for place, (read, write) in facts.peaks.items():
        if read > _FIRST_READ or write > _FIRST_WRITE:
            yield finding("R7", place, "the busiest hour", f"{read:,.0f} read and {write:,.0f} write units a second")


_BUSY = (_hot_keys, launches)

Check = Callable[[Facts], Iterator[Finding]]
CHECKS: tuple[Check, ...] = (*_KEYS, *_ITEMS, *_INDEXES, *_OPERATIONS, *_TABLES, *_BUSY)
