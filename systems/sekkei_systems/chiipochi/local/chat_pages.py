"""The chat simulator: a page that looks like LINE and speaks its protocol, where no channel is set up."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import orjson
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from sekkei.runtime.refusals import Invalid
from sekkei.runtime.system import Context
from sekkei.web import Pages, page, redirect, require_user, sse
from sekkei.web.live import live_url
from sekkei_systems.chiipochi.local.chat import Chat, line_id, topic
from sekkei_systems.chiipochi.local.chat_view import view
from sekkei_systems.chiipochi.rules.rich_menu import rich_menu
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.service.readers import spoken
from sekkei_systems.chiipochi.texts import Language


class Sent(msgspec.Struct):
    """What somebody wrote, or the button they pressed."""

    text: str | None = None
    data: str | None = None
    shown: str | None = None


def routes(context: Context, service: Service, chat: Chat) -> list[BaseRoute]:
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
        from sekkei_systems.chiipochi.ports.line.rich_menu_picture import (
            picture,  # Pillow is large, and most never look
        )

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
