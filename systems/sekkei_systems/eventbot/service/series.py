"""A series: the next event out of this one, by the guild's clocks; and what only this one has is not passed on."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import orjson

from sekkei.design import Condition
from sekkei_systems.eventbot.design import Event
from sekkei_systems.eventbot.rules import options
from sekkei_systems.eventbot.rules.drafts import SHARED
from sekkei_systems.eventbot.rules.identifiers import new_event_id
from sekkei_systems.eventbot.rules.recurrence import following, moved
from sekkei_systems.eventbot.rules.zones import zone_of
from sekkei_systems.eventbot.service.desk import Desk

CARRIED = (
    "guild_id", *SHARED, "created_by", "created_by_name", "recruit_channel_id", "notice_channel_id",
    "waiting_list", "repeat", "thread_wanted", "mirror_wanted", "ping",
)  # fmt: skip
"""What the next one has from this one. Not the roles: who gets which and who may join is for the server to say, and a
role that it takes back comes back with no series."""
TIMES = ("event_start_at", "event_end_at", "deadline_at", "event_remind_at")
OTHERS = ("reminders", "repeat_day", "repeat_time")


def kept(event: Event) -> str:
    """What the series has, before one of its events is changed alone: its times, and what templates keep too."""
    if event.series is not None:
        return event.series
    texts = {name: getattr(event, name) for name in SHARED}
    times = {name: at.isoformat() if (at := getattr(event, name)) else None for name in TIMES}
    others = {name: getattr(event, name) for name in OTHERS}
    return orjson.dumps({**texts, **times, **others}).decode()


def as_series(event: Event) -> dict[str, Any]:
    """The event's values as the series has them."""
    values = {name: getattr(event, name) for name in (*CARRIED, *TIMES, *OTHERS)}
    if event.series is not None:
        for name, value in orjson.loads(event.series).items():
            values[name] = datetime.fromisoformat(value) if name in TIMES and value else value
    return values


def goes_on() -> Condition[Event]:
    """The next one is yet to be made, and nobody has ended the series, or let it rest, since it was read."""
    rests = Event.repeat_paused == True  # noqa: E712
    return Event.next_event_id.absent() & Event.repeat.exists() & ~rests


async def next_of(desk: Desk, event: Event, *, resumed: bool = False) -> Event | None:
    """The next of a series that is still to come; None where there is none, or it rests and is not resumed now."""
    values = as_series(event)
    start = values["event_start_at"]
    rests = event.repeat_paused and not resumed
    if event.repeat is None or rests or event.next_event_id is not None or start is None:
        return None
    settings = await desk.settings(event.guild_id)
    zone = zone_of(settings.time_zone)
    wall = start.astimezone(zone)
    day, clock = values["repeat_day"] or wall.day, values["repeat_time"] or f"{wall:%H:%M}"
    after = following(start, event.repeat, zone, day=day, clock=clock)
    while after <= desk.now():  # after a long pause
        after = following(after, event.repeat, zone, day=day, clock=clock)
    further = [moved(datetime.fromisoformat(at), start, after, zone) for at in values["reminders"]]
    times = {name: moved(values[name], start, after, zone) for name in TIMES}
    return Event(
        **{
            **{name: values[name] for name in CARRIED},
            **times,
            "reminders": [at.isoformat() for at in further if at is not None],
            "event_id": new_event_id(desk.clock),
            "created_at": desk.now(),
            "event_start_at": after,
            "repeat_day": day,
            "repeat_time": clock,
            "attendee_role_id": settings.attendee_role_id,
            "member_role_id": settings.member_role_id,
            "options": options.emptied(event.options),
        }
    )
