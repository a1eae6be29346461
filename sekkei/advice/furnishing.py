"""A design's tables in memory with made-up items, for whoever wants to see a design at work before there is data."""

from __future__ import annotations

from sekkei.advice import believable
from sekkei.clock import SYSTEM
from sekkei.design import Design, Entity, tables
from sekkei.store import Store

ITEMS = 24
"""Of each entity."""
PER_PARTITION = 6


async def furnished(design: Design, env: str) -> Store:
    """A store that has the design's tables and some believable items of every entity."""
    from sekkei.store import Embedded  # only here: a function that shows the console has no engine

    store = Embedded()
    await tables.create(store, design, env, SYSTEM)
    for table in design.tables.values():
        for entity in table.entities:
            await _fill(store, design.table_name(table, env), entity)
    return store


async def _fill(store: Store, name: str, entity: Entity[..., object]) -> None:
    for number in range(ITEMS):
        try:
            item = entity.encode(believable.instance(entity, number, PER_PARTITION))
        except believable.Unbelievable:
            return
        await store.call("PutItem", {"TableName": name, "Item": item})


def example_of(design: Design, pattern: str) -> dict[str, object]:
    """Arguments for which a pattern finds something among these items; none when they cannot be made up."""
    try:
        return believable.arguments(design, pattern, 0, PER_PARTITION)
    except (believable.Unbelievable, ValueError, TypeError, LookupError):
        return {}
