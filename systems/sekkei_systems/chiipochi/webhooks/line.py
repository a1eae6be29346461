"""LINE's webhook: the signature first, then everything that the delivery brings."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from sekkei.runtime.settings import Settings
from sekkei.web import Pages
from sekkei_systems.chiipochi.ports.line.signatures import channel_secrets, check_signature
from sekkei_systems.chiipochi.rules.events import read_events
from sekkei_systems.chiipochi.service import Service

ANSWER_SECONDS = 1.0
"""LINE waits for two; whatever takes longer is written down and goes on after the answer."""


def routes(service: Service, settings: Settings) -> list[BaseRoute]:
    secrets = channel_secrets(settings)
    pages = Pages()

    @pages.webhook("/webhook", name="webhook")
    async def receive(request: Request) -> Response:
        body = await request.body()
        check_signature(secrets, body, request.headers.get("x-line-signature"))
        await service.inbox.take(read_events(body), ANSWER_SECONDS)
        return JSONResponse({})

    return pages.routes
