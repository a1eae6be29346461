"""What LINE's reference allows in a message. `check` refuses the rest before it is sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

Message = dict[str, Any]

MESSAGES_MAX = 5
TEXT_UNITS_MAX = 5_000
QUICK_REPLIES_MAX = 13
LABEL_MAX = 20
DATA_MAX = 300
URI_MAX = 1_000
ALT_TEXT_MAX = 400
BUBBLE_BYTES_MAX = 30_000
CAROUSEL_BYTES_MAX = 50_000
CAROUSEL_BUBBLES_MAX = 12
SENDER_MAX = 20


class Unsendable(ValueError):
    """A message that LINE would refuse."""


def check(messages: Sequence[Message]) -> None:
    """Raise Unsendable for what LINE's reference forbids: counts, lengths, sizes, actions."""
    if not 1 <= len(messages) <= MESSAGES_MAX:
        raise Unsendable(f"{len(messages)} messages in one request; LINE takes 1 to {MESSAGES_MAX}")
    for message in messages:
        if message["type"] == "text":
            _check_length("text", units(message["text"]), 1, TEXT_UNITS_MAX)
        else:
            _check_length("altText", units(message["altText"]), 1, ALT_TEXT_MAX)
            _check_container(message["contents"])
        _check_length("quickReply", len(message.get("quickReply", {}).get("items", [])), 0, QUICK_REPLIES_MAX)
        _check_length("sender", units(message.get("sender", {}).get("name", "-")), 1, SENDER_MAX)
        for action in actions(message):
            _check_action(action)


def actions(part: Any) -> Iterable[Message]:
    """Every action anywhere in a message."""
    if isinstance(part, dict):
        if isinstance(part.get("action"), dict):
            yield part["action"]
        for value in part.values():
            yield from actions(value)
    elif isinstance(part, list):
        for value in part:
            yield from actions(value)


def _check_container(contents: Message) -> None:
    size = len(orjson.dumps(contents))
    if contents["type"] == "carousel":
        _check_length("carousel", len(contents["contents"]), 1, CAROUSEL_BUBBLES_MAX)
        _check_length("carousel in bytes", size, 1, CAROUSEL_BYTES_MAX)
    else:
        _check_length("bubble in bytes", size, 1, BUBBLE_BYTES_MAX)


def _check_action(action: Message) -> None:
    _check_length("label", units(action.get("label", "-")), 1, LABEL_MAX)
    if action["type"] == "postback":
        _check_length("data", units(action["data"]), 1, DATA_MAX)
        _check_length("displayText", units(action.get("displayText", "-")), 1, DATA_MAX)
    elif action["type"] == "message":
        _check_length("text", units(action["text"]), 1, DATA_MAX)
    elif action["type"] == "uri":
        check_uri(action["uri"])


def check_uri(uri: str) -> None:
    _check_length("uri", units(uri), 1, URI_MAX)
    if not uri.startswith(("http://", "https://", "line://", "tel:")):
        raise Unsendable(f"the address {uri[:60]} is of no scheme that LINE opens")


def _check_length(what: str, found: int, low: int, high: int) -> None:
    if not low <= found <= high:
        raise Unsendable(f"{what} has {found}; LINE takes {low} to {high}")


def units(words: str) -> int:
    """Length as LINE counts it: UTF-16 units."""
    return len(words) if words.isascii() else len(words.encode("utf-16-le")) // 2
