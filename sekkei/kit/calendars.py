"""Calendars (RFC 5545) that calendar programs subscribe to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal

LINE_OCTETS_MAX = 75
_CONTROLS = dict.fromkeys(number for number in (*range(32), 127) if number != ord("\t"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An event of a calendar, at moments or on whole days; of days, `end` is the last one."""

    uid: str
    summary: str
    start: date
    end: date
    description: str = ""
    location: str = ""
    url: str = ""
    status: Literal["CONFIRMED", "TENTATIVE", "CANCELLED"] = "CONFIRMED"
    is_busy: bool = True
    version: int | None = None
    changed_at: datetime | None = None


def write(system: str, name: str, entries: Iterable[Entry], now: datetime) -> bytes:
    """Return the calendar of a system. Moments are in UTC and days are days, so it needs no time zone."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:-//Sekkei//{system}//JA",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        f"X-WR-CALNAME:{_text(name)}",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    ]
    for entry in entries:
        lines += ["BEGIN:VEVENT", *_lines(system, entry, now), "END:VEVENT"]
    return "".join(_folded(line) for line in (*lines, "END:VCALENDAR")).encode()


def _lines(system: str, entry: Entry, now: datetime) -> list[str]:
    end = entry.end if isinstance(entry.end, datetime) else entry.end + timedelta(days=1)
    found = [f"UID:{entry.uid}@{system}.sekkei", f"DTSTAMP{_when(now)}"]
    found += [f"DTSTART{_when(entry.start)}", f"DTEND{_when(end)}", f"SUMMARY:{_text(entry.summary)}"]
    texts = {"DESCRIPTION": entry.description, "LOCATION": entry.location}
    found += [f"{field}:{_text(value)}" for field, value in texts.items() if value]
    found += [f"URL:{entry.url}"] if entry.url else []
    found += [f"STATUS:{entry.status}", f"TRANSP:{'OPAQUE' if entry.is_busy else 'TRANSPARENT'}"]
    found += [f"SEQUENCE:{entry.version}"] if entry.version is not None else []
    return found + ([f"LAST-MODIFIED{_when(entry.changed_at)}"] if entry.changed_at else [])


def _when(when: date) -> str:
    return f":{when.astimezone(UTC):%Y%m%dT%H%M%SZ}" if isinstance(when, datetime) else f";VALUE=DATE:{when:%Y%m%d}"


def _text(value: str) -> str:
    """Escape what has a meaning in the format, and leave out control characters, which it forbids."""
    value = value.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    value = value.replace("\r\n", "\\n").replace("\n", "\\n").replace("\r", "\\n")
    return value.translate(_CONTROLS)


def _folded(line: str) -> str:
    """Fold into lines of at most 75 octets, never within a character."""
    parts, current, octets = [], "", 0
    for character in line:
        size = len(character.encode())
        if octets + size > LINE_OCTETS_MAX:
            parts.append(current)
            current, octets = " ", 1
        current += character
        octets += size
    return "\r\n".join([*parts, current]) + "\r\n"
