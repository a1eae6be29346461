"""LINE's events as the conversation sees them; pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson

from sekkei_systems.chiipochi.refusals import NoEvents, NotJson
from sekkei_systems.chiipochi.rules.conversation import Incoming

EVENTS_MAX = 100
EVENTS_KEPT = timedelta(days=8)
"""LINE does not say for how long it delivers again; a week is on the safe side."""
OTHER = ("sticker", "image", "video", "audio", "file", "location")
_USER = re.compile(r"U[0-9A-Za-z_-]{1,64}")
_EVENT = re.compile(r"[0-9A-Za-z_-]{1,64}")

_RawEvent = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Received:
    """An event that is for us, and its JSON as it came."""

    incoming: Incoming
    raw: _RawEvent


def read_events(body: bytes) -> list[Received]:
    """The events of a webhook that are for us; those of kinds that we do not know are left out."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        found = _with_halves(body)
    events = found.get("events") if isinstance(found, dict) else None
    if not isinstance(events, list) or len(events) > EVENTS_MAX:
        raise NoEvents(field="events")
    read = [(read_event(event), event) for event in events if isinstance(event, dict)]
    return [Received(incoming, event) for incoming, event in read if incoming is not None]


def _with_halves(body: bytes) -> Any:
    """Somebody's phone may cut an emoji in half, which no text can hold: that message has a `?` there, and the others
    of its delivery are heard."""
    try:
        return orjson.loads(json.dumps(json.loads(body), ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise NotJson() from None


def read_event(event: Mapping[str, Any]) -> Incoming | None:
    """One event as the conversation sees it; None when it is nothing to the bot."""
    source = event.get("source")
    event_id, at = event.get("webhookEventId"), event.get("timestamp")
    if event.get("mode") == "standby" or not isinstance(source, dict):
        return None
    user_id = source.get("userId")
    group = source.get("groupId") or source.get("roomId")
    if not (isinstance(event_id, str) and _EVENT.fullmatch(event_id) and isinstance(at, int) and at > 0):
        return None
    if source.get("type") in ("group", "room") and not isinstance(group, str):
        return None
    if user_id is None and isinstance(group, str):
        user_id = "Unknown"  # in groups people may be nameless; such events never reach a donation
    if not (isinstance(user_id, str) and _USER.fullmatch(user_id)):
        return None
    token = event.get("replyToken")
    given: dict[str, Any] = {
        "event_id": event_id,
        "user_id": user_id,
        "at_ms": at,
        "reply_token": token if isinstance(token, str) else None,
        "group": group if isinstance(group, str) else None,
    }
    return _of_kind(event, given)


def _of_kind(event: Mapping[str, Any], given: dict[str, Any]) -> Incoming | None:
    kind = event.get("type")
    message, postback = event.get("message"), event.get("postback")
    if kind == "message" and isinstance(message, dict):
        return _message(message, given)
    if kind == "postback" and isinstance(postback, dict) and isinstance(postback.get("data"), str):
        return Incoming(kind="postback", data=postback["data"], **given)
    if kind == "follow":
        follow = event.get("follow")
        unblocked = isinstance(follow, dict) and follow.get("isUnblocked") is True
        return Incoming(kind="follow", unblocked=unblocked, **given)
    if kind == "unfollow":
        return Incoming(kind="unfollow", **given)
    unsend = event.get("unsend")
    if kind == "unsend" and isinstance(unsend, dict) and isinstance(unsend.get("messageId"), str):
        return Incoming(kind="unsend", message_id=unsend["messageId"], **given)
    return None


def _message(message: Mapping[str, Any], given: dict[str, Any]) -> Incoming | None:
    text, message_id = message.get("text"), _text(message.get("id"))
    if message.get("type") in OTHER:
        return Incoming(kind="other", message_id=message_id, **given)
    if message.get("type") != "text" or not isinstance(text, str):
        return None
    return Incoming(kind="text", text=text, message_id=message_id, mentioned=_is_mentioned(message), **given)


def _is_mentioned(message: Mapping[str, Any]) -> bool:
    mention = message.get("mention")
    found = mention.get("mentionees") if isinstance(mention, dict) else None
    return isinstance(found, list) and any(isinstance(one, dict) and one.get("isSelf") is True for one in found)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
