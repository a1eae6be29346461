"""Texts as Discord takes them: what people wrote is shown as they wrote it, emoji are found, and people are called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sekkei_systems.eventbot.design import Event

CONTENT_MAX = 2000
EPHEMERAL = 64
"""The flag of a message that one person sees."""
_MARKS = re.compile(r"[\\*_~`|>\[\]()#<@:-]")


def escaped(text: str) -> str:
    """A colon too: without it no address becomes a link."""
    return _MARKS.sub(r"\\\g<0>", text)


# Calling people by name: Discord rings only those whom the message allows, a hundred at most, in 2,000 characters.


MENTIONS_PER_MESSAGE = 80
_MESSAGES_MAX = 50
NOBODY: dict[str, Any] = {"parse": []}
"""For everything that only shows names. Without it Discord would ring everyone named."""


def mention(user_id: str) -> str:
    return f"<@{user_id}>"


def call_messages(text: str, user_ids: Sequence[str], **more: Any) -> list[dict[str, Any]]:
    """The text, and everyone rung: one message, or several when they are many. `more` goes into the last one."""
    calls: list[dict[str, Any]] = []
    groups = [user_ids[at : at + MENTIONS_PER_MESSAGE] for at in range(0, len(user_ids), MENTIONS_PER_MESSAGE)] or [()]
    for number, group in enumerate(groups[:_MESSAGES_MAX]):
        names = " ".join(mention(user_id) for user_id in group)
        head = text if number == 0 else ""
        content = "\n".join(part for part in (head[: CONTENT_MAX - len(names) - 1], names) if part)
        allowed = {"users": list(group)} if group else NOBODY
        calls.append({"content": content, "allowed_mentions": allowed})
    calls[-1].update(more)
    return calls


def ringing(call: Mapping[str, Any], user_ids: Sequence[str]) -> dict[str, Any]:
    """A message with fewer people, who stand in its last line; without content where nothing is left."""
    if call["allowed_mentions"] in (NOBODY, {"users": list(user_ids)}):
        return dict(call)
    names = " ".join(mention(user_id) for user_id in user_ids)
    content = "\n".join(part for part in (call["content"].rpartition("\n")[0], names) if part)
    return {**call, "content": content, "allowed_mentions": {"users": list(user_ids)} if user_ids else NOBODY}


def ping_text(event: Event) -> str:
    """The role that a recruiting post names; a guild's own id stands for everyone."""
    if event.ping is None:
        return ""
    return "@everyone" if event.ping == event.guild_id else f"<@&{event.ping}>"


def rung_by(event: Event) -> dict[str, Any]:
    """Whom a recruiting post rings when it is posted; no edit rings anybody."""
    if event.ping is None:
        return NOBODY
    return {"parse": ["everyone"]} if event.ping == event.guild_id else {"parse": [], "roles": [event.ping]}


# Emoji as Discord takes them on buttons: one of Unicode's, or a server's own written <:name:id>.


_PLAIN = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u24c2"
    "\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604\u260e\u2611\u2614\u2615\u2618\u261d\u2620\u2622\u2623\u2626\u262a"
    "\u262e\u262f\u2638-\u263a\u2640\u2642\u2648-\u2653\u265f\u2660\u2663\u2665\u2666\u2668\u267b\u267e\u267f\u2692-\u2697"
    "\u2699\u269b\u269c\u26a0\u26a1\u26a7\u26aa\u26ab\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf\u26d1\u26d3"
    "\u26d4\u26e9\u26ea\u26f0-\u26f5\u26f7-\u26fa\u26fd\u2702\u2705\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721\u2728"
    "\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935"
    "\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f004\U0001f0cf\U0001f170-\U0001f19a"
    "\U0001f201-\U0001f251\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7eb\U0001f90c-\U0001f9ff"
    "\U0001fa70-\U0001faff"
)
_ONE = f"[{_PLAIN}][\ufe0f\U0001f3fb-\U0001f3ff]?[\U000e0020-\U000e007f]*"
_UNICODE = f"[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3|{_ONE}(?:\u200d{_ONE})*"
_OWN = r"<(a?):(\w{2,32}):([0-9]{15,20})>"
_LEADING = re.compile(f"({_OWN}|{_UNICODE})\\s*")
_WHOLE = re.compile(_UNICODE)
_WHOLE_OWN = re.compile(_OWN, re.ASCII)


def leading_emoji(text: str) -> tuple[str | None, str]:
    """The emoji that a text begins with, and the rest of it."""
    found = _LEADING.match(text)
    return (found[1], text[found.end() :]) if found else (None, text)


def emoji_on_button(written: str) -> dict[str, Any]:
    """As a component has it."""
    own = _WHOLE_OWN.fullmatch(written)
    if own is None:
        return {"name": written}
    return {"name": own[2], "id": own[3], **({"animated": True} if own[1] else {})}


def own_emoji_id(written: str | None) -> str | None:
    """Of an emoji that belongs to some server."""
    own = _WHOLE_OWN.fullmatch(written or "")
    return own[3] if own else None


def is_valid_emoji(emoji: object) -> bool:
    """Does Discord take it on a button?"""
    if not isinstance(emoji, dict):
        return False
    name, id = emoji.get("name"), emoji.get("id")
    if id is not None:
        return bool(re.fullmatch(r"[0-9]{15,20}", str(id), re.ASCII))
    return isinstance(name, str) and _WHOLE.fullmatch(name) is not None
