"""LINE's way in: whoever sends the bot the code from the page of notices has linked this chat to their account.

The channel's webhook is `/lessons/line`; its settings stand in `sekkei.runtime.transports.line`.
"""

from __future__ import annotations

from collections.abc import Iterator

import orjson
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import Invalid
from sekkei.runtime.settings import Settings
from sekkei.runtime.transports.line import ChannelSecrets
from sekkei.web import Pages
from sekkei_systems.lessons.refusals import BadSignature
from sekkei_systems.lessons.service.contacts import Contacts
from sekkei_systems.lessons.texts import say

_EVENTS_MAX = 100
_TEXT_LENGTH_MAX = 200

pages = Pages()


def channel_secrets(settings: Settings) -> ChannelSecrets:
    """The secrets that LINE signs with; without one no chat can be linked."""
    if settings.get("line_channel_secret") and not settings.get("line_channel_token"):
        raise ValueError(
            "SEKKEI_LINE_CHANNEL_SECRET is set, and SEKKEI_LINE_CHANNEL_TOKEN is not: people would link chats "
            "and hear nothing there. Set both, or neither."
        )
    return ChannelSecrets.configured(settings)


@pages.webhook("/line", name="line")
async def line(request: Request, secrets: ChannelSecrets, contacts: Contacts, outbox: Outbox) -> Response:
    body = await request.body()
    if not secrets.have_signed(body, request.headers.get("x-line-signature")):
        raise BadSignature()
    for event_id, user, text in _texts_in(body):
        person = await contacts.link_line(user, text)
        if person is not None:
            words = say(person.language, "notice.linked")
            said = {"messages": orjson.dumps([{"type": "text", "text": words}]).decode()}
            await outbox.put("line", user, {"to": user, **said}, id=f"linked/{event_id}")
    return JSONResponse({})


def _texts_in(body: bytes) -> Iterator[tuple[str, str, str]]:
    """Event, user and words of the text messages of a webhook; the rest is nothing to us."""
    try:
        events = orjson.loads(body)["events"][:_EVENTS_MAX]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise Invalid(field="events") from None
    for event in events:
        message, source = (event.get("message"), event.get("source")) if isinstance(event, dict) else (None, None)
        if not isinstance(message, dict) or not isinstance(source, dict) or source.get("type") != "user":
            continue
        found = (event.get("webhookEventId"), source.get("userId"), message.get("text"))
        event_id, user, text = (one if isinstance(one, str) and len(one) <= _TEXT_LENGTH_MAX else "" for one in found)
        if event_id and user and text:
            yield event_id, user, text
