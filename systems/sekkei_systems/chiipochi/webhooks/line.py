"""LINE's webhook: the signature first, then everything that the delivery brings."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sekkei.web import Pages
from sekkei_systems.chiipochi.ports.line.signatures import ChannelSecrets
from sekkei_systems.chiipochi.rules.events import read_events
from sekkei_systems.chiipochi.service.inbox import Inbox

ANSWER_SECONDS = 1.0
"""LINE waits for two; whatever takes longer is written down and goes on after the answer."""

pages = Pages()


@pages.webhook("/webhook", name="webhook")
async def receive(request: Request, secrets: ChannelSecrets, inbox: Inbox) -> Response:
    body = await request.body()
    secrets.check(body, request.headers.get("x-line-signature"))
    await inbox.take(read_events(body), ANSWER_SECONDS)
    return JSONResponse({})
