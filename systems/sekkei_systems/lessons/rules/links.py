"""Links that open a page without signing in: one tap from a notice, and the calendar feed.

A tap names one user and one tie of theirs, says when it was made and until when it is good, and is signed, so that
nobody can make one for somebody else. It does nothing by being opened: mail programs open links on their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sekkei.kit.signing import BadToken, TokenOver
from sekkei.runtime.settings import Secrets
from sekkei_systems.lessons.refusals import LinkOver, NoSuchTie
from sekkei_systems.lessons.rules.slots import Slot, parse_slot


@dataclass(frozen=True, slots=True)
class Tap:
    """What a link in a notice is for."""

    user_id: str
    slot: Slot
    tie_id: str
    """The waitlist entry or the reservation that the notice was about; another one is not meant."""
    made_at: int
    """In seconds."""


@dataclass
class Links:
    """Makes and reads them; whether the user has made them void since is for the service to say."""

    secrets: Secrets

    def __post_init__(self) -> None:
        self._taps, self._calendars = self.secrets.signer("lessons links"), self.secrets.signer("lessons calendars")

    def tap(self, user_id: str, slot: Slot, tie_id: str, made_at: datetime) -> str:
        """Good until the lesson begins."""
        content = [user_id, str(slot), tie_id, int(made_at.timestamp())]
        return self._taps.sign(content, until=slot.starts_at.timestamp())

    def read_tap(self, token: str, now: datetime) -> Tap:
        try:
            user_id, slot, tie_id, made_at = self._taps.read(token, now.timestamp())
        except TokenOver:
            raise LinkOver() from None
        except BadToken:
            raise NoSuchTie() from None
        return Tap(user_id, parse_slot(slot), tie_id, made_at)

    def calendar(self, user_id: str, secret: str) -> str:
        return self._calendars.sign([user_id, secret])

    def read_calendar(self, token: str) -> tuple[str, str]:
        """Whose calendar, and the secret that the user has not changed since if it is still good."""
        try:
            user_id, secret = self._calendars.read(token, now=0)
        except BadToken:
            raise NoSuchTie() from None
        return user_id, secret
