"""Links that open a page without signing in: one tap from a notice, and the calendar feed.

A tap names one user and one tie of theirs, says when it was made and until when it is good, and is signed, so that
nobody can make one for somebody else. It does nothing by being opened: mail programs open links on their own.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime

from sekkei_systems.lessons.refusals import BadSlot, LinkOver, NoSuchTie
from sekkei_systems.lessons.rules.slots import Slot, parse_slot

_SIGNATURE_BYTES = 16


@dataclass(frozen=True, slots=True)
class Tap:
    """What a link in a notice is for."""

    user_id: str
    slot: Slot
    tie_id: str
    """The waitlist entry or the reservation that the notice was about; another one is not meant."""
    made_at: int
    """In seconds."""


class Links:
    """Makes and reads them; whether the user has made them void since is for the service to say."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def tap(self, user_id: str, slot: Slot, tie_id: str, made_at: datetime) -> str:
        """Good until the lesson begins."""
        until = int(slot.starts_at.timestamp())
        return self._signed("tap", f"{user_id}\n{slot}\n{tie_id}\n{int(made_at.timestamp())}\n{until}")

    def read_tap(self, token: str, now: datetime) -> Tap:
        parts = self._read("tap", token).split("\n")
        if len(parts) != 5:
            raise NoSuchTie()
        user_id, slot, tie_id, made_at, until = parts
        if now.timestamp() >= int(until):
            raise LinkOver()
        try:
            return Tap(user_id, parse_slot(slot), tie_id, int(made_at))
        except BadSlot:
            raise NoSuchTie() from None

    def calendar(self, user_id: str, secret: str) -> str:
        return self._signed("calendar", f"{user_id}\n{secret}")

    def read_calendar(self, token: str) -> tuple[str, str]:
        """Whose calendar, and the secret that the user has not changed since if it is still good."""
        user_id, _, secret = self._read("calendar", token).partition("\n")
        return user_id, secret

    def _signed(self, purpose: str, content: str) -> str:
        signature = hmac.digest(self._key, f"{purpose}\n{content}".encode(), hashlib.sha256)[:_SIGNATURE_BYTES]
        return base64.urlsafe_b64encode(signature + content.encode()).decode().rstrip("=")

    def _read(self, purpose: str, token: str) -> str:
        try:
            raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
            content = raw[_SIGNATURE_BYTES:].decode()
        except ValueError:
            raise NoSuchTie() from None
        # Compared as it is written, because several texts stand for the same bytes.
        if not hmac.compare_digest(self._signed(purpose, content).encode(), token.encode()):
            raise NoSuchTie()
        return content
