"""LINE's message objects as the simulator draws them; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from markupsafe import Markup, escape

from sekkei_systems.chiipochi.design.models import ChatMessage
from sekkei_systems.chiipochi.rules.messages import ACCENT, QUIET
from sekkei_systems.days import day_of

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
