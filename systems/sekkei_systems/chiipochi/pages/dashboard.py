"""Everybody's donations, as they come in."""

from __future__ import annotations

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from sekkei.runtime import days
from sekkei.runtime.system import Context
from sekkei.web import Pages, page, sse
from sekkei.web.live import live_url
from sekkei_systems.chiipochi.pages.view import asked_day, day_shown
from sekkei_systems.chiipochi.reactions import LIVE_TOPIC
from sekkei_systems.chiipochi.service import Service

DAYS_SHOWN = 14


def routes(context: Context, service: Service) -> list[BaseRoute]:
    pages = Pages()

    @pages.get("/", name="dashboard")
    async def dashboard(request: Request) -> Response:
        live = live_url(request, context.live, LIVE_TOPIC, "/chiipochi/live")
        day = asked_day(request, context)
        today = days.today(context.clock)
        found = await service.reports.day(day)
        last = await service.reports.amounts([today - timedelta(days=age) for age in range(DAYS_SHOWN - 1, -1, -1)])
        return page(
            request,
            "chiipochi/dashboard.html",
            day=day,
            today=today,
            live=live,
            labels=[f"{each.month}/{each.day}" for each, _ in last],
            amounts=[amount / 1000 for _, amount in last],
            **day_shown(found),
        )

    @pages.get("/day", name="day")
    async def one_day(request: Request) -> Response:
        """The part of the dashboard that moves."""
        found = await service.reports.day(asked_day(request, context))
        return page(request, "chiipochi/_day.html", day=found.day, **day_shown(found))

    @pages.get("/live", name="live")
    async def live(request: Request) -> Response:
        return sse(request, context.live, LIVE_TOPIC)

    return pages.routes
