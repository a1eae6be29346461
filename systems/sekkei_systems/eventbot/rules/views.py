"""An event or a notice with everything that is shown beside it, and what follows from the time of day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sekkei_systems.eventbot.design import Ack, Event, Member, Notice, Reply, SignUpOption, Status


@dataclass(frozen=True, slots=True)
class EventView:
    """An event and everyone who answered, in the order in which they did."""

    event: Event
    members: tuple[Member, ...]
    waiting: tuple[Reply, ...]
    maybe: tuple[Reply, ...]
    no: tuple[Reply, ...]

    @property
    def full(self) -> bool:
        return self.event.capacity is not None and len(self.members) >= self.event.capacity

    def of_option(self, option_id: str | None) -> tuple[Member, ...]:
        """Those who take part in one way; None for those who joined before there were several."""
        return tuple(one for one in self.members if one.option_id == option_id)

    def joinable(self, now: datetime) -> bool:
        return is_joinable(self.event, now)


@dataclass(frozen=True, slots=True)
class NoticeView:
    """A notice and how far it has been confirmed. Whoever confirmed and left since is not counted."""

    notice: Notice
    event: Event
    members: tuple[Member, ...]
    acks: tuple[Ack, ...]

    @property
    def confirmed(self) -> list[Ack]:
        """By members who are still there, in the order in which they confirmed."""
        present = {member.user_id for member in self.members}
        return [ack for ack in self.acks if ack.user_id in present]

    @property
    def unconfirmed(self) -> list[Member]:
        """Members less those who confirmed, in the order in which they joined."""
        done = {ack.user_id for ack in self.acks}
        return [member for member in self.members if member.user_id not in done]


def is_full(option: SignUpOption) -> bool:
    return option.capacity is not None and option.member_count >= option.capacity


def is_joinable(event: Event, now: datetime) -> bool:
    """What the condition of `design.join` says, for showing."""
    return (
        event.status is Status.OPEN
        and not has_started(event, now)
        and (event.deadline_at is None or event.deadline_at > now)
    )


_LASTS = timedelta(hours=6)
"""An event without an end is over after so long."""


def over_at(event: Event) -> datetime | None:
    """When an event is over; None while it has no date."""
    if event.event_end_at is not None or event.event_start_at is None:
        return event.event_end_at
    return event.event_start_at + _LASTS


def is_over(event: Event, now: datetime) -> bool:
    """Past its end, or called off."""
    end = over_at(event)
    return event.cancelled_at is not None or (end is not None and end <= now)


def has_started(event: Event, now: datetime) -> bool:
    return event.event_start_at is not None and event.event_start_at <= now
