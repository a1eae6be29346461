"""The payment providers' callbacks; the provider checks its own signature."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sekkei.web import Pages
from sekkei_systems.chiipochi.service.payments import Settling

pages = Pages()


@pages.webhook("/payments/{provider}", name="payment-callback")
async def payment(request: Request, provider: str, settling: Settling) -> Response:
    return JSONResponse({"result": await settling.receive(provider, await request.body(), request.headers)})
