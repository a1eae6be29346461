"""What several pages show: the map of prefectures, a day that was asked for, a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from starlette.requests import Request

from sekkei.clock import Clock
from sekkei_systems import days
from sekkei_systems.chiipochi.refusals import NoDate
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES, Prefecture
from sekkei_systems.chiipochi.service.reports import Day, Sum

_SHORT = {
    "FUKUI": "Fki",
    "FUKUOKA": "Fko",
    "FUKUSHIMA": "Fks",
    "KAGAWA": "Kgw",
    "KAGOSHIMA": "Kgs",
    "MIYAGI": "Myg",
    "MIYAZAKI": "Myz",
    "NAGANO": "Ngn",
    "NAGASAKI": "Ngs",
    "SHIGA": "Sga",
    "SHIMANE": "Smn",
    "SHIZUOKA": "Szk",
    "TOKUSHIMA": "Tks",
    "TOKYO": "Tky",
    "YAMAGATA": "Ygt",
    "YAMAGUCHI": "Ygc",
    "YAMANASHI": "Yns",
}
"""On the map a name has three letters; these would be the same as others'."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A prefecture on the map, warmer the more it was given."""

    prefecture: Prefecture
    amount: int
    count: int
    heat: float
    words: str

    def label(self, language: str) -> str:
        if language == "ja":
            return self.prefecture.ja
        return _SHORT.get(self.prefecture.code, self.prefecture.en[:3])


def tiles(found: Mapping[str, Sum]) -> list[Tile]:
    most = max((total.amount for total in found.values()), default=0)
    made = []
    for prefecture in PREFECTURES.values():
        total = found.get(prefecture.code, Sum())
        # The square root, so that small gifts show beside a large one.
        heat = round((total.amount / most) ** 0.5, 3) if most else 0.0
        words = f"¥{total.amount:,} ×{total.count}" if total.amount != total.count else f"×{total.count}"
        made.append(Tile(prefecture, total.amount, total.count, heat, words))
    return made


@dataclass(frozen=True, slots=True)
class Asked:
    """The day that a page is to show."""

    day: date
    today: date


def asked_of(clock: Clock, request: Request) -> Asked:
    """`?day=`, or today."""
    today = days.today(clock)
    given = request.query_params.get("day")
    try:
        return Asked(date.fromisoformat(given) if given else today, today)
    except ValueError:
        raise NoDate(field="day") from None


def day_shown(found: Day) -> dict[str, Any]:
    ranking = [(PREFECTURES[code], total) for code, total in found.ranking]
    return {"found": found, "tiles": tiles(found.prefectures), "ranking": ranking}
