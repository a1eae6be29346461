"""A store that notes, key by key, what every call costs: which partition key of which table and index was asked.

    journal = Journal(Embedded(), [(design, "test")])
    ... run something ...
    journal.charges      {("shop.by_status", "{status}"): Charge(read=0.5, write=0.0, splits=True)}

DynamoDB tells units by table and index, not by key. So a write is looked at from both sides: the item before and the
item after, read past the count, give the units of the item and of each of its index entries by the guide's formulas.
A test holds the sum of them against the engine's own count.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sekkei.advice.load import nature_of, splits_within
from sekkei.advice.recording import READS, WRITES, Tally
from sekkei.advice.sizes import STORAGE_OVERHEAD_BYTES, entry_of, index_write_units, item_bytes, write_units
from sekkei.clock import Clock
from sekkei.design import Design, Entity, Index, SekkeiError, Table
from sekkei.store.protocol import Request, Response, Store, version_of

Item = Mapping[str, Mapping[str, Any]]
Written = tuple[str, Item]
"""A table's name in the store, and a key in it."""
DAY = 86_400
YEAR_DAYS = 365


@dataclass(slots=True)
class Charge:
    """What was asked of the keys of one form at one place."""

    read: float = 0.0
    write: float = 0.0
    splits: bool = False
    """Can a hot key of this form be cut between its sort keys?"""
    nature: str = "zipf"
    """How such keys are asked for where nobody says so (`load.popularity_of`)."""


class Journal:
    """Passes calls on and notes them; `clear()` before what is to be noted."""

    def __init__(
        self, store: Store, designs: Sequence[tuple[Design, str]], clock: Clock, leave_out: Sequence[str] = ()
    ) -> None:
        self._store, self._clock, self._lock = store, clock, asyncio.Lock()
        self.answers_surely: bool = getattr(store, "answers_surely", False)
        self._tables = {d.table_name(table, env): table for d, env in designs for table in d.tables.values()}
        self._left_out = frozenset(leave_out)
        self.clear()

    def clear(self) -> None:
        self.tally = Tally()
        self.charges: dict[tuple[str, str], Charge] = {}
        self.byte_days: dict[str, float] = {}
        """By place: what a year keeps of it. A byte that stays counts 365, one that expires tomorrow counts one."""

    async def call(self, operation: str, request: Request) -> Response:
        if operation in WRITES:
            async with self._lock:
                return await self._write(operation, request)
        if operation not in READS:
            return await self._store.call(operation, request)
        response = await self._store.call(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})
        self.tally.add(operation, response)
        for name, index, keys, units in _read(operation, request, response):
            self._note_read(name, index, keys, units)
        return response

    def version(self) -> int | None:
        """As the store behind it, so that nobody asks in rounds, or tells others, what it can tell by itself."""
        return version_of(self._store)

    async def close(self) -> None:
        await self._store.close()

    async def _write(self, operation: str, request: Request) -> Response:
        written = list(_written(operation, request, self._tables))
        before = [await self._image(*one) for one in written]
        factor = 2.0 if operation == "TransactWriteItems" else 1.0
        try:
            response = await self._store.call(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})
        finally:
            for (name, key), old in zip(written, before, strict=True):
                self._note_write(name, key, old, await self._image(name, key), factor)
        self.tally.add(operation, response)
        return response

    async def _image(self, name: str, key: Item) -> Item | None:
        found = await self._store.call("GetItem", {"TableName": name, "Key": key, "ConsistentRead": True})
        item: Item | None = found.get("Item")
        return item

    def _note_write(self, name: str, key: Item, old: Item | None, new: Item | None, factor: float) -> None:
        table = self._tables.get(name)
        if table is None or table.name in self._left_out:
            return
        units = write_units(max(item_bytes(old or {}), item_bytes(new or {}))) * factor
        self._charge(table, None, new or old or key).write += units
        self._keep(table, None, old, new)
        for index in table.indexes.values():
            for entry, part in index_write_units(table, index, old, new):
                self._charge(table, index, entry).write += part  # once, also in a transaction
            self._keep(table, index, entry_of(table, index, old), entry_of(table, index, new))

    def _note_read(self, name: str, index: str | None, keys: list[Item], units: float) -> None:
        table = self._tables.get(name)
        if table is not None and table.name not in self._left_out:
            for key in keys:
                self._charge(table, table.indexes[index] if index else None, key).read += units / len(keys)

    def _charge(self, table: Table, index: Index | None, item: Item) -> Charge:
        hashes, sorts = _key(table, index)
        place = table.name if index is None else f"{table.name}.{index.name}"
        entities = _entities(table, hashes, sorts, item)
        form = " + ".join(_form(entities, name, item) for name in hashes)
        splits = any(splits_within(table, entity, index) for entity in entities)
        if not splits and sorts and entities:
            form += " / " + " + ".join(_form(entities, name, item) for name in sorts)
        nature = "one" if "{" not in form.partition(" / ")[0] else _nature(entities, hashes)
        return self.charges.setdefault((place, form), Charge(splits=splits and nature != "today", nature=nature))

    def _keep(self, table: Table, index: Index | None, old: Item | None, new: Item | None) -> None:
        before, after = (self._days(table, item) * _stored_bytes(item) for item in (old, new))
        if before != after:
            place = table.name if index is None else f"{table.name}.{index.name}"
            self.byte_days[place] = self.byte_days.get(place, 0.0) + after - before

    def _days(self, table: Table, item: Item | None) -> float:
        """How long it is kept: a year is what we look at, an expiry ends it earlier."""
        ends = (item or {}).get(table.ttl or "", {}).get("N")
        return YEAR_DAYS if ends is None else min(max(float(ends) - self._clock.now(), 0.0) / DAY, YEAR_DAYS)


def _stored_bytes(item: Item | None) -> int:
    return 0 if item is None else item_bytes(item) + STORAGE_OVERHEAD_BYTES


def _key(table: Table, index: Index | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if index is not None:
        return index.pk, index.sk
    return (table.pk,), () if table.sk is None else (table.sk,)


def _entities(table: Table, hashes: Sequence[str], sorts: Sequence[str], item: Item) -> list[Entity[..., Any]]:
    """Which entities the item can be of: one when it is whole, all that share the key when only that is known."""
    try:
        return [table.entity_of(item)]  # type: ignore[arg-type]
    except SekkeiError:
        known = [name for name in (*hashes, *sorts) if name in item]
    found = [(sum(map(len, literals)), entity) for entity in table.entities if (literals := _fits(entity, known, item))]
    closest = max((length for length, _ in found), default=0)
    return [entity for length, entity in found if length == closest]


def _fits(entity: Entity[..., Any], names: Sequence[str], item: Item) -> list[str]:
    """How the entity's keys begin, when they can be these."""
    templates = [entity.template_for(name) for name in names]
    pairs = zip(templates, names, strict=True)
    if not all(template is not None and template.fits(item[name]) for template, name in pairs):  # type: ignore[arg-type]
        return []
    return [template.literal for template in templates if template is not None]


def _form(entities: list[Entity[..., Any]], attribute: str, item: Item) -> str:
    """The template, or the value itself where it is a word of the design: an attribute that has one by default."""
    for template in (entity.template_for(attribute) for entity in entities):
        if template is None:
            continue
        always = template.components[0].field.default if template.whole else None
        return str(item[attribute]["S"]) if isinstance(always, str) and attribute in item else template.text
    return "*"


def _nature(entities: list[Entity[..., Any]], hashes: Sequence[str]) -> str:
    templates = [entities[0].template_for(name) for name in hashes] if entities else []
    return nature_of([template for template in templates if template is not None])


def _written(operation: str, request: Request, tables: Mapping[str, Table]) -> Iterator[Written]:
    """What a request writes to tables that are known."""
    for name, inside in _requests(operation, request):
        if name in tables:
            item = inside.get("Key") or inside["Item"]
            yield name, {attribute: item[attribute] for attribute in tables[name].key_attributes}


def _requests(operation: str, request: Request) -> Iterator[tuple[str, Request]]:
    if operation == "BatchWriteItem":
        for name, entries in request["RequestItems"].items():
            yield from ((name, inside) for entry in entries for inside in entry.values())
    elif operation == "TransactWriteItems":
        yield from ((inside["TableName"], inside) for action in request["TransactItems"] for inside in action.values())
    else:
        yield request["TableName"], request


def _read(operation: str, request: Request, response: Response) -> Iterator[tuple[str, str | None, list[Item], float]]:
    """The table, the index, the keys that were asked for, and the units."""
    found = response.get("ConsumedCapacity") or []
    units = {one["TableName"]: one["CapacityUnits"] for one in (found if isinstance(found, list) else [found])}
    if operation == "BatchGetItem":
        for name, asked in request["RequestItems"].items():
            yield name, None, asked["Keys"], units.get(name, 0.0)
    elif operation == "TransactGetItems":
        for name in dict.fromkeys(one["Get"]["TableName"] for one in request["TransactItems"]):
            keys = [one["Get"]["Key"] for one in request["TransactItems"] if one["Get"]["TableName"] == name]
            yield name, None, keys, units.get(name, 0.0)
    else:
        name = request["TableName"]
        key = request["Key"] if operation == "GetItem" else _equalities(request)
        yield name, request.get("IndexName"), [key], units.get(name, 0.0)


_EQUAL = re.compile(r"([#\w]+)\s*=\s*(:\w+)")


def _equalities(request: Request) -> Item:
    """The attributes that a key condition compares with `=`."""
    names, values = request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
    pairs = _EQUAL.findall(request.get("KeyConditionExpression", ""))
    return {names.get(name, name): values[value] for name, value in pairs if value in values}
