"""The port: what the bot asks of LINE besides sending, which is for the outbox; and whether LINE is simulated."""

from __future__ import annotations

from typing import Protocol

from sekkei.runtime.ends import is_loopback
from sekkei.runtime.settings import Settings
from sekkei.runtime.transports.line import Quota


class LineEnd(Protocol):
    async def language_of(self, user_id: str) -> str | None:
        """The tag of the language that a user's LINE is set to."""
        ...

    async def show_loading(self, user_id: str) -> None:
        """Show dots in the chat, until the next message."""
        ...

    async def quota(self) -> Quota | None: ...


def local_secret(settings: Settings) -> bytes:
    """What the chat simulator signs with, where no channel is set up."""
    return settings.secrets.key("chiipochi/line").hex().encode()


def is_simulated(settings: Settings) -> bool:
    """Is there a chat simulator? It signs in LINE's place, so it is there for this machine alone, without a channel."""
    return not settings.get("line_channel_secret") and is_loopback(settings.public_url)
