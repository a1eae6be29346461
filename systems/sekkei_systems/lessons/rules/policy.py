"""How studios handle their waitlists and cancellations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum

from sekkei.runtime.settings import Settings


class Fairness(Enum):
    """Who is told when a place becomes free."""

    BROADCAST = "broadcast"
    FIRST_IN_LINE = "first-in-line"


@dataclass(frozen=True, slots=True)
class Policy:
    """How a studio handles its waitlists."""

    fairness: Fairness = Fairness.BROADCAST
    hold: timedelta = timedelta(minutes=30)
    """How long an offer stands before the next in line gets it."""
    broadcast_within: timedelta = timedelta(hours=12)
    """So close to the start everybody is told, whatever the mode."""
    stop_before: timedelta = timedelta(minutes=10)
    """Nobody is told any more."""
    quiet_period: timedelta = timedelta()
    """Who was told of an opening is not told of the next one sooner than that; what is open then is told then."""
    cancel_until: timedelta = timedelta(hours=1)
    """Bookings can be cancelled until so long before the start."""
    late_within: timedelta = timedelta(hours=3)
    """A booking cancelled later than that is noted as cancelled late."""
    remind_before: timedelta = timedelta(hours=3)
    """Whoever has booked is reminded so long before the start."""

    def mode(self, starts_at: datetime, now: datetime) -> Fairness:
        if starts_at - now <= self.broadcast_within:
            return Fairness.BROADCAST
        return self.fairness

    def held_until(self, starts_at: datetime, told_at: datetime) -> datetime | None:
        """How long a place is held for somebody who hears of it at `told_at`: not longer than only they may book."""
        until = min(told_at + self.hold, starts_at - self.broadcast_within)
        return until if until > told_at else None

    def may_cancel(self, starts_at: datetime, now: datetime) -> bool:
        return now <= starts_at - self.cancel_until

    def is_late(self, starts_at: datetime, now: datetime) -> bool:
        return now > starts_at - self.late_within


MINUTES = (
    "hold",
    "broadcast_within",
    "stop_before",
    "quiet_period",
    "cancel_until",
    "late_within",
    "remind_before",
)
"""Times of a policy that a studio may have of its own."""


def policy_with(policy: Policy, fairness: str | None, minutes: Mapping[str, float]) -> Policy:
    """A studio's own, over what holds everywhere."""
    own = {name: timedelta(minutes=float(minutes[name])) for name in MINUTES if name in minutes}
    return replace(policy, fairness=Fairness(fairness) if fairness else policy.fairness, **own)


def policy_of(settings: Settings) -> Policy:
    """`SEKKEI_LESSONS_FAIRNESS=first-in-line`, and times such as `SEKKEI_LESSONS_HOLD_MINUTES=30`."""
    usual = Policy()

    def minutes(name: str, otherwise: timedelta) -> timedelta:
        given = settings.get(f"lessons_{name}_minutes")
        return timedelta(minutes=float(given)) if given else otherwise

    return Policy(
        fairness=Fairness(settings.get("lessons_fairness", usual.fairness.value)),
        hold=minutes("hold", usual.hold),
        broadcast_within=minutes("broadcast_within", usual.broadcast_within),
        stop_before=minutes("stop_before", usual.stop_before),
        quiet_period=minutes("quiet_period", usual.quiet_period),
        cancel_until=minutes("cancel_until", usual.cancel_until),
        late_within=minutes("late_within", usual.late_within),
        remind_before=minutes("remind_before", usual.remind_before),
    )
