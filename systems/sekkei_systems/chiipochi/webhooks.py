"""Requests of other programs; each is signed."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sekkei.runtime.transports.line import ChannelSecrets
from sekkei.web import Pages
from sekkei_systems.chiipochi.refusals import BadSignature
from sekkei_systems.chiipochi.rules.events import read_events
from sekkei_systems.chiipochi.service.inbox import Inbox
from sekkei_systems.chiipochi.service.payments import Settling

ANSWER_SECONDS = 1.0
"""LINE waits for two; whatever takes longer is written down and goes on after the answer."""

pages = Pages()


@pages.webhook("/webhook", name="webhook")
async def receive(request: Request, secrets: ChannelSecrets, inbox: Inbox) -> Response:
    """LINE's webhook: the signature first, then everything that the delivery brings."""
    body = await request.body()
    if not secrets.have_signed(body, request.headers.get("x-line-signature")):
        raise BadSignature()
    await inbox.take(read_events(body), ANSWER_SECONDS)
    return JSONResponse({})


@pages.webhook("/payments/{provider}", name="payment-callback")
async def payment(request: Request, provider: str, settling: Settling) -> Response:
    """A payment provider's callback; the provider checks its own signature."""
    return JSONResponse({"result": await settling.receive(provider, await request.body(), request.headers)})
