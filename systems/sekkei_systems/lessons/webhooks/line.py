"""LINE's way in: whoever sends the bot the code from the page of notices has linked this chat to their account.

SEKKEI_LINE_CHANNEL_SECRET verifies what LINE sends; the channel's webhook is `/lessons/line`.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator

import orjson
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from sekkei.runtime.refusals import Invalid
from sekkei.runtime.system import Context
from sekkei.runtime.transports.line import signature
from sekkei.web import Pages
from sekkei_systems.lessons.refusals import BadSignature
from sekkei_systems.lessons.service.contacts import Contacts

EVENTS_MAX = 100
TEXT_LENGTH_MAX = 200
LINKED = "このトークでレッスンのお知らせを受け取れるようになりました。"


def routes(contacts: Contacts, context: Context) -> list[BaseRoute]:
    pages = Pages()
    secret = context.settings.get("line_channel_secret").encode()

    @pages.webhook("/line", name="line")
    async def line(request: Request) -> Response:
        body = await request.body()
        given = request.headers.get("x-line-signature", "")
        if not secret or not hmac.compare_digest(signature(secret, body).encode(), given.encode()):
            raise BadSignature()
        for event_id, user, text in texts_in(body):
            if await contacts.link_line(user, text) is not None:
                said = {"messages": orjson.dumps([{"type": "text", "text": LINKED}]).decode()}
                await context.outbox.put("line", user, {"to": user, **said}, id=f"linked/{event_id}")
        return JSONResponse({})

    return pages.routes


def texts_in(body: bytes) -> Iterator[tuple[str, str, str]]:
    """Event, user and words of the text messages of a webhook; the rest is nothing to us."""
    try:
        events = orjson.loads(body)["events"][:EVENTS_MAX]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise Invalid(field="events") from None
    for event in events:
        message, source = (event.get("message"), event.get("source")) if isinstance(event, dict) else (None, None)
        if not isinstance(message, dict) or not isinstance(source, dict) or source.get("type") != "user":
            continue
        found = (event.get("webhookEventId"), source.get("userId"), message.get("text"))
        event_id, user, text = (one if isinstance(one, str) and len(one) <= TEXT_LENGTH_MAX else "" for one in found)
        if event_id and user and text:
            yield event_id, user, text
