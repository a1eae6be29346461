"""Who is rung by a message, as Discord decides it: by its content, and by `allowed_mentions` where that is given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

USER, ROLE, _EVERYONE = re.compile(r"<@!?(\d+)>"), re.compile(r"<@&(\d+)>"), re.compile(r"@(?:everyone|here)\b")
SILENT = 1 << 12
"""SUPPRESS_NOTIFICATIONS"""


def pinged(message: Mapping[str, Any], *, everyone: bool) -> list[str]:
    """Ids of users, `&` and the id of a role, `everyone`. Without `allowed_mentions` all that are named are rung."""
    content, allowed = str(message.get("content") or ""), message.get("allowed_mentions")
    if message.get("flags", 0) & SILENT:
        return []
    users, roles = set(USER.findall(content)), set(ROLE.findall(content))
    loud = bool(_EVERYONE.search(content))
    if allowed is not None:
        parse = allowed.get("parse", ())
        users = users if "users" in parse else users & set(allowed.get("users") or ())
        roles = roles if "roles" in parse else roles & set(allowed.get("roles") or ())
        loud = loud and "everyone" in parse
    return [*sorted(users), *(f"&{role}" for role in sorted(roles)), *(["everyone"] if loud and everyone else [])]
