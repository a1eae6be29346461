"""What people wrote, shown as they wrote it: Discord's markdown, links and mentions in it do nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sekkei_systems.eventbot.design import Event
from sekkei_systems.eventbot.rules.limits import CONTENT_MAX

_MARKS = re.compile(r"[\\*_~`|>\[\]()#<@:-]")


def escaped(text: str) -> str:
    """A colon too: without it no address becomes a link."""
    return _MARKS.sub(r"\\\g<0>", text)


# Calling people by name: Discord rings only those whom the message allows, a hundred at most, in 2,000 characters.


MENTIONS_PER_MESSAGE = 80
MESSAGES_MAX = 50
NOBODY: dict[str, Any] = {"parse": []}
"""For everything that only shows names. Without it Discord would ring everyone named."""


def mention(user_id: str) -> str:
    return f"<@{user_id}>"


def call_messages(text: str, user_ids: Sequence[str], **more: Any) -> list[dict[str, Any]]:
    """The text, and everyone rung: one message, or several when they are many. `more` goes into the last one."""
    calls: list[dict[str, Any]] = []
    groups = [user_ids[at : at + MENTIONS_PER_MESSAGE] for at in range(0, len(user_ids), MENTIONS_PER_MESSAGE)] or [()]
    for number, group in enumerate(groups[:MESSAGES_MAX]):
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
