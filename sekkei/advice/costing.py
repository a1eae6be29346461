"""What a design costs in a month: units and money by pattern, table and index.

    bill = price(design, measured, rates={"board": 50.0}, items={"tasks": 10_000_000}, prices=Prices.of("us-east-1"))
    bill.on_demand      dollars a month, or None when a price is missing

A pattern's units are those of `sekkei measure`; a rate is calls a second, on average over the month. Storage is what
DynamoDB bills: the item, 100 bytes beside it, and the same for each index entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from sekkei.advice import believable
from sekkei.advice.prices import HOURS_A_MONTH, SECONDS_A_MONTH, Prices
from sekkei.advice.sizes import STORAGE_OVERHEAD_BYTES, Item, entry_of, item_bytes
from sekkei.design import Design, Measurements, Table

AUTOSCALED_USE = 0.7
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
        return self._provisioned(1 / AUTOSCALED_USE)

    def _provisioned(self, factor: float) -> float | None:
        prices = self.prices
        if prices.read_unit_hour is None or prices.write_unit_hour is None:
            return None
        read, write = ceil(self.read * factor), ceil(self.write * factor)
        return (read * prices.read_unit_hour + write * prices.write_unit_hour) * HOURS_A_MONTH

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
    samples = [entity.encode(believable.instance(entity, number)) for entity in table.entities for number in range(5)]
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
