"""Prices of one region, from a dated file that anybody can replace."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.resources import files
from pathlib import Path
from typing import Any

HOURS_A_MONTH = 730
PRICE_MAX = 1e6
SECONDS_A_MONTH = HOURS_A_MONTH * 3_600


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
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < PRICE_MAX:
        raise NoPrices(f"{name} = {value!r} is no price.")
    return float(value)
