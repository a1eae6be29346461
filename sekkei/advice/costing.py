"""What a design costs in a month: units and money by pattern, table and index.

    bill = price(design, measured, rates={"board": 50.0}, items={"tasks": 10_000_000}, prices=Prices.of("us-east-1"))
    bill.on_demand      dollars a month, or None when a price is missing

A pattern's units are those of `sekkei measure`; a rate is calls a second, on average over the month. Storage is what
DynamoDB bills: the item, 100 bytes beside it, and the same for each index entry.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import Any

from sekkei.advice import sample_data
from sekkei.advice.facts import Facts
from sekkei.advice.sizes import STORAGE_OVERHEAD_BYTES, Item, entry_of, item_bytes, write_units
from sekkei.design import Design, Index, Measurements, Table

# Prices of one region, from a dated file that anybody can replace.


_HOURS_A_MONTH = 730
_PRICE_MAX = 1e6
SECONDS_A_MONTH = _HOURS_A_MONTH * 3_600


class NoPrices(ValueError):
    """The file has no such region, or is no file of prices; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars. None: not known."""

    region: str
    date: str
    source: str
    write_million: float | None = None
    read_million: float | None = None
    write_unit_hour: float | None = None
    read_unit_hour: float | None = None
    storage_gb_month: float | None = None
    storage_free_gb: float = 0.0
    pitr_gb_month: float | None = None

    @staticmethod
    def regions(path: Path | None = None) -> list[str]:
        """Those whose prices the file has."""
        return sorted(name for name, known in _read(path).items() if isinstance(known, Mapping))

    @classmethod
    def of(cls, region: str, path: Path | None = None) -> Prices:
        found = _read(path)
        regions = {name: known for name, known in found.items() if isinstance(known, Mapping)}
        if region not in regions:
            raise NoPrices(
                f"No prices for {region}. Known: {', '.join(sorted(regions))}. "
                "Write them into a file like sekkei/advice/prices.toml and pass it with --prices."
            )
        known = {field.name for field in fields(cls)} - {"region", "date", "source"}
        strange = set(regions[region]) - known
        if strange:
            raise NoPrices(f"{', '.join(sorted(strange))}: no such price. There are: {', '.join(sorted(known))}.")
        numbers = {name: _price(name, value) for name, value in regions[region].items()}
        return cls(region, str(found.get("date", "unknown")), str(found.get("source", "unknown")), **numbers)


def _read(path: Path | None) -> dict[str, Any]:
    try:
        if path is not None:
            return tomllib.loads(path.read_text("utf-8"))
        return tomllib.loads(files("sekkei.advice").joinpath("prices.toml").read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise NoPrices(f"{path} is no file of prices: {error}.") from error


def _price(name: str, value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < _PRICE_MAX:
        raise NoPrices(f"{name} = {value!r} is no price.")
    return float(value)


_AUTOSCALED_USE = 0.7
"""Autoscaling keeps provisioned capacity at so much of it in use."""
GB = 1024**3


class UnknownName(ValueError):
    """A rate or a count speaks of a pattern or table that the design does not have, or is no sensible number."""


@dataclass(frozen=True, slots=True)
class Line:
    """One pattern at its rate."""

    pattern: str
    rate: float
    read: float
    """Units a second."""
    write: float
    dollars: float | None
    """A month, on demand."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One table or index at rest."""

    place: str
    items: int
    gigabytes: float
    write: float = 0.0
    """Units a second that its writes take, of those of the patterns."""
    dollars: float | None = None
    """What those writes and the storage cost a month."""


@dataclass(frozen=True, slots=True)
class Bill:
    prices: Prices
    lines: list[Line]
    stored: list[Stored]
    read: float
    write: float
    peak: float
    unmeasured: list[str] = field(default_factory=list)

    @property
    def on_demand(self) -> float | None:
        return _sum(line.dollars for line in self.lines)

    @property
    def provisioned(self) -> float | None:
        """Capacity for the peak, all month."""
        return self._provisioned(self.peak)

    @property
    def autoscaled(self) -> float | None:
        """Capacity that follows the load."""
        return self._provisioned(1 / _AUTOSCALED_USE)

    def _provisioned(self, factor: float) -> float | None:
        prices = self.prices
        if prices.read_unit_hour is None or prices.write_unit_hour is None:
            return None
        read, write = ceil(self.read * factor), ceil(self.write * factor)
        return (read * prices.read_unit_hour + write * prices.write_unit_hour) * _HOURS_A_MONTH

    @property
    def gigabytes(self) -> float:
        return sum(each.gigabytes for each in self.stored)

    @property
    def storage(self) -> float | None:
        if self.prices.storage_gb_month is None:
            return None
        return max(0.0, self.gigabytes - self.prices.storage_free_gb) * self.prices.storage_gb_month

    @property
    def pitr(self) -> float | None:
        return None if self.prices.pitr_gb_month is None else self.gigabytes * self.prices.pitr_gb_month


def price(
    design: Design,
    measurements: Measurements,
    *,
    rates: Mapping[str, float],
    items: Mapping[str, int],
    prices: Prices,
    peak: float = 3.0,
) -> Bill:
    """The month's bill. `peak` is how much busier the busiest hour is than the average."""
    check_names(design, rates, items)
    lines, unmeasured = [], []
    for name, rate in rates.items():
        units = measurements.units.get(name)
        if units is None:
            unmeasured.append(name)
            continue
        read, write = units.read * rate, units.write * rate
        lines.append(Line(name, rate, read, write, request_dollars(prices, read, write)))
    stored = [
        each
        for table in design.tables.values()
        for each in _stored(table, items.get(table.name, 0), _index_units(measurements, rates), prices)
    ]
    read, write = sum(line.read for line in lines), sum(line.write for line in lines)
    return Bill(prices, lines, stored, read, write, peak, unmeasured)


def check_names(design: Design, rates: Mapping[str, float], items: Mapping[str, int]) -> None:
    """Refuses what the design does not have, and numbers of nothing."""
    for name, rate in rates.items():
        if name not in design.patterns:
            raise UnknownName(f"{design.name} has no pattern {name}. It has: {', '.join(sorted(design.patterns))}.")
        if not 0 <= rate <= 1e9:
            raise UnknownName(f"{name}={rate:g} is no rate: give calls a second, 0 or more.")
    for name, count in items.items():
        if name not in design.tables:
            raise UnknownName(f"{design.name} has no table {name}. It has: {', '.join(sorted(design.tables))}.")
        if not 0 <= count <= 10**15:
            raise UnknownName(f"{name}={count} is no number of items.")


def request_dollars(prices: Prices, read: float, write: float) -> float | None:
    """A month of so many units a second, on demand."""
    if (read and prices.read_million is None) or (write and prices.write_million is None):
        return None
    millions = SECONDS_A_MONTH / 1e6
    return (read * (prices.read_million or 0.0) + write * (prices.write_million or 0.0)) * millions


def _index_units(measurements: Measurements, rates: Mapping[str, float]) -> dict[str, float]:
    """Write units a second that each `table.index` takes."""
    found: dict[str, float] = {}
    for name, rate in rates.items():
        units = measurements.units.get(name)
        if units is not None and units.write:
            for place, part in units.indexes.items():
                found[place] = found.get(place, 0.0) + part * rate
    return found


def _stored(table: Table, items: int, index_units: Mapping[str, float], prices: Prices) -> list[Stored]:
    found = []
    for place, (share, size) in _sizes(table).items():
        count, write = int(items * share), index_units.get(place, 0.0)
        gigabytes = count * size / GB
        if place == table.name:
            found.append(Stored(place, count, gigabytes))
            continue
        rent = None if prices.storage_gb_month is None else gigabytes * prices.storage_gb_month
        requests = request_dollars(prices, 0.0, write)
        dollars = None if rent is None or requests is None else rent + requests
        found.append(Stored(place, count, gigabytes, write, dollars))
    return found


def stored_bytes(table: Table) -> dict[str, float]:
    """What an item of a table takes there and in each index, on average over believable ones."""
    return {place: share * size for place, (share, size) in _sizes(table).items()}


def _sizes(table: Table) -> dict[str, tuple[float, float]]:
    """By place: which share of the items is there, and how many bytes one takes."""
    samples = [entity.encode(sample_data.instance(entity, number)) for entity in table.entities for number in range(5)]
    found = {table.name: (1.0, _average(samples))}
    for index in table.indexes.values():
        held = [one for item in samples if (one := entry_of(table, index, item)) is not None]
        found[f"{table.name}.{index.name}"] = (len(held) / len(samples), _average(held))
    return found


def _average(items: Sequence[Item]) -> float:
    return sum(item_bytes(item) + STORAGE_OVERHEAD_BYTES for item in items) / len(items) if items else 0.0


def _sum(amounts: Iterable[float | None]) -> float | None:
    total = 0.0
    for amount in amounts:
        if amount is None:
            return None
        total += amount
    return total


# What one change to a design saves in a month: an index that nobody reads, or one that holds more than is read.
#
# The figures are those of the bill: units of writes that the index takes, and its storage. An entry is billed by whole
# kilobytes when it is written, so that a smaller one may save storage alone.


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
    items = [entity.encode(sample_data.instance(entity, number)) for entity in table.entities for number in range(5)]
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
