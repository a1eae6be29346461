"""Tasks as a calendar (RFC 5545) that calendar programs subscribe to."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from systems.tasks.entities import Task
from systems.tasks.statuses import Status

LINE_OCTETS_MAX = 75


def calendar(name: str, tasks: Iterable[Task], url: str, now: datetime) -> bytes:
    """Every task that has a date and is not done, as an event of whole days."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Sekkei//tasks//JA",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        f"X-WR-CALNAME:{_text(name)}",
        "X-WR-TIMEZONE:Asia/Tokyo",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    ]
    for task in tasks:
        if task.status is not Status.DONE and (task.start or task.end):
            lines += _event(task, url, now)
    return "".join(_folded(line) for line in (*lines, "END:VCALENDAR")).encode()


def _event(task: Task, url: str, now: datetime) -> list[str]:
    first, last = _days(task)
    return [
        "BEGIN:VEVENT",
        f"UID:{task.task_id}@tasks.sekkei",
        f"DTSTAMP:{(task.updated_at or now).astimezone(UTC):%Y%m%dT%H%M%SZ}",
        f"SEQUENCE:{task.version}",
        f"DTSTART;VALUE=DATE:{first:%Y%m%d}",
        f"DTEND;VALUE=DATE:{last + timedelta(days=1):%Y%m%d}",
        f"SUMMARY:{_text(task.title)}",
        *([f"DESCRIPTION:{_text(task.description)}"] if task.description else []),
        f"URL:{url}/teams/{task.team_id}/tasks/{task.task_id}",
        f"STATUS:{'CONFIRMED' if task.status is Status.DOING else 'TENTATIVE'}",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def _days(task: Task) -> tuple[date, date]:
    first = task.start or task.end
    last = task.end or task.start
    assert first is not None
    assert last is not None
    return first, last


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return escaped.replace("\r\n", "\\n").replace("\n", "\\n").replace("\r", "\\n")


def _folded(line: str) -> str:
    """No line is longer than 75 octets; a character is never cut apart."""
    parts, room = [""], LINE_OCTETS_MAX
    for character in line:
        size = len(character.encode())
        if size > room:
            parts.append("")
            room = LINE_OCTETS_MAX - 1  # the space that marks the continuation
        parts[-1] += character
        room -= size
    return "\r\n ".join(parts) + "\r\n"
