"""The local end of LINE: a simulator that looks like LINE and speaks its protocol, where no channel is set up."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

import orjson
from markupsafe import Markup, escape
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sekkei.kit.typed import Token
from sekkei.runtime.design import Message as OutboxMessage
from sekkei.runtime.live import Live
from sekkei.runtime.system import Context
from sekkei.runtime.transports.line import Quota, signature
from sekkei.web import Events, Html, Pages, Redirect, User, live_url
from sekkei_systems import days
from sekkei_systems.chiipochi.design import chat_messages, chat_of
from sekkei_systems.chiipochi.design.models import ChatMessage
from sekkei_systems.chiipochi.ports.line import local_secret
from sekkei_systems.chiipochi.ports.rich_menu import rich_menu
from sekkei_systems.chiipochi.refusals import MessageTooLong
from sekkei_systems.chiipochi.rules.messages import ACCENT, QUIET, opened
from sekkei_systems.chiipochi.service.access import Links
from sekkei_systems.chiipochi.service.letters import Readers, spoken
from sekkei_systems.days import day_of

KEPT = timedelta(days=30)
TEXT_MAX = 500
DATA_MAX = 300


def line_id(account_id: str) -> str:
    """The LINE user that an account is in the simulator; shaped as LINE shapes them."""
    return "U" + hashlib.sha256(f"chiipochi/{account_id}".encode()).hexdigest()[:32]


def topic(user_id: str) -> str:
    return f"chiipochi/chat/{user_id}"


@dataclass
class Chat:
    """Also LINE's end and a transport: where no channel is set up, messages of kind "line" end here."""

    context: Context

    async def send(self, message: OutboxMessage) -> str:
        await self._log(message.to, message.id.partition("/")[2], "bot", opened(message.body))
        return "shown in the simulator"

    async def language_of(self, user_id: str) -> str | None:
        return None

    async def show_loading(self, user_id: str) -> None:
        self.context.live.publish(topic(user_id), "loading", {})

    async def quota(self) -> Quota | None:
        return None

    async def signed_event(self, user_id: str, text: str | None, data: str | None, shown: str | None) -> dict[str, str]:
        """What LINE would deliver for this message: the body of a webhook, and its signature."""
        event = self._event(user_id)
        if text is not None and 1 <= len(text) <= TEXT_MAX:
            words = {"id": event["webhookEventId"], "type": "text", "text": text, "quoteToken": event["replyToken"]}
            event |= {"type": "message", "message": words}
        elif data is not None and len(data) <= DATA_MAX:
            event |= {"type": "postback", "postback": {"data": data}}
        elif text is None and data is None:
            event |= {"type": "follow", "follow": {"isUnblocked": False}}
        else:
            raise MessageTooLong(field="text")
        said = text or (shown or "")[:DATA_MAX]
        if said:
            await self._log(user_id, event["webhookEventId"], "user", [{"type": "text", "text": said}])
        body = orjson.dumps({"destination": "U" + "0" * 32, "events": [event]})
        return {"body": body.decode(), "signature": signature(local_secret(self.context.settings), body)}

    def _event(self, user_id: str) -> dict[str, Any]:
        return {
            "mode": "active",
            "timestamp": int(self.context.clock.now() * 1000),
            "source": {"type": "user", "userId": user_id},
            "webhookEventId": "SIM" + self.context.clock.uuid().replace("-", "")[:23].upper(),
            "deliveryContext": {"isRedelivery": False},
            "replyToken": self.context.clock.uuid().replace("-", ""),
        }

    async def recent(self, user_id: str) -> list[ChatMessage]:
        """The end of the conversation, oldest first."""
        page = await self.context.db.page(chat_of(user_id).consistent())
        return list(page)[::-1]

    async def _log(self, user_id: str, message_id: str, sender: str, messages: list[dict[str, Any]]) -> None:
        now = days.now(self.context.clock)
        safe_id = message_id.replace("#", "-").replace("|", "-")[-200:]
        entry = ChatMessage(
            user_id=user_id, at=now, message_id=safe_id, sender=sender, messages=messages, expires_at=now + KEPT
        )
        await self.context.db.write(chat_messages.put(entry))
        self.context.live.publish(topic(user_id), "message", {"sender": sender})


# LINE's message objects as the simulator draws them; pure.


_ADDRESS = re.compile(r"https?://[^\s<>\"']+")


@dataclass(frozen=True, slots=True)
class Button:
    """A button of a card, or a quick reply under the last message."""

    label: str
    style: str = "link"
    shape: str = "flex-button"
    text: str = ""
    data: str = ""
    uri: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a card."""

    text: str
    classes: str


@dataclass(frozen=True, slots=True)
class Row:
    """One message, of the user or of the bot."""

    sender: str
    at: datetime
    new_day: date | None
    text: Markup
    lines: list[Line] = field(default_factory=list)
    buttons: list[Button] = field(default_factory=list)
    quick: list[Button] = field(default_factory=list)


def view(entries: Iterable[ChatMessage], public_url: str) -> list[Row]:
    rows: list[Row] = []
    day: date | None = None
    for entry in entries:
        for message in entry.messages:
            today = day_of(entry.at)
            rows.append(_row(entry, message, today if today != day else None, public_url))
            day = today
    return rows


def _row(entry: ChatMessage, message: dict[str, Any], new_day: date | None, public_url: str) -> Row:
    items = message.get("quickReply", {}).get("items", [])
    quick = [_button(item["action"], "", "quick-reply", public_url) for item in items]
    if message["type"] != "flex":
        return Row(entry.sender, entry.at, new_day, _linked(message["text"], public_url), quick=quick)
    bubble = message["contents"]
    lines = [Line(part["text"], _classes(part)) for part in bubble["body"]["contents"]]
    buttons = [
        _button(part["action"], part["style"], "flex-button", public_url) for part in bubble["footer"]["contents"]
    ]
    return Row(entry.sender, entry.at, new_day, escape(message["altText"]), lines, buttons, quick)


def _button(action: dict[str, Any], style: str, shape: str, public_url: str) -> Button:
    label = action["label"]
    if action["type"] == "uri":
        return Button(label, style, shape, uri=_local(action["uri"], public_url))
    if action["type"] == "postback":
        return Button(label, style, shape, text=action.get("displayText", label), data=action["data"])
    return Button(label, style, shape, text=action["text"])


def _classes(part: dict[str, Any]) -> str:
    tone = {ACCENT: "accent", QUIET: "quiet-text"}.get(part.get("color", ""), "")
    return f"size-{part.get('size', 'md')} {part.get('weight', '')} {tone}"


def _linked(text: str, public_url: str) -> Markup:
    """Line ends and addresses as a chat shows them; everything else is escaped."""
    parts: list[Markup] = []
    end = 0
    for found in _ADDRESS.finditer(text):
        parts.append(escape(text[end : found.start()]))
        parts.append(Markup('<a href="{}">{}</a>').format(_local(found[0], public_url), _short(found[0])))
        end = found.end()
    parts.append(escape(text[end:]))
    return Markup("").join(parts).replace("\n", Markup("<br>"))


def _short(address: str) -> str:
    bare = address.partition("://")[2]
    return bare if len(bare) <= 36 else f"{bare[:35]}…"


def _local(address: str, public_url: str) -> str:
    """Our own addresses as paths, so that they lead to whichever name this server was opened by."""
    rest = address.removeprefix(public_url)
    return rest if rest == address or rest.startswith("/") else "/"


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
    from sekkei_systems.chiipochi.ports.rich_menu import picture  # Pillow is large, and most never look

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
