"""The local ends as pages: a chat that looks like LINE and speaks its protocol, and a provider to pay at.

Where a LINE channel is set up, there is no simulator; where another provider is, there is no local one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import orjson
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from sekkei.runtime.refusals import Invalid, NotThere
from sekkei.runtime.system import Context
from sekkei.web import Pages, page, redirect, require_user, sse
from sekkei.web.live import live_url
from sekkei_systems.chiipochi import line
from sekkei_systems.chiipochi.chat import Chat, line_id, topic
from sekkei_systems.chiipochi.chat_view import view
from sekkei_systems.chiipochi.models import Outcome
from sekkei_systems.chiipochi.payments.local import LocalProvider
from sekkei_systems.chiipochi.payments.port import Provider
from sekkei_systems.chiipochi.readers import spoken
from sekkei_systems.chiipochi.rich_menu import rich_menu
from sekkei_systems.chiipochi.sayings import Language
from sekkei_systems.chiipochi.service import Service


class Sent(msgspec.Struct):
    """What somebody wrote, or the button they pressed."""

    text: str | None = None
    data: str | None = None
    shown: str | None = None


def routes(context: Context, service: Service, chat: Chat, provider: Provider) -> list[BaseRoute]:
    found: list[BaseRoute] = []
    if line.is_local(context.settings):
        found += _simulator(context, service, chat)
    if isinstance(provider, LocalProvider):
        found += _local_provider(context, provider)
    return found


def _simulator(context: Context, service: Service, chat: Chat) -> Sequence[BaseRoute]:
    pages = Pages()

    @pages.get("/chat", name="chat")
    async def show(request: Request) -> Response:
        user_id = line_id(require_user(request).id)
        live = live_url(request, context.live, topic(user_id), "/chiipochi/chat/live")
        rows = view(await chat.recent(user_id), context.settings.public_url)
        language = await _language(service, user_id)
        areas = [area["action"] for area in rich_menu(language)["areas"]]
        return page(request, "chiipochi/chat.html", rows=rows, live=live, areas=areas, spoken=language)

    @pages.get("/chat/menu-{language}.png", name="chat-menu")
    async def menu(request: Request) -> Response:
        """The picture that LINE is given, so that the simulator shows it too."""
        from sekkei_systems.chiipochi.rich_menu_picture import picture  # Pillow is large, and most never look

        language = spoken(request.path_params["language"])
        image = await asyncio.to_thread(picture, language)  # drawing it takes a moment, once
        return Response(image, media_type="image/png", headers={"Cache-Control": "public, max-age=86400"})

    @pages.get("/chat/messages", name="chat-messages")
    async def messages(request: Request) -> Response:
        user_id = line_id(require_user(request).id)
        rows = view(await chat.recent(user_id), context.settings.public_url)
        language = await _language(service, user_id)
        return page(request, "chiipochi/_messages.html", rows=rows, spoken=language)

    @pages.get("/chat/live", name="chat-live")
    async def live(request: Request) -> Response:
        return sse(request, context.live, topic(line_id(require_user(request).id)))

    @pages.post("/chat/sign", name="chat-sign")
    async def sign(request: Request) -> Response:
        """An event of this user, signed as LINE would sign it; the page then posts it to the webhook."""
        user_id = line_id(require_user(request).id)
        try:
            sent = msgspec.convert(orjson.loads(await request.body()), Sent)
        except (orjson.JSONDecodeError, msgspec.ValidationError):
            raise Invalid() from None
        signed: dict[str, Any] = await chat.signed_event(user_id, sent.text, sent.data, sent.shown)
        return JSONResponse(signed)

    @pages.get("/me", name="me")
    async def me(request: Request) -> Response:
        user_id = line_id(require_user(request).id)
        return redirect(request, "chiipochi:mine", token=service.links.my_token(user_id))

    return pages.routes


async def _language(service: Service, user_id: str) -> Language:
    """The menu speaks as the bot does."""
    _, language = await service.readers.standing(user_id)
    return language


def _local_provider(context: Context, provider: LocalProvider) -> Sequence[BaseRoute]:
    pages = Pages()

    @pages.get("/local-pay/{tx_id}", name="local-pay")
    async def show(request: Request) -> Response:
        payment = await provider.payment(request.path_params["tx_id"])
        if payment is None:
            raise NotThere()
        return page(request, "chiipochi/local_pay.html", payment=payment)

    @pages.post("/local-pay/{tx_id}", name="local-pay-decide")
    async def decide(request: Request) -> Response:
        tx_id = request.path_params["tx_id"]
        outcomes = {"approve": Outcome.PAID, "decline": Outcome.FAILED}
        outcome = outcomes.get(str((await request.form()).get("decision")))
        if outcome is None:
            raise Invalid(field="decision")
        payment = await provider.decide(tx_id, outcome)
        if payment is None:
            raise NotThere()
        await context.outbox.put("chiipochi.callback", tx_id, {}, id=f"callback/{tx_id}/{payment.outcome.value}")
        return redirect(request, payment.return_url.removeprefix(context.settings.public_url) or "/chiipochi/")

    return pages.routes
