"""What the bot asks of LINE besides sending, which is for the outbox; and whether LINE is simulated."""

from __future__ import annotations

import logging
from typing import Protocol

from sekkei.clock import Clock
from sekkei.runtime.design import Message
from sekkei.runtime.ends import is_loopback
from sekkei.runtime.settings import Settings
from sekkei.runtime.transports.line import REMEMBERS_SECONDS, LineApi, Quota
from sekkei_systems.chiipochi.rules.messages import Push, may_push, opened


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


# The transport of the bot's messages: a reply while its token lives, otherwise a push that LINE takes once.


REPLY_SECONDS = 50
"""LINE takes a reply token for a minute after it came; some of that passes on the way."""
QUOTA_SECONDS = 600
"""How long we rely on what LINE said of the month's pushes."""

log = logging.getLogger("sekkei_systems.chiipochi.line")


class Replies:
    remembers_seconds = REMEMBERS_SECONDS

    def __init__(self, line: LineApi, clock: Clock) -> None:
        self._line, self._clock = line, clock
        self._quota: tuple[float, Quota | None] = (0.0, None)

    async def send(self, message: Message) -> str:
        token = message.body.get("reply_token")
        age = self._clock.now() - message.created_at.timestamp()
        if token and age < REPLY_SECONDS:
            receipt = await self._line.reply(token, opened(message.body))
            if receipt is not None:
                return receipt
            log.info("a reply token was not taken", extra={"message_id": message.id})
        if not await self._may_push(Push(message.body["push"])):
            return "not sent: it is not worth a push"
        return await self._line.send(message)

    async def _may_push(self, push: Push) -> bool:
        if push is not Push.PLENTY:
            return may_push(push, None, 0)
        quota = await self._recent_quota()
        return may_push(push, quota.limit, quota.used)

    async def _recent_quota(self) -> Quota:
        asked_at, quota = self._quota
        if quota is None or self._clock.now() - asked_at > QUOTA_SECONDS:
            quota = await self._line.quota()
            self._quota = self._clock.now(), quota
        return quota
