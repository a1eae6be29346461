"""How people wait for a place: what they wish, and who is told of a free one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from msgspec import UNSET, UnsetType

from sekkei_systems.days import JST
from sekkei_systems.lessons.design import UserLesson
from sekkei_systems.lessons.refusals import BadPause, BadWish
from sekkei_systems.lessons.rules.policy import Fairness
from sekkei_systems.lessons.rules.slots import Slot

# Who is told of a free place.


def untold(queue: Sequence[UserLesson], episode: int, now: datetime, quiet: timedelta) -> list[UserLesson]:
    """Who of those waiting, in their order, has not been told of this opening and may be told now."""
    return [
        tie
        for tie in queue
        if not is_paused(tie, now)
        and tie.notify_episode < episode
        and (tie.notified_at is None or tie.notified_at + quiet <= now)
    ]


def offers_left(queue: Sequence[UserLesson], places: int | None, mode: Fairness, now: datetime) -> int | None:
    """To how many a place can be offered now; None for everybody."""
    if mode is Fairness.BROADCAST or places is None:
        return None
    return max(0, places - sum(holds_offer(tie, now) for tie in queue if not is_paused(tie, now)))


def is_paused(tie: UserLesson, now: datetime) -> bool:
    return tie.paused_until is not None and tie.paused_until > now


def books_itself(tie: UserLesson, now: datetime) -> bool:
    """Whether somebody who waits wants a free place without being asked."""
    return tie.auto_book_until is not None and now <= tie.auto_book_until and not is_paused(tie, now)


def holds_offer(tie: UserLesson | None, now: datetime) -> bool:
    return tie is not None and tie.offer_until is not None and tie.offer_until > now


# How somebody wants to wait: with a place booked for them until some hours before, and not at all until a day.


_HOURS_MAX = 14 * 24
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
        if not 0 <= self.book_hours <= _HOURS_MAX:
            raise BadWish(field="book_hours")
        return slot.starts_at - timedelta(hours=self.book_hours)

    def resumes(self, slot: Slot, now: datetime) -> datetime | UnsetType | None:
        if not isinstance(self.paused_until, date):
            return self.paused_until
        resumed = datetime.combine(self.paused_until, time(0, 0), JST)
        if not now < resumed < slot.starts_at:
            raise BadPause(field="paused_until")
        return resumed
