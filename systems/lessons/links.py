"""Links that open a page without signing in: one tap from a notice, and the calendar feed."""

from __future__ import annotations

import base64
import hashlib
import hmac

from systems.lessons.refusals import NoSuchTie
from systems.lessons.rules import Slot, parse_slot

_SIGNATURE_BYTES = 16


class Links:
    """Signed, so that nobody can make one for somebody else. A link names one user and one lesson, and books nothing by
    being opened."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def offer(self, user_id: str, slot: Slot) -> str:
        return self._signed("offer", f"{user_id}\n{slot}")

    def read_offer(self, token: str) -> tuple[str, Slot]:
        user_id, _, slot = self._read("offer", token).partition("\n")
        return user_id, parse_slot(slot)

    def calendar(self, user_id: str) -> str:
        return self._signed("calendar", user_id)

    def read_calendar(self, token: str) -> str:
        return self._read("calendar", token)

    def _signed(self, purpose: str, content: str) -> str:
        signature = hmac.digest(self._key, f"{purpose}\n{content}".encode(), hashlib.sha256)[:_SIGNATURE_BYTES]
        return base64.urlsafe_b64encode(signature + content.encode()).decode().rstrip("=")

    def _read(self, purpose: str, token: str) -> str:
        try:
            raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
            content = raw[_SIGNATURE_BYTES:].decode()
        except ValueError:
            raise NoSuchTie() from None
        expected = hmac.digest(self._key, f"{purpose}\n{content}".encode(), hashlib.sha256)[:_SIGNATURE_BYTES]
        if not hmac.compare_digest(raw[:_SIGNATURE_BYTES], expected):
            raise NoSuchTie()
        return content
