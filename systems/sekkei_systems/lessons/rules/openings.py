"""Who is told of a free place."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sekkei_systems.lessons.design import UserLesson
from sekkei_systems.lessons.rules.policy import Fairness


def to_tell(
    queue: Sequence[UserLesson], episode: int, places: int | None, mode: Fairness, now: datetime, quiet: timedelta
) -> list[UserLesson]:
    """Who of those waiting, in their order, is to be told of this opening now."""
    awake = [tie for tie in queue if tie.paused_until is None or tie.paused_until <= now]
    untold = [
        tie
        for tie in awake
        if tie.notify_episode < episode and (tie.notified_at is None or tie.notified_at + quiet <= now)
    ]
    if mode is Fairness.BROADCAST or places is None:
        return untold
    offers = sum(1 for tie in awake if holds_offer(tie, now))
    return untold[: max(0, places - offers)]


def holds_offer(tie: UserLesson | None, now: datetime) -> bool:
    return tie is not None and tie.offer_until is not None and tie.offer_until > now
