"""Tasks as a calendar (RFC 5545) that calendar programs subscribe to."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from sekkei.runtime import icalendar
from sekkei_systems.tasks.design import Task
from sekkei_systems.tasks.rules.statuses import Status


def calendar(name: str, tasks: Iterable[Task], url: str, now: datetime) -> bytes:
    """Every task that has a date and is not done, as an event of whole days."""
    dated = (task for task in tasks if task.status is not Status.DONE and (task.start or task.end))
    return icalendar.calendar("tasks", name, (_event(task, url, now) for task in dated))


def _event(task: Task, url: str, now: datetime) -> list[str]:
    first, last = _days(task)
    return [
        f"UID:{task.task_id}@tasks.sekkei",
        f"DTSTAMP:{(task.updated_at or now).astimezone(UTC):%Y%m%dT%H%M%SZ}",
        f"SEQUENCE:{task.version}",
        f"DTSTART;VALUE=DATE:{first:%Y%m%d}",
        f"DTEND;VALUE=DATE:{last + timedelta(days=1):%Y%m%d}",
        f"SUMMARY:{icalendar.text(task.title)}",
        *([f"DESCRIPTION:{icalendar.text(task.description)}"] if task.description else []),
        f"URL:{url}/teams/{task.team_id}/tasks/{task.task_id}",
        f"STATUS:{'CONFIRMED' if task.status is Status.DOING else 'TENTATIVE'}",
        "TRANSP:TRANSPARENT",
    ]


def _days(task: Task) -> tuple[date, date]:
    first = task.start or task.end
    last = task.end or task.start
    assert first is not None
    assert last is not None
    return first, last
