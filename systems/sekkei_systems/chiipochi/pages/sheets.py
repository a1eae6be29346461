"""What donors print: a receipt, a year."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from sekkei.runtime import days
from sekkei.runtime.refusals import NotThere
from sekkei.runtime.system import Context
from sekkei.web import Pages, page
from sekkei_systems.chiipochi.rules.prefectures import PREFECTURES
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.service.links import donation_key

FIRST_YEAR = 2025
"""Before that there was no ちいポチ."""


def routes(context: Context, service: Service) -> list[BaseRoute]:
    pages = Pages()

    @pages.get("/u/{token}/year/{year}", name="year")
    async def one_year(request: Request) -> Response:
        """A year on one sheet, to be printed."""
        user_id = service.links.user_of(request.path_params["token"])
        asked, this_year = request.path_params["year"], days.today(context.clock).year
        if asked not in {str(year) for year in range(FIRST_YEAR, this_year + 1)}:
            raise NotThere()
        year = await service.reports.year(user_id, int(asked))
        return page(
            request,
            "chiipochi/year.html",
            year=year,
            rows=[(PREFECTURES[code], amount) for code, amount in year.favourites],
            token=request.path_params["token"],
            this_year=this_year,
            first_year=FIRST_YEAR,
        )

    @pages.get("/u/{token}/receipt/{created_at}", name="receipt")
    async def receipt(request: Request) -> Response:
        user_id = service.links.user_of(request.path_params["token"])
        key = donation_key(f"{user_id}|{request.path_params['created_at']}")
        donation = None if key is None else await service.reports.receipt(*key)
        if donation is None:
            raise NotThere()
        prefecture = PREFECTURES[donation.prefecture]
        back = f"/chiipochi/u/{request.path_params['token']}"
        return page(request, "chiipochi/receipt.html", donation=donation, prefecture=prefecture, back=back)

    return pages.routes
