"""Messages as people see them: LINE's bubbles and cards, Discord's posts, notifications of a phone; pure.

What comes from outside is text here and never markup; pictures are named, not loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson

from sekkei.web.texts import speech

_CARDS_MAX = 20
DEPTH_MAX = 12
_MOMENT = re.compile(r"<t:(-?\d{1,12})(?::[a-zA-Z])?>")
_MENTION = re.compile(r"<(@[!&]?|#)(\d+)>")
_DISCORD_STYLES = {1: "primary", 3: "ok", 4: "danger"}


@dataclass(slots=True)
class Button:
    label: str
    style: str = ""
    url: str = ""


@dataclass(slots=True)
class Line:
    text: str
    strong: bool = False
    quiet: bool = False


@dataclass(slots=True)
class Card:
    """One bubble, card or post."""

    kind: str
    lines: list[Line] = field(default_factory=list)
    buttons: list[Button] = field(default_factory=list)
    colour: str = ""
    """Of a Discord embed's edge, as #rrggbb."""


def cards_of(kind: str, body: Mapping[str, Any]) -> list[Card]:
    """How a message looks where it arrives; nothing for one that has no such look, as a mail."""
    if kind == "push" or ("title" in body and "body" in body):
        return [_notification(body)]
    messages = _parsed(body.get("messages"))
    if isinstance(messages, list):
        found = [card for message in _maps(messages) for card in _line(message)]
        return found[:_CARDS_MAX]
    return [card for post in _posts(body) for card in _discord(post)][:_CARDS_MAX]


def _parsed(value: Any) -> Any:
    """Some bodies carry JSON as text."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return None


def _maps(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _notification(body: Mapping[str, Any]) -> Card:
    lines = [Line(str(body.get("title") or ""), strong=True), Line(str(body.get("body") or ""))]
    return Card("push", [line for line in lines if line.text])


# LINE


def _line(message: Mapping[str, Any]) -> Iterator[Card]:
    kind = message.get("type")
    if kind == "text":
        yield Card("line", [Line(str(message.get("text", "")))])
    elif kind == "flex":
        contents = _map(message.get("contents"))
        bubbles = _maps(contents.get("contents")) if contents.get("type") == "carousel" else [contents]
        for bubble in bubbles:
            card = Card("flex")
            for part in ("header", "hero", "body", "footer"):
                _flex(bubble.get(part), card, 0)
            yield card
    elif kind == "template":
        yield _template(_map(message.get("template")))
    else:
        yield Card("line", [Line(f"[{kind}] {message.get('altText', '')}".strip(), quiet=True)])
    quick = _maps(_map(message.get("quickReply")).get("items"))
    if quick:
        yield Card("quick", [], [_button(_map(item.get("action"))) for item in quick])


def _flex(part: Any, card: Card, depth: int) -> None:
    """What a box holds, in its order."""
    if not isinstance(part, Mapping) or depth > DEPTH_MAX:
        return
    kind = part.get("type")
    if kind == "text":
        spans = "".join(str(span.get("text", "")) for span in _maps(part.get("contents")))
        large = str(part.get("size")) in ("lg", "xl", "xxl", "3xl", "4xl", "5xl")
        small = str(part.get("size")) in ("xxs", "xs", "sm")
        card.lines.append(Line(str(part.get("text") or spans), part.get("weight") == "bold" or large, small))
    elif kind == "button":
        card.buttons.append(_button(_map(part.get("action")), str(part.get("style", ""))))
    elif kind == "image":
        card.lines.append(Line(f"[image] {part.get('url', '')}", quiet=True))
    for inner in _maps(part.get("contents")) if kind == "box" else ():
        _flex(inner, card, depth + 1)


def _template(template: Mapping[str, Any]) -> Card:
    lines = [Line(str(template.get("title") or ""), strong=True), Line(str(template.get("text") or ""))]
    buttons = [_button(action) for action in _maps(template.get("actions"))]
    return Card("flex", [line for line in lines if line.text], buttons)


def _button(action: Mapping[str, Any], style: str = "") -> Button:
    return Button(str(action.get("label") or action.get("text") or "…"), style, _address(action.get("uri")))


def _address(value: Any) -> str:
    """Only what leads to a page."""
    text = str(value or "")
    return text if text.startswith(("https://", "http://")) else ""


# Discord


def _posts(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Whatever looks like a message of Discord's, wherever a body has it."""
    if isinstance(value, list):
        for one in value:
            yield from _posts(one, depth + 1)
    if not isinstance(value, Mapping) or depth > DEPTH_MAX:
        return
    if any(name in value for name in ("content", "embeds", "components")):
        yield value
        return
    for one in value.values():
        yield from _posts(one, depth + 1)


def _discord(post: Mapping[str, Any]) -> Iterator[Card]:
    if post.get("content"):
        yield Card("discord", [Line(_said(str(post["content"])))])
    for embed in _maps(post.get("embeds")):
        yield _embed(embed)
    buttons = [
        Button(str(one.get("label") or one.get("placeholder") or "…"), _style(one), _address(one.get("url")))
        for row in _maps(post.get("components"))
        for one in _maps(row.get("components"))
    ]
    if buttons:
        yield Card("quick", [], buttons)


def _style(component: Mapping[str, Any]) -> str:
    style = component.get("style")
    return _DISCORD_STYLES.get(style, "") if isinstance(style, int) else ""


def _embed(embed: Mapping[str, Any]) -> Card:
    colour = embed.get("color")
    card = Card("embed", colour=f"#{colour:06x}" if isinstance(colour, int) and 0 <= colour <= 0xFFFFFF else "")
    if embed.get("title"):
        card.lines.append(Line(_said(str(embed["title"])), strong=True))
    if embed.get("description"):
        card.lines.append(Line(_said(str(embed["description"]))))
    for one in _maps(embed.get("fields")):
        card.lines += [Line(_said(str(one.get("name", ""))), strong=True), Line(_said(str(one.get("value", ""))))]
    footer = _map(embed.get("footer")).get("text")
    return Card(card.kind, [*card.lines, *([Line(str(footer), quiet=True)] if footer else [])], [], card.colour)


def _said(text: str) -> str:
    """Moments in the zone of the page, mentions as names of what they mention."""

    def moment(found: re.Match[str]) -> str:
        try:
            return datetime.fromtimestamp(int(found[1]), UTC).astimezone(speech.get().zone).strftime("%Y-%m-%d %H:%M")
        except (OverflowError, ValueError, OSError):
            return found[0]

    named = _MENTION.sub(lambda found: f"{'#' if found[1] == '#' else '@'}{found[2]}", text)
    return _MOMENT.sub(moment, named)
