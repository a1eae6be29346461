"""Calendars (RFC 5545) that calendar programs subscribe to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

LINE_OCTETS_MAX = 75
_CONTROLS = dict.fromkeys(number for number in (*range(32), 127) if number != ord("\t"))


def calendar(system: str, name: str, events: Iterable[Sequence[str]]) -> bytes:
    """A calendar out of events, each the lines between BEGIN:VEVENT and END:VEVENT."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:-//Sekkei//{system}//JA",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        f"X-WR-CALNAME:{text(name)}",
        "X-WR-TIMEZONE:Asia/Tokyo",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    ]
    for event in events:
        lines += ["BEGIN:VEVENT", *event, "END:VEVENT"]
    return "".join(_folded(line) for line in (*lines, "END:VCALENDAR")).encode()


def text(value: str) -> str:
    """What has a meaning in the format is escaped; control characters, which it forbids, are left out."""
    value = value.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    value = value.replace("\r\n", "\\n").replace("\n", "\\n").replace("\r", "\\n")
    return value.translate(_CONTROLS)


def _folded(line: str) -> str:
    """Lines of at most 75 octets; a character is never cut in two."""
    parts, current, octets = [], "", 0
    for character in line:
        size = len(character.encode())
        if octets + size > LINE_OCTETS_MAX:
            parts.append(current)
            current, octets = " ", 1
        current += character
        octets += size
    return "\r\n".join([*parts, current]) + "\r\n"
