"""A guild's events as iCalendar, for any calendar that can subscribe."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from sekkei.kit.calendars import Entry, write
from sekkei_systems.eventbot.design import Event
from sekkei_systems.eventbot.rules.identifiers import uuid_of

DEFAULT_LENGTH = timedelta(hours=2)


def feed(name: str, listed: Iterable[Event], now: datetime) -> bytes:
    """Every event with a start; one that was called off says so."""
    entries = (_entry(event, event.event_start_at) for event in listed if event.event_start_at is not None)
    return write("eventbot", name, entries, now)


def _entry(event: Event, start: datetime) -> Entry:
    message = f"{event.guild_id}/{event.recruit_channel_id}/{event.recruit_message_id}"
    is_posted = event.recruit_channel_id and event.recruit_message_id
    return Entry(
        uid=str(uuid_of(event.event_id)),
        summary=event.title,
        start=start,
        end=event.event_end_at or start + DEFAULT_LENGTH,
        description=event.description or "",
        location=event.location or "",
        url=f"https://discord.com/channels/{message}" if is_posted else "",
        status="CANCELLED" if event.cancelled_at else "CONFIRMED",
        version=event.version,
    )
