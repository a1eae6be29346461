"""Who is told of a free place."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sekkei_systems.lessons.design import UserLesson
from sekkei_systems.lessons.rules.policy import Fairness


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
