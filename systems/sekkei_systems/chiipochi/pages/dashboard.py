"""Everybody's donations, as they come in."""

from __future__ import annotations

from datetime import timedelta

from starlette.requests import Request

from sekkei.runtime.live import Live
from sekkei.web import Events, Html, Pages, live_url
from sekkei_systems.chiipochi.pages.view import Asked, day_shown
from sekkei_systems.chiipochi.reactions import LIVE_TOPIC
from sekkei_systems.chiipochi.rules.organisation import Organisation
from sekkei_systems.chiipochi.service.appeals import Appeals
from sekkei_systems.chiipochi.service.reports import Reports

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
        **day_shown(found),
    )


@pages.get("/day", name="day")
async def one_day(asked: Asked, reports: Reports) -> Html:
    """The part of the dashboard that moves."""
    return Html("chiipochi/_day.html", day=asked.day, **day_shown(await reports.day(asked.day)))


@pages.get("/live", name="live")
async def listen() -> Events:
    return Events(LIVE_TOPIC)
