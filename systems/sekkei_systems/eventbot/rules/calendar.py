"""A guild's events as iCalendar, for any calendar that can subscribe."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from sekkei.runtime.icalendar import calendar, text
from sekkei_systems.eventbot.design import Event
from sekkei_systems.eventbot.rules.identifiers import uuid_of

DEFAULT_LENGTH = timedelta(hours=2)


def feed(name: str, listed: Iterable[Event], now: datetime) -> bytes:
    """Every event with a start; one that was called off says so."""
    events = (_lines(one, one.event_start_at, now) for one in listed if one.event_start_at is not None)
    return calendar("eventbot", name, events)


def _lines(event: Event, start: datetime, now: datetime) -> list[str]:
    found = [
        f"UID:{uuid_of(event.event_id)}@eventbot",
        f"DTSTAMP:{stamp(now)}",
        f"DTSTART:{stamp(start)}",
        f"DTEND:{stamp(event.event_end_at or start + DEFAULT_LENGTH)}",
        f"SEQUENCE:{event.version}",
        f"SUMMARY:{text(event.title)}",
        f"STATUS:{'CANCELLED' if event.cancelled_at else 'CONFIRMED'}",
    ]
    if event.description:
        found.append(f"DESCRIPTION:{text(event.description)}")
    if event.location:
        found.append(f"LOCATION:{text(event.location)}")
    if event.recruit_channel_id and event.recruit_message_id:
        url = f"https://discord.com/channels/{event.guild_id}/{event.recruit_channel_id}/{event.recruit_message_id}"
        found.append(f"URL:{url}")
    return found


def stamp(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"
