"""What a studio's own system signs its pushes with: one secret for each studio, sealed in the table.

It is shown once, when it is made.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime import days
from sekkei.runtime.sealed_texts import SealedTexts
from sekkei.runtime.settings import Secrets
from sekkei_systems.lessons.design import StudioSecret, studio_secrets
from sekkei_systems.lessons.service.access import Staff


@dataclass
class StudioSecrets:
    db: Database
    clock: Clock
    keys: Secrets

    def __post_init__(self) -> None:
        self._texts = SealedTexts(*self.keys.keys("lessons studio secrets"))

    async def renew(self, staff: Staff) -> str:
        """A new one; the old one is void."""
        code, made = staff.managing().studio.code, secrets.token_urlsafe(32)
        sealed = self._texts.close(made.encode(), code)
        row = StudioSecret(studio_code=code, sealed=sealed, made_at=days.now(self.clock))
        await self.db.write(studio_secrets.put(row))
        return made

    async def forget(self, staff: Staff) -> None:
        """The environment's holds again."""
        await self.db.write(studio_secrets.delete(staff.managing().studio.code))

    async def find(self, studio_code: str) -> StudioSecret | None:
        return await self.db.get(studio_secrets(studio_code).consistent())

    async def secret(self, studio_code: str) -> bytes | None:
        """None when the studio has none of its own. One that does not open (another SEKKEI_SECRET) verifies nothing."""
        found = await self.find(studio_code)
        if found is None:
            return None
        return self._texts.open(found.sealed, studio_code) or secrets.token_bytes(32)
