"""Stores that meter the calls they pass on: units by call, by table and index, and by form of partition key.

`Recording` adds up one run, `Noting` writes the units of each minute to a file, `Journal` charges each unit to the form
of the key that was asked for. `Travelled` is the cost of one journey, kept as `journeys.json` beside the design.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sekkei.advice.load_model import nature_of, splits_within
from sekkei.advice.sizes import STORAGE_OVERHEAD_BYTES, entry_of, index_write_units, item_bytes, write_units
from sekkei.clock import SYSTEM, Clock
from sekkei.design import Design, Entity, Index, SekkeiError, Table
from sekkei.design.measured import lines_of
from sekkei.store.protocol import Request, Response, Store
from sekkei.store.wrapper import READS, WRITES, Wrapper, consumed, parts_of

# A store that remembers what each call cost, read and carried.


@dataclass
class Tally:
    """What a run of calls came to."""

    calls: int = 0
    read_units: float = 0.0
    write_units: float = 0.0
    indexes: dict[tuple[str, str], float] = field(default_factory=dict)
    """Units by table and index; part of the two above."""
    items_read: int = 0
    items_returned: int = 0
    response_bytes: int = 0

    def add(self, operation: str, response: Response) -> None:
        self.calls += 1
        self.response_bytes += len(json.dumps(response, default=str))
        for capacity in consumed(response):
            self._capacity(capacity, operation in WRITES)
        returned = _returned(operation, response)
        self.items_returned += returned
        self.items_read += response.get("ScannedCount", returned)

    def _capacity(self, capacity: Mapping[str, Any], writing: bool) -> None:
        units = float(capacity.get("CapacityUnits", 0.0))
        if writing:
            self.write_units += units
        else:
            self.read_units += units
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            for index, part in capacity.get(kind, {}).items():
                place = (capacity["TableName"], index)
                self.indexes[place] = self.indexes.get(place, 0.0) + float(part["CapacityUnits"])


class _Metered(Wrapper):
    """Asks the store for the units of each call that reads or writes items."""

    def before(self, operation: str, request: Request) -> Request:
        return {**request, "ReturnConsumedCapacity": "INDEXES"} if operation in READS | WRITES else request


class Recording(_Metered):
    """Passes calls on, asks for the units of each, and adds them up in `tally`."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.tally = Tally()

    def after(self, operation: str, request: Request, response: Response) -> Response:
        if operation in READS | WRITES:
            self.tally.add(operation, response)
        return response


def _returned(operation: str, response: Response) -> int:
    if operation == "GetItem":
        return int("Item" in response)
    if operation == "BatchGetItem":
        return sum(len(items) for items in response.get("Responses", {}).values())
    if operation == "TransactGetItems":
        return sum("Item" in one for one in response.get("Responses", ()))
    return int(response.get("Count", 0))


# A store that notes what every table and index takes, minute by minute, in a file for `sekkei cost --learn`.
#
# store = Noting(Embedded("shop.db"), Path("run.json"))
# ...
# store.save()


MINUTE = 60
_SAVE_SECONDS = 10.0
FORM = "sekkei-run-1"


class Noting(_Metered):
    """Passes calls on, and the store's own attributes too; writes its file now and then, and when asked to."""

    def __init__(self, store: Store, path: Path, clock: Clock = SYSTEM) -> None:
        super().__init__(store)
        self._path, self._clock = path, clock
        self._minutes: dict[int, dict[str, list[float]]] = {}
        self._began = self._saved = clock.now()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def after(self, operation: str, request: Request, response: Response) -> Response:
        if operation not in READS | WRITES:
            return response
        for capacity in consumed(response):
            self._note(capacity, int(operation in WRITES))
        if request.get("ReturnConsumedCapacity", "NONE") == "NONE":
            response.pop("ConsumedCapacity", None)
        if self._clock.now() - self._saved >= _SAVE_SECONDS:
            self.save()
        return response

    async def close(self) -> None:
        self.save()
        await super().close()

    def _note(self, capacity: Mapping[str, Any], kind: int) -> None:
        places = self._minutes.setdefault(int(self._clock.now()) // MINUTE * MINUTE, {})
        table, left = capacity["TableName"], float(capacity["CapacityUnits"])
        for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            for index, part in capacity.get(member, {}).items():
                units = float(part["CapacityUnits"])
                places.setdefault(f"{table}.{index}", [0.0, 0.0])[kind] += units
                left -= units
        places.setdefault(table, [0.0, 0.0])[kind] += left

    def save(self) -> None:
        self._saved = self._clock.now()
        minutes = {str(minute): places for minute, places in self._minutes.items()}
        content = {"form": FORM, "seconds": self._saved - self._began, "minutes": minutes}
        self._path.write_text(json.dumps(content) + "\n", "utf-8")


# A store that notes, key by key, what every call costs: which partition key of which table and index was asked.
#
#     journal = Journal(Embedded(), [(design, "test")])
#     ... run something ...
#     journal.charges      {("shop.by_status", "{status}"): Charge(read=0.5, write=0.0, splits=True)}
#
# DynamoDB tells units by table and index, not by key. So a write is looked at from both sides: the item before and the
# item after, read past the count, give the units of the item and of each of its index entries by the guide's formulas.
# A test holds the sum of them against the engine's own count.


Item = Mapping[str, Mapping[str, Any]]
Written = tuple[str, Item]
"""A table's name in the store, and a key in it."""
DAY = 86_400
_YEAR_DAYS = 365


@dataclass(slots=True)
class Charge:
    """What was asked of the keys of one form at one place."""

    read: float = 0.0
    write: float = 0.0
    splits: bool = False
    """Can a hot key of this form be cut between its sort keys?"""
    nature: str = "zipf"
    """How such keys are asked for where nobody says so (`load.popularity_of`)."""


class Journal(_Metered):
    """Passes calls on and notes them; `clear()` before what is to be noted."""

    def __init__(
        self, store: Store, designs: Sequence[tuple[Design, str]], clock: Clock, leave_out: Sequence[str] = ()
    ) -> None:
        super().__init__(store)
        self._clock, self._lock = clock, asyncio.Lock()
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
        return await super().call(operation, request)

    def after(self, operation: str, request: Request, response: Response) -> Response:
        if operation in READS:
            self.tally.add(operation, response)
            for name, index, keys, units in _read(operation, request, response):
                self._note_read(name, index, keys, units)
        return response

    async def _write(self, operation: str, request: Request) -> Response:
        written = list(_written(operation, request, self._tables))
        before = [await self._image(*one) for one in written]
        factor = 2.0 if operation == "TransactWriteItems" else 1.0
        try:
            response = await self.store.call(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})
        finally:
            for (name, key), old in zip(written, before, strict=True):
                self._note_write(name, key, old, await self._image(name, key), factor)
        self.tally.add(operation, response)
        return response

    async def _image(self, name: str, key: Item) -> Item | None:
        found = await self.store.call("GetItem", {"TableName": name, "Key": key, "ConsistentRead": True})
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
        return _YEAR_DAYS if ends is None else min(max(float(ends) - self._clock.now(), 0.0) / DAY, _YEAR_DAYS)


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
    for part in parts_of(operation, request):
        if part.table in tables:
            yield part.table, {attribute: part.item[attribute] for attribute in tables[part.table].key_attributes}


def _read(operation: str, request: Request, response: Response) -> Iterator[tuple[str, str | None, list[Item], float]]:
    """The table, the index, the keys that were asked for, and the units."""
    units = {capacity["TableName"]: capacity["CapacityUnits"] for capacity in consumed(response)}
    keys: dict[tuple[str, str | None], list[Item]] = {}
    for part in parts_of(operation, request):
        key = _equalities(request) if operation in ("Query", "Scan") else part.item
        keys.setdefault((part.table, part.request.get("IndexName")), []).append(key)
    for (name, index), asked in keys.items():
        yield name, index, asked, units.get(name, 0.0)


_EQUAL = re.compile(r"([#\w]+)\s*=\s*(:\w+)")


def _equalities(request: Request) -> Item:
    """The attributes that a key condition compares with `=`."""
    names, values = request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
    pairs = _EQUAL.findall(request.get("KeyConditionExpression", ""))
    return {names.get(name, name): values[value] for name, value in pairs if value in values}


# What a journey cost: units by place and form of key, storage by place. Kept as `journeys.json` beside the design.


_NOISE_BYTE_DAYS = 1_000.0
"""A few bytes a year: numbers that grew a digit."""


class Asked(NamedTuple):
    """Units that a journey asks of the keys of one form."""

    place: str
    """`table`, or `table.index`."""
    key: str
    """The form of the partition key: `TEAM#{team_id}`."""
    read: float
    write: float
    splits: bool
    """Can a hot key of this form be cut between its sort keys? Not when it is another one every day."""
    nature: str
    """How such keys are asked for where nobody says so (`load.popularity_of`)."""


@dataclass(frozen=True, slots=True)
class Travelled:
    about: str
    requests: list[str]
    """`GET /tasks/teams/{team_id}`; what an access log is compared with."""
    calls: int
    asked: list[Asked]
    byte_days: Mapping[str, float]
    """By place: bytes × days kept, of the first year."""

    @classmethod
    def of(cls, about: str, requests: Iterable[str], journal: Journal) -> Travelled:
        charges = sorted(journal.charges.items())
        asked = [
            Asked(*place, one.read, one.write, one.splits, one.nature)
            for place, one in charges
            if one.read or one.write
        ]
        days = sorted(journal.byte_days.items())
        kept = {place: round(amount) for place, amount in days if abs(amount) >= _NOISE_BYTE_DAYS}
        return cls(about, list(requests), journal.tally.calls, asked, kept)

    @property
    def read(self) -> float:
        return sum(one.read for one in self.asked)

    @property
    def write(self) -> float:
        return sum(one.write for one in self.asked)


def beside(home: Path) -> Path:
    """Where the journeys of a design are kept."""
    return home / "journeys.json" if home.is_dir() else home.with_suffix(".journeys.json")


def save(path: Path, found: Mapping[str, Travelled]) -> None:
    path.write_text(as_text(found), "utf-8")


def as_text(found: Mapping[str, Travelled]) -> str:
    content = {name: {**asdict(one), "asked": [list(each) for each in one.asked]} for name, one in found.items()}
    return lines_of(content) + "\n"


def load(path: Path) -> dict[str, Travelled]:
    """None of them when there is no file."""
    if not path.exists():
        return {}
    found = json.loads(path.read_text("utf-8"))
    return {name: Travelled(**{**one, "asked": [Asked(*each) for each in one["asked"]]}) for name, one in found.items()}
