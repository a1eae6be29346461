"""The way to the provider, and the way back."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from sekkei.web import Pages, page
from sekkei_systems.chiipochi.rules.prefectures import PREFECTURES
from sekkei_systems.chiipochi.service import Service


def routes(service: Service) -> list[BaseRoute]:
    pages = Pages()

    @pages.get("/pay/{token}", name="pay")
    async def pay(request: Request) -> Response:
        url = await service.settling.start(request.path_params["token"])
        return Response(None, 303, {"Location": url, "Cache-Control": "no-store"})

    @pages.get("/pay/{token}/done", name="paid")
    async def paid(request: Request) -> Response:
        donation = await service.orders.of_link(request.path_params["token"])
        prefecture = PREFECTURES[donation.prefecture]
        return page(request, "chiipochi/done.html", donation=donation, prefecture=prefecture)

    return pages.routes
