"""The ways in from outside: LINE's webhook and the payment providers' callbacks. Both verify a signature first."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from sekkei.runtime.settings import Settings
from sekkei.web import Pages
from sekkei_systems.chiipochi import line
from sekkei_systems.chiipochi.service import Service

ANSWER_SECONDS = 1.0
"""LINE waits for two; whatever takes longer is written down and goes on after the answer."""


def routes(service: Service, settings: Settings) -> list[BaseRoute]:
    secrets = line.channel_secrets(settings)
    pages = Pages()

    @pages.webhook("/webhook", name="webhook")
    async def receive(request: Request) -> Response:
        body = await request.body()
        line.check_signature(secrets, body, request.headers.get("x-line-signature"))
        await service.inbox.take(line.read_events(body), ANSWER_SECONDS)
        return JSONResponse({})

    @pages.webhook("/payments/{provider}", name="payment-callback")
    async def payment(request: Request) -> Response:
        body = await request.body()
        result = await service.settling.receive(request.path_params["provider"], body, request.headers)
        return JSONResponse({"result": result})

    return pages.routes
