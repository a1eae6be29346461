"""The payment providers' callbacks; the provider checks its own signature."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from sekkei.web import Pages
from sekkei_systems.chiipochi.service import Service


def routes(service: Service) -> list[BaseRoute]:
    pages = Pages()

    @pages.webhook("/payments/{provider}", name="payment-callback")
    async def payment(request: Request) -> Response:
        body = await request.body()
        result = await service.settling.receive(request.path_params["provider"], body, request.headers)
        return JSONResponse({"result": result})

    return pages.routes
