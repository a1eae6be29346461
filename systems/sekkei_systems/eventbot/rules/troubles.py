"""What Discord refused around an event, as a sentence for the people who can mend it."""

from __future__ import annotations

import re
from collections.abc import Mapping

STEPS = ("thread", "mirror", "role", "reminder")
KNOWN = {
    "thread": {50001: "thread-permission", 50013: "thread-permission", 50024: "thread-place", 10008: "thread-message"},
    "mirror": {50001: "mirror-permission", 50013: "mirror-permission", 10070: "mirror-deleted", 30038: "mirror-many",
               180000: "mirror-deleted"},
    "role": {10011: "role-deleted", 50001: "role-permission", 50013: "role-permission", -1: "role-powers",
             -2: "role-raised", -3: "role-above-bot"},
    "reminder": {10003: "reminder-thread", 50001: "reminder-thread", 50013: "reminder-thread",
                 50083: "reminder-thread", 160005: "reminder-thread"},
}  # fmt: skip
UNDELIVERED = {
    10008: "lost", 50005: "lost", 50001: "permission", 50013: "permission", 10003: "channel", 10004: "server",
    50035: "form", 50083: "thread", 160005: "thread",
}  # fmt: skip
_CODE = re.compile(r"\((-?\d+)\)")


def code_of(error: str) -> int:
    """Discord's own code within what was written down."""
    found = _CODE.search(error)
    return int(found[1]) if found else 0


def sentences(troubles: Mapping[str, str]) -> list[tuple[str, str]]:
    """The key of each sentence, and the error behind it; in the order of the steps."""
    return [
        (KNOWN[step].get(code_of(troubles[step]), f"{step}-other"), troubles[step])
        for step in STEPS
        if step in troubles
    ]


def why(error: str | None) -> str:
    """The key of the sentence that says why a message could not be posted or changed."""
    return f"bot.undelivered-{UNDELIVERED.get(code_of(error or ''), 'other')}"
