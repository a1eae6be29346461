"""Runs every pattern of a design on an embedded store full of believable items, and notes what each cost.

    measured = await measure(design)
    measured.units["board"].read

A read is tried with several arguments until it finds something. Before a write, the stage is set: what it meets there
is what its conditions ask for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

from sekkei.advice import sample_data
from sekkei.advice.metering import Recording, Tally
from sekkei.advice.real_items import Stock
from sekkei.advice.sample_data import set_the_stage
from sekkei.clock import ManualClock
from sekkei.design import (
    Action,
    ConditionFailed,
    Database,
    Design,
    Measurements,
    Pattern,
    Query,
    Ref,
    SekkeiError,
    Transaction,
    TransactionFailed,
    Units,
    tables,
)
from sekkei.errors import DynamoDBError
from sekkei.store import Embedded

ENV = "measure"
ITEMS = 200
TRIES_MAX = 8
_STOCK_TRIES = 25
"""Real partitions differ in size; of so many runs the one in the middle is kept."""
BATCH = 25
Progress = Callable[[str, int, int], None]


class Measured(Measurements):
    """Units by pattern, and why some patterns have none."""

    def __init__(self) -> None:
        super().__init__()
        self.left_out: dict[str, str] = {}


async def measure(
    design: Design,
    *,
    items: int = ITEMS,
    per_partition: int = sample_data.PER_PARTITION,
    progress: Progress = lambda what, done, of: None,
    stock: Stock | None = None,
) -> Measured:
    """Every pattern, on a store in memory with so many items of each entity, or with real ones."""
    clock = ManualClock(sample_data.NOW.timestamp())
    store = Recording(Embedded(clock=clock))
    db = design.open(store, env=ENV, clock=clock)
    found = Measured()
    try:
        await tables.create(store, design, ENV, clock)
        refused = await (_fill(db, items, per_partition, progress) if stock is None else _stocked(db, stock, progress))
        for number, (name, pattern) in enumerate(design.patterns.items()):
            progress(f"measuring {name}", number, len(design.patterns))
            group = number % max(1, items // per_partition)
            made_up = _Made(
                group * per_partition, per_partition, sample_data.instance if stock is None else stock.instance
            )
            result = await _measure_one(db, store, pattern, made_up, typical=stock is not None)
            if isinstance(result, Units):
                found.units[name] = result
            else:
                missing = [refused[plan.table] for plan in pattern.plans if plan.table in refused]
                found.left_out[name] = missing[0] if missing else result
    finally:
        await store.close()
    return found


async def _fill(db: Database, items: int, per_partition: int, progress: Progress) -> dict[str, str]:
    """Put items of every entity; returns why there are none of some, by table."""
    refused: dict[str, str] = {}
    entities = [entity for table in db.design.tables.values() for entity in table.entities]
    for number, entity in enumerate(entities):
        progress(f"filling {entity.table.name} with {entity.name}", number, len(entities))
        try:
            made = [entity.encode(one) for one in sample_data.instances(entity, items, per_partition)]
        except sample_data.Unbelievable as error:
            refused[entity.table.name] = f"no believable items: {error}"
            continue
        keys = entity.table.key_attributes
        distinct = list({tuple(str(item[name]) for name in keys): item for item in made}.values())
        for start in range(0, len(distinct), BATCH):
            puts = [{"PutRequest": {"Item": item}} for item in distinct[start : start + BATCH]]
            await db.store.call("BatchWriteItem", {"RequestItems": {db.table_name(entity.table): puts}})
    return refused


async def _stocked(db: Database, stock: Stock, progress: Progress) -> dict[str, str]:
    for name, items in stock.items.items():
        table = db.design.tables[name]
        for start in range(0, len(items), BATCH):
            progress(f"filling {name}", start, len(items))
            batch = {tuple(str(one[key]) for key in table.key_attributes): one for one in items[start : start + BATCH]}
            puts = [{"PutRequest": {"Item": item}} for item in batch.values()]
            await db.store.call("BatchWriteItem", {"RequestItems": {db.table_name(table): puts}})
    return {}


class _Made(NamedTuple):
    """Where arguments come from."""

    first: int
    per_partition: int
    make: sample_data.Make


async def _measure_one(
    db: Database, store: Recording, pattern: Pattern[..., Any], made: _Made, *, typical: bool
) -> Units | str:
    """The first run that finds or writes anything, or the typical one; else one that found nothing, or why not."""
    idle: Units | None = None
    found: list[Units] = []
    why = "its arguments could not be made up"
    for number in range(made.first, made.first + (_STOCK_TRIES if typical else TRIES_MAX)):
        try:
            step = pattern(**sample_data.arguments(db.design, pattern.name, number, made.per_partition, made.make))
            await set_the_stage(db, step, number)
            store.tally = Tally()
            written = await _run(db, step)
            measured = _units(db.design, store.tally, written)
        except (ConditionFailed, TransactionFailed) as error:
            why = f"its conditions do not hold for made-up items: {error}"
            continue
        except (sample_data.Unbelievable, SekkeiError, DynamoDBError, ValueError, TypeError, LookupError) as error:
            why = str(error)
            continue
        if measured.items:
            found.append(measured)
            if not typical:
                break
        idle = idle or measured
    if found:
        return sorted(found, key=lambda units: units.read + units.write)[len(found) // 2]
    return idle if idle is not None else why


async def _run(db: Database, step: Any) -> int:
    """Carry out one step or several; returns how many items were written."""
    if isinstance(step, tuple):
        return sum([await _run(db, one) for one in step])
    if isinstance(step, Ref):
        await db.get(step)
    elif isinstance(step, Query):
        await db.page(step)
    elif isinstance(step, list):
        await db.get_many(step)
    elif isinstance(step, Transaction):
        await db.transact(step)
        return len(step.actions)
    elif isinstance(step, Action):
        await db.write(step)
        return 1
    return 0


def _units(design: Design, tally: Tally, written: int) -> Units:
    indexes = {_place(design, *names): units for names, units in sorted(tally.indexes.items()) if units}
    return Units(
        tally.read_units,
        tally.write_units,
        written or tally.items_returned,
        tally.items_read,
        tally.calls,
        tally.response_bytes,
        indexes,
    )


def _place(design: Design, stored_name: str, index: str) -> str:
    table = design.table_named(stored_name, ENV)
    return f"{stored_name if table is None else table.name}.{index}"


def measure_now(design: Design, **options: Any) -> Measured:
    """`measure`, for those who are not asynchronous."""
    return asyncio.run(measure(design, **options))
