"""Single texts that are sealed in the store (AES-256-GCM), such as the token for a studio's system.

A text belongs to somebody or something: one that was copied to another's row does not open there.
"""

from __future__ import annotations

import base64
import secrets
from contextlib import suppress

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NONCE_BYTES = 12


class SealedTexts:
    def __init__(self, *keys: bytes) -> None:
        """The first key seals; every key opens."""
        self._ciphers = [AESGCM(key) for key in keys]

    def close(self, text: bytes, owner: str) -> str:
        nonce = secrets.token_bytes(NONCE_BYTES)
        return base64.b64encode(nonce + self._ciphers[0].encrypt(nonce, text, owner.encode())).decode()

    def open(self, sealed: str, owner: str) -> bytes | None:
        """None where it was sealed for another owner, or under another SEKKEI_SECRET."""
        try:
            box = base64.b64decode(sealed)
        except ValueError:
            return None
        for cipher in self._ciphers:
            with suppress(InvalidTag, ValueError):
                return cipher.decrypt(box[:NONCE_BYTES], box[NONCE_BYTES:], owner.encode())
        return None
