"""What ties a user to a lesson: how long it is kept, and the order of a queue."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sekkei_systems.lessons.design import KEPT_AFTER_LESSON, TieKind, UserLesson

NOTE_LENGTH_MAX = 500


def ttl_of(kind: TieKind, starts_at: datetime) -> datetime | None:
    """Favourites and waitlists go a week after the lesson; bookings become history, and history stays."""
    return starts_at + KEPT_AFTER_LESSON if kind in (TieKind.FAVORITE, TieKind.WAITLIST) else None


def with_own(queue: Sequence[UserLesson], user_id: str, own: UserLesson | None) -> list[UserLesson]:
    """A queue out of the index, which may be behind, with what is known for certain of one user's place in it."""
    others = [tie for tie in queue if tie.user_id != user_id]
    return others if own is None else sorted([*others, own], key=lambda tie: tie.queue_key or "")
