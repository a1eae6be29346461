"""The way to the provider, and the way back."""

from __future__ import annotations

from starlette.responses import Response

from sekkei.web import Html, Pages
from sekkei_systems.chiipochi.rules.prefectures import PREFECTURES
from sekkei_systems.chiipochi.service.orders import Orders
from sekkei_systems.chiipochi.service.settling import Settling

pages = Pages()


@pages.get("/pay/{token}", name="pay")
async def pay(token: str, settling: Settling) -> Response:
    return Response(None, 303, {"Location": await settling.start(token), "Cache-Control": "no-store"})


@pages.get("/pay/{token}/done", name="paid")
async def paid(token: str, orders: Orders) -> Html:
    donation = await orders.of_link(token)
    return Html("chiipochi/done.html", donation=donation, prefecture=PREFECTURES[donation.prefecture])
