"""What may cost a push. Replies are free; pushes are counted, and a small plan has 200 of them a month.

A message that answers somebody goes out as a reply. When its token is dead, or when nobody asked, this table decides.
"""

from __future__ import annotations

from enum import Enum
from typing import Literal


class Push(Enum):
    NEVER = "never"
    """Whoever asked can ask again, and the pages show it too."""
    PLENTY = "plenty"
    """While more than half of the month's pushes are left; the rest is for what people must know."""
    ALWAYS = "always"


News = Literal[
    "answer",
    "payment-link",
    "pledged",
    "thanks",
    "failed",
    "failed-later",
    "refunded",
    "refund-back",
    "paid-late",
    "paid-twice",
    "pledge",
    "pledge-over",
]

PUSHES: dict[News, Push] = {
    "answer": Push.NEVER,
    "payment-link": Push.ALWAYS,
    "pledged": Push.ALWAYS,
    "thanks": Push.PLENTY,
    "failed": Push.NEVER,
    "failed-later": Push.ALWAYS,
    "refunded": Push.ALWAYS,
    "refund-back": Push.ALWAYS,
    "paid-late": Push.ALWAYS,
    "paid-twice": Push.ALWAYS,
    "pledge": Push.ALWAYS,
    "pledge-over": Push.ALWAYS,
}
"""`failed` is a checkout that somebody left; `failed-later` is a slip of a convenience store that ran out."""


def may_push(push: Push, limit: int | None, used: int) -> bool:
    """`limit` is None where the plan has none."""
    if push is Push.PLENTY:
        return limit is None or used * 2 < limit
    return push is Push.ALWAYS
