"""How somebody wants to wait: with a place booked for them until some hours before, and not at all until a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from msgspec import UNSET, UnsetType

from sekkei_systems.days import JST
from sekkei_systems.lessons.refusals import BadPause, BadWish
from sekkei_systems.lessons.rules.slots import Slot

HOURS_MAX = 14 * 24
HOURS = (1, 2, 3, 6, 12, 24, 48)
"""What is offered on pages."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """UNSET: nothing was said. None: not wanted."""

    book_hours: int | UnsetType | None = UNSET
    """Book a free place without asking, until so many hours before the start."""
    paused_until: date | UnsetType | None = UNSET
    """Watched again from this day."""

    def auto_book_until(self, slot: Slot) -> datetime | UnsetType | None:
        if not isinstance(self.book_hours, int):
            return self.book_hours
        if not 0 <= self.book_hours <= HOURS_MAX:
            raise BadWish(field="book_hours")
        return slot.starts_at - timedelta(hours=self.book_hours)

    def resumes(self, slot: Slot, now: datetime) -> datetime | UnsetType | None:
        if not isinstance(self.paused_until, date):
            return self.paused_until
        resumed = datetime.combine(self.paused_until, time(0, 0), JST)
        if not now < resumed < slot.starts_at:
            raise BadPause(field="paused_until")
        return resumed
