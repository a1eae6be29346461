"""What one change to a design saves in a month: an index that nobody reads, or one that holds more than is read.

The figures are those of the bill: units of writes that the index takes, and its storage. An entry is billed by whole
kilobytes when it is written, so that a smaller one may save storage alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sekkei.advice import believable
from sekkei.advice.costing import Bill, Stored, request_dollars
from sekkei.advice.facts import Facts
from sekkei.advice.sizes import STORAGE_OVERHEAD_BYTES, Item, entry_of, item_bytes, write_units
from sekkei.design import Design, Index, Table


@dataclass(frozen=True, slots=True)
class Saving:
    place: str
    what: str
    write: float
    """Units a second."""
    gigabytes: float
    dollars: float | None
    """A month; None when a price is not known."""


def savings(design: Design, bill: Bill) -> list[Saving]:
    """The dearest first; nothing that saves nothing."""
    facts = Facts(design)
    stored = {each.place: each for each in bill.stored}
    found = [one for table, index in facts.indexes for one in _of(facts, table, index, bill, stored)]
    return sorted((one for one in found if one.dollars != 0.0), key=lambda one: -(one.dollars or 0.0))


def _of(facts: Facts, table: Table, index: Index, bill: Bill, stored: dict[str, Stored]) -> Iterator[Saving]:
    place = f"{table.name}.{index.name}"
    if place not in stored or index.local:
        return
    if not facts.reads_of(table, index):
        yield _saving(bill, stored[place], "no pattern reads it: drop it", 1.0, 1.0)
        return
    needed = facts.needed(table, index)
    if index.projection != "ALL" or needed is None:
        return
    extra = [name for name in needed if name not in (*table.key_attributes, *index.attributes)]
    whole, cut = (
        _entries(table, index),
        _entries(table, Index(index.name, index.pk, index.sk, projection=extra or "KEYS_ONLY")),
    )
    what = f"project {', '.join(extra)} instead of ALL" if extra else "project the keys instead of ALL"
    yield _saving(bill, stored[place], what, 1 - _units(cut) / _units(whole), 1 - _bytes(cut) / _bytes(whole))


def _entries(table: Table, index: Index) -> list[Item]:
    items = [entity.encode(believable.instance(entity, number)) for entity in table.entities for number in range(5)]
    return [entry for item in items if (entry := entry_of(table, index, item)) is not None]


def _units(entries: Sequence[Item]) -> float:
    return sum(write_units(item_bytes(entry)) for entry in entries) or 1.0


def _bytes(entries: Sequence[Item]) -> float:
    return sum(item_bytes(entry) + STORAGE_OVERHEAD_BYTES for entry in entries) or 1.0


def _saving(bill: Bill, stored: Stored, what: str, of_units: float, of_bytes: float) -> Saving:
    write, gigabytes = stored.write * of_units, stored.gigabytes * of_bytes
    requests, rent = request_dollars(bill.prices, 0.0, write), bill.prices.storage_gb_month
    dollars = None if requests is None or (rent is None and gigabytes) else requests + gigabytes * (rent or 0.0)
    return Saving(stored.place, what, write, gigabytes, dollars)
