"""Addresses that mail does not reach, or whose owners do not want it: nothing is sent there any more."""

from __future__ import annotations

import hashlib

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime import days
from sekkei_systems.tasks.design import MailBlock, mail_blocks

DETAIL_MAX = 300


def email_hash(email: str) -> str:
    return hashlib.sha256(email.casefold().encode()).hexdigest()


class MailBlocks:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db, self._clock = db, clock

    async def block(self, email: str, reason: str, detail: str = "") -> None:
        """Again is fine: the latest reason stands."""
        made = MailBlock(
            email_hash=email_hash(email),
            email=email,
            reason=reason,
            detail=detail[:DETAIL_MAX],
            at=days.now(self._clock),
        )
        await self._db.write(mail_blocks.put(made))

    async def of(self, email: str) -> MailBlock | None:
        return await self._db.get(mail_blocks(email_hash(email)).consistent())

    async def unblock(self, email: str) -> None:
        await self._db.write(mail_blocks.delete(email_hash(email)))
