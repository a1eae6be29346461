"""What the bot asks of LINE's channel besides sending; none of it is worth a failure."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass

from sekkei.runtime.transports.line import Quota, TokenRefused
from sekkei_systems.chiipochi.ports.line.port import LineEnd
from sekkei_systems.chiipochi.rules.conversation import Incoming
from sekkei_systems.chiipochi.texts import Language

QUOTA_SECONDS = 2.0

log = logging.getLogger("sekkei_systems.chiipochi.channel")


@dataclass
class Channel:
    line: LineEnd

    async def language_of(self, user_id: str) -> Language | None:
        """The language of ours that is nearest to a user's; None where LINE does not say."""
        tag = await self.line.language_of(user_id)
        return None if tag is None else "ja" if tag.lower().startswith("ja") else "en"

    async def quota(self) -> Quota | TokenRefused | None:
        """Pushes of this month, where LINE tells; a page waits for that only a moment."""
        try:
            async with asyncio.timeout(QUOTA_SECONDS):
                return await self.line.quota()
        except TokenRefused as refused:
            return refused
        except Exception as error:
            log.warning("LINE did not tell the quota", extra={"error": repr(error)})
            return None

    async def keep_waiting(self, events: Iterable[Incoming]) -> None:
        """Show those who wait that the bot is at work; whether that succeeds does not matter."""
        for user_id in {incoming.user_id for incoming in events if incoming.group is None}:
            try:
                await self.line.show_loading(user_id)
            except Exception as error:
                log.info("the loading sign could not be shown", extra={"user": user_id, "error": repr(error)})
