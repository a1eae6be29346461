"""Discord's permission bits, as far as this bot asks about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ADMINISTRATOR = 1 << 3
MANAGE_GUILD = 1 << 5
VIEW_CHANNEL = 1 << 10
SEND_MESSAGES = 1 << 11
EMBED_LINKS = 1 << 14
READ_MESSAGE_HISTORY = 1 << 16
MANAGE_ROLES = 1 << 28
MANAGE_EVENTS = 1 << 33
CREATE_PUBLIC_THREADS = 1 << 35
SEND_MESSAGES_IN_THREADS = 1 << 38
CREATE_EVENTS = 1 << 44

ORGANISING = ADMINISTRATOR | MANAGE_GUILD | MANAGE_EVENTS
"""Any of these makes an organiser."""
POSTING = VIEW_CHANNEL | SEND_MESSAGES | EMBED_LINKS
"""All of these are needed to post."""


def bits(text: object) -> int:
    """The decimal text of an interaction; anything else is no permission at all."""
    if not isinstance(text, str) or not text.isascii() or not text.isdigit() or len(text) > 30:
        return 0
    return int(text)


def of_member(guild: Mapping[str, Any], member: Mapping[str, Any]) -> int:
    """What a member may do in a guild: everybody's role (its id is the guild's) and their own; the owner everything."""
    if guild.get("owner_id") == (member.get("user") or {}).get("id"):
        return ADMINISTRATOR
    theirs = {str(guild.get("id")), *map(str, member.get("roles") or ())}
    found = 0
    for role in guild.get("roles") or ():
        found |= bits(role.get("permissions")) if str(role.get("id")) in theirs else 0
    return found


def may_post(app_permissions: int) -> bool:
    return bool(app_permissions & ADMINISTRATOR) or app_permissions & POSTING == POSTING
