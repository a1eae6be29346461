"""Which entities belong to which: read off the keys, and what the design says with `relate`.

An entity whose keys (its own, or those of an index) carry the whole key of another belongs to it: a notice is found by
guild_id and event_id, the key of an event. What follows from two others (event → notice → ack makes event → ack) is
left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sekkei.design import Design, Entity, UniqueKey

AnyEntity = Entity[..., Any]


class Relation(NamedTuple):
    parent: AnyEntity
    child: AnyEntity
    many: bool  # one parent has many children, or at most one


def entities_of(design: Design) -> list[AnyEntity]:
    """Every entity but uniqueness markers, in the order of declaration."""
    everyone = (entity for table in design.tables.values() for entity in table.entities)
    return [entity for entity in everyone if entity.model.cls is not UniqueKey]


def relations(design: Design) -> list[Relation]:
    """Parents and children, without what follows from others."""
    entities = entities_of(design)
    first: dict[frozenset[str], int] = {}
    for number, entity in enumerate(entities):
        first.setdefault(frozenset(entity.key_fields), number)  # of several with one key, the first stands for it
    owned = {
        (i, j)
        for i in first.values()
        for j, child in enumerate(entities)
        if entities[i].key_fields
        and entities[i].key_fields < _findable(child)
        and entities[i].key_fields != child.key_fields
    }
    told = [entities.index(child) for _, child in design.related if child in entities]
    children = {j for _, j in owned} | set(told)
    beside = {
        (i, j)
        for j, entity in enumerate(entities)
        if (i := first[frozenset(entity.key_fields)]) != j and i not in children and j not in children
    }
    pairs = [(pair, True) for pair in sorted(owned) if not _follows(pair, owned)] + [
        (pair, False) for pair in sorted(beside)
    ]
    said = [Relation(parent, child, True) for parent, child in design.related]
    return [Relation(entities[i], entities[j], many) for (i, j), many in pairs] + said


def _findable(entity: AnyEntity) -> set[str]:
    """The attributes that an item is found by: parts of its key and of its index keys."""
    found = set(entity.key_fields)
    for index in entity.table.indexes.values():
        for attribute in index.attributes:
            template = entity.template_for(attribute)
            if template is not None:
                found |= {component.field.name for component in template.components}
    return found


def _follows(pair: tuple[int, int], owned: set[tuple[int, int]]) -> bool:
    """Is there a way from parent to child through a third?"""
    first, last = pair
    others = {one for pairs in owned for one in pairs} - {first, last}
    return any((first, middle) in owned and (middle, last) in owned for middle in others)
