"""A donor's own page, behind the link that the bot gave: stamps, history, a spreadsheet, being forgotten."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from sekkei.runtime import days
from sekkei.runtime.system import Context
from sekkei.web import Pages, flash, language_of, page, redirect, t
from sekkei_systems.chiipochi.design import pledges
from sekkei_systems.chiipochi.design.models import Donation
from sekkei_systems.chiipochi.pages.view import csv_file, tiles
from sekkei_systems.chiipochi.rules.prefectures import PREFECTURES
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.service.exports import as_csv
from sekkei_systems.chiipochi.service.links import order_id_of
from sekkei_systems.chiipochi.service.reports import Sum

CSV_ROWS_MAX = 5_000


def routes(context: Context, service: Service) -> list[BaseRoute]:
    pages = Pages()

    @pages.get("/u/{token}", name="mine")
    async def mine(request: Request) -> Response:
        token = request.path_params["token"]
        user_id = service.links.user_of(token)
        year = await service.reports.year(user_id, days.today(context.clock).year)
        chosen = await context.db.get(pledges(user_id))
        stamps = await service.reports.stamps(user_id)
        return page(
            request,
            "chiipochi/mine.html",
            token=token,
            history=await service.reports.history(user_id, request.query_params.get("after"), size=10),
            today=await service.reports.mine_today(user_id),
            year=year,
            favourites=[(PREFECTURES[code], amount) for code, amount in year.favourites[:3]],
            streak=await service.reports.streak(user_id),
            pledge=chosen,
            stamps=stamps,
            tiles=tiles({code: Sum(count, count) for code, count in stamps.items()}),
            thousands=[amount / 1000 for amount in year.months],
            month_names=[t(request, "mine.month", n=month) for month in range(1, 13)],
            prefectures=PREFECTURES,
            order_id_of=order_id_of,
            order_token=service.links.order_token,
        )

    @pages.get("/u/{token}/donations.csv", name="mine-csv")
    async def mine_csv(request: Request) -> Response:
        user_id = service.links.user_of(request.path_params["token"])
        found: list[Donation] = []
        async for donation in service.reports.all_of(user_id):
            found.append(donation)
            if len(found) == CSV_ROWS_MAX:
                break
        return csv_file(as_csv(found, language_of(request)), "donations.csv")

    @pages.post("/u/{token}/forget", name="forget")
    async def forget(request: Request) -> Response:
        user_id = service.links.user_of(request.path_params["token"])
        await context.jobs.start("forget", {"user_id": user_id}, id=f"forget/{user_id}/{context.clock.uuid()}")
        flash(request, t(request, "mine.forgetting"))
        return redirect(request, "chiipochi:dashboard")

    return pages.routes
