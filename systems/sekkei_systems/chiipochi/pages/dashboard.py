"""Everybody's donations as they come in, rankings, and the pages of the organisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, get_args

from msgspec import Struct
from starlette.requests import Request

from sekkei.clock import Clock
from sekkei.runtime.live import Live
from sekkei.web import Events, Html, Pages, live_url
from sekkei_systems import days
from sekkei_systems.chiipochi.reactions import LIVE_TOPIC
from sekkei_systems.chiipochi.refusals import NoDate
from sekkei_systems.chiipochi.rules.conversation import AMOUNT_MAX, AMOUNT_MIN
from sekkei_systems.chiipochi.rules.organisation import Organisation
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES, Prefecture
from sekkei_systems.chiipochi.service.appeals import Appeals
from sekkei_systems.chiipochi.service.reports import Day, Period, Rankings, Reports, Sum

# What several pages show: the map of prefectures, a day that was asked for, a file.


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
class _Tile:
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


def tiles(found: Mapping[str, Sum]) -> list[_Tile]:
    most = max((total.amount for total in found.values()), default=0)
    made = []
    for prefecture in PREFECTURES.values():
        total = found.get(prefecture.code, Sum())
        # The square root, so that small gifts show beside a large one.
        heat = round((total.amount / most) ** 0.5, 3) if most else 0.0
        words = f"¥{total.amount:,} ×{total.count}" if total.amount != total.count else f"×{total.count}"
        made.append(_Tile(prefecture, total.amount, total.count, heat, words))
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


def _day_shown(found: Day) -> dict[str, Any]:
    ranking = [(PREFECTURES[code], total) for code, total in found.ranking]
    return {"found": found, "tiles": tiles(found.prefectures), "ranking": ranking}


DAYS_SHOWN = 14

pages = Pages()


@pages.get("/", name="dashboard")
async def dashboard(
    request: Request, asked: Asked, reports: Reports, appeals: Appeals, organisation: Organisation, live: Live
) -> Html:
    address = live_url(request, live, LIVE_TOPIC, "/chiipochi/live")
    found = await reports.day(asked.day)
    last = await reports.amounts([asked.today - timedelta(days=age) for age in range(DAYS_SHOWN - 1, -1, -1)])
    return Html(
        "chiipochi/dashboard.html",
        day=asked.day,
        today=asked.today,
        live=address,
        organisation=organisation,
        appeals=await appeals.raised(),
        labels=[f"{each.month}/{each.day}" for each, _ in last],
        amounts=[amount / 1000 for _, amount in last],
        **_day_shown(found),
    )


@pages.get("/day", name="day")
async def one_day(asked: Asked, reports: Reports) -> Html:
    """The part of the dashboard that moves."""
    return Html("chiipochi/_day.html", day=asked.day, **_day_shown(await reports.day(asked.day)))


@pages.get("/live", name="live")
async def listen() -> Events:
    return Events(LIVE_TOPIC)


# Rankings of a day, a week, a month, a year and all time; also for a screen in a town hall.


_PERIODS = get_args(Period)


class Wanted(Struct):
    period: Period = "month"


@pages.get("/ranking", name="ranking")
async def ranking(rankings: Rankings, query: Wanted) -> Html:
    found = await rankings.of(query.period)
    return Html("chiipochi/ranking.html", period=query.period, periods=_PERIODS, **_day_shown(found))


@pages.get("/screen", name="screen")
async def screen(rankings: Rankings, organisation: Organisation, query: Wanted) -> Html:
    """Large, without anything to tap; it looks again every minute."""
    found = await rankings.of(query.period)
    return Html("chiipochi/screen.html", period=query.period, organisation=organisation, **_day_shown(found))


# Who asks for the money: what the law wants shown, and what happens to people's data.


@pages.get("/about", name="about")
async def about(organisation: Organisation) -> Html:
    """特定商取引法に基づく表記."""
    return Html("chiipochi/about.html", organisation=organisation, low=AMOUNT_MIN, high=AMOUNT_MAX)


@pages.get("/privacy", name="privacy")
async def privacy(organisation: Organisation) -> Html:
    return Html("chiipochi/privacy.html", organisation=organisation)
