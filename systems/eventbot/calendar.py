"""A guild's events as iCalendar (RFC 5545), for any calendar that can subscribe."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from systems.eventbot.entities import Event
from systems.eventbot.identifiers import uuid_of

LINE_BYTES_MAX = 75
DEFAULT_LENGTH = timedelta(hours=2)


def feed(name: str, listed: Iterable[Event], now: datetime) -> str:
    """Every event with a start; one that was called off says so."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//sekkei//eventbot//JA",
        "METHOD:PUBLISH",
        f"X-WR-CALNAME:{escaped(name)}",
        "X-WR-TIMEZONE:Asia/Tokyo",
    ]
    for event in listed:
        if event.event_start_at is not None:
            lines += _event(event, event.event_start_at, now)
    lines.append("END:VCALENDAR")
    return "".join(f"{folded(line)}\r\n" for line in lines)


def _event(event: Event, start: datetime, now: datetime) -> list[str]:
    found = [
        "BEGIN:VEVENT",
        f"UID:{uuid_of(event.event_id)}@eventbot",
        f"DTSTAMP:{stamp(now)}",
        f"DTSTART:{stamp(start)}",
        f"DTEND:{stamp(event.event_end_at or start + DEFAULT_LENGTH)}",
        f"SEQUENCE:{event.version}",
        f"SUMMARY:{escaped(event.title)}",
        f"STATUS:{'CANCELLED' if event.cancelled_at else 'CONFIRMED'}",
    ]
    if event.description:
        found.append(f"DESCRIPTION:{escaped(event.description)}")
    if event.location:
        found.append(f"LOCATION:{escaped(event.location)}")
    if event.recruit_channel_id and event.recruit_message_id:
        url = f"https://discord.com/channels/{event.guild_id}/{event.recruit_channel_id}/{event.recruit_message_id}"
        found.append(f"URL:{url}")
    return [*found, "END:VEVENT"]


def stamp(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def escaped(text: str) -> str:
    """Backslash, semicolon, comma and line ends mean something in iCalendar."""
    text = text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\\n")
    return "".join(letter for letter in text if letter.isprintable())


def folded(line: str) -> str:
    """Lines of 75 bytes at most; what is longer goes on after a space, and never inside a character."""
    parts, current, size = [], "", 0
    for letter in line:
        width = len(letter.encode())
        if size + width > LINE_BYTES_MAX:
            parts.append(current)
            current, size = " ", 1
        current, size = current + letter, size + width
    return "\r\n".join([*parts, current])
