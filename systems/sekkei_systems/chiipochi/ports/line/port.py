"""The port: what the bot asks of LINE besides sending, which is the outbox's business."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sekkei.runtime.outbox import Rejected
from sekkei_systems.chiipochi.texts import Language


@dataclass(frozen=True, slots=True)
class Quota:
    """Pushes of this month; replies are free. `limit` is None where there is none."""

    limit: int | None
    used: int


class TokenRefused(Rejected):
    """LINE does not take our channel access token; messages wait until it is set anew."""


class LineEnd(Protocol):
    async def language_of(self, user_id: str) -> Language | None:
        """What LINE knows of the language somebody reads."""
        ...

    async def show_loading(self, user_id: str) -> None:
        """Dots in the chat, until the next message."""
        ...

    async def quota(self) -> Quota | None: ...
