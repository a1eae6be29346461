"""What a studio's own system signs its pushes with: one secret for each studio, sealed in the table (AES-256-GCM).

It is shown once, when it is made. A sealed text that was copied to another studio does not open there.
"""

from __future__ import annotations

import base64
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime import days
from sekkei_systems.lessons.design import StudioSecret, studio_secrets
from sekkei_systems.lessons.service.access import Staff

NONCE_BYTES = 12


class StudioSecrets:
    def __init__(self, db: Database, clock: Clock, key: bytes) -> None:
        self._db = db
        self._clock = clock
        self._cipher = AESGCM(key)

    async def renew(self, staff: Staff) -> str:
        """A new one; the old one is void."""
        code, made = staff.managing().studio.code, secrets.token_urlsafe(32)
        nonce = secrets.token_bytes(NONCE_BYTES)
        sealed = nonce + self._cipher.encrypt(nonce, made.encode(), code.encode())
        text = base64.b64encode(sealed).decode()
        row = StudioSecret(studio_code=code, sealed=text, made_at=days.now(self._clock))
        await self._db.write(studio_secrets.put(row))
        return made

    async def forget(self, staff: Staff) -> None:
        """The environment's holds again."""
        await self._db.write(studio_secrets.delete(staff.managing().studio.code))

    async def find(self, studio_code: str) -> StudioSecret | None:
        return await self._db.get(studio_secrets(studio_code).consistent())

    async def secret(self, studio_code: str) -> bytes | None:
        """None when the studio has none of its own. One that does not open (another SEKKEI_SECRET) verifies nothing."""
        found = await self.find(studio_code)
        if found is None:
            return None
        sealed = base64.b64decode(found.sealed)
        try:
            return self._cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], studio_code.encode())
        except InvalidTag:
            return secrets.token_bytes(32)
