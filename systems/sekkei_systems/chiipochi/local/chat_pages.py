"""The chat simulator: a page that looks like LINE and speaks its protocol, where no channel is set up."""

from __future__ import annotations

import asyncio

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sekkei.kit.typed import Token
from sekkei.runtime.live import Live
from sekkei.web import Events, Html, Pages, Redirect, User, live_url
from sekkei_systems.chiipochi.local.chat import Chat, line_id, topic
from sekkei_systems.chiipochi.local.chat_view import Row, view
from sekkei_systems.chiipochi.rules.rich_menu import rich_menu
from sekkei_systems.chiipochi.service.access import Links
from sekkei_systems.chiipochi.service.letters import Readers, spoken

pages = Pages()


class Sent(Struct):
    """What somebody wrote, or the button they pressed."""

    text: Token | None = None
    data: Token | None = None
    shown: Token | None = None


@pages.get("/chat", name="chat")
async def show(request: Request, user: User, chat: Chat, readers: Readers, live: Live) -> Html:
    user_id = line_id(user.id)
    address = live_url(request, live, topic(user_id), "/chiipochi/chat/live")
    _, language = await readers.standing(user_id)
    areas = [area["action"] for area in rich_menu(language)["areas"]]
    rows = await _rows(chat, user_id)
    return Html("chiipochi/chat.html", rows=rows, live=address, areas=areas, spoken=language)


async def _rows(chat: Chat, user_id: str) -> list[Row]:
    return view(await chat.recent(user_id), chat.context.settings.public_url)


@pages.get("/chat/menu-{language}.png", name="chat-menu")
async def menu(language: str) -> Response:
    """The picture that LINE is given, so that the simulator shows it too."""
    from sekkei_systems.chiipochi.ports.line.rich_menu_picture import picture  # Pillow is large, and most never look

    image = await asyncio.to_thread(picture, spoken(language))  # drawing it takes a moment, once
    return Response(image, media_type="image/png", headers={"Cache-Control": "public, max-age=86400"})


@pages.get("/chat/messages", name="chat-messages")
async def messages(user: User, chat: Chat, readers: Readers) -> Html:
    user_id = line_id(user.id)
    _, language = await readers.standing(user_id)
    return Html("chiipochi/_messages.html", rows=await _rows(chat, user_id), spoken=language)


@pages.get("/chat/live", name="chat-live")
async def listen(user: User) -> Events:
    return Events(topic(line_id(user.id)))


@pages.post("/chat/sign", name="chat-sign")
async def sign(user: User, chat: Chat, body: Sent) -> Response:
    """An event of this user, signed as LINE would sign it; the page then posts it to the webhook."""
    return JSONResponse(await chat.signed_event(line_id(user.id), body.text, body.data, body.shown))


@pages.get("/me", name="me")
async def me(user: User, links: Links) -> Redirect:
    return Redirect("chiipochi:mine", token=links.my_token(line_id(user.id)))
