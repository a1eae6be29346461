"""Rankings of a day, a week, a month, a year and all time; also for a screen in a town hall."""

from __future__ import annotations

from typing import get_args

from msgspec import Struct

from sekkei.web import Html, Pages
from sekkei_systems.chiipochi.pages.view import day_shown
from sekkei_systems.chiipochi.rules.organisation import Organisation
from sekkei_systems.chiipochi.service.reports import Period, Rankings

PERIODS = get_args(Period)

pages = Pages()


class Wanted(Struct):
    period: Period = "month"


@pages.get("/ranking", name="ranking")
async def ranking(rankings: Rankings, query: Wanted) -> Html:
    found = await rankings.of(query.period)
    return Html("chiipochi/ranking.html", period=query.period, periods=PERIODS, **day_shown(found))


@pages.get("/screen", name="screen")
async def screen(rankings: Rankings, organisation: Organisation, query: Wanted) -> Html:
    """Large, without anything to tap; it looks again every minute."""
    found = await rankings.of(query.period)
    return Html("chiipochi/screen.html", period=query.period, organisation=organisation, **day_shown(found))
