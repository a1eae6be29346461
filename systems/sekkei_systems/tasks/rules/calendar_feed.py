"""Tasks as a calendar (RFC 5545) that calendar programs subscribe to."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

from sekkei.kit.calendars import Entry, write
from sekkei_systems.tasks.design import Task
from sekkei_systems.tasks.design.statuses import Status


def calendar(name: str, tasks: Iterable[Task], url: str, now: datetime) -> bytes:
    """Every task that has a date and is not done, as an event of whole days."""
    dated = (task for task in tasks if task.status is not Status.DONE and (task.start or task.end))
    return write("tasks", name, (_entry(task, url) for task in dated), now)


def _entry(task: Task, url: str) -> Entry:
    first, last = _days(task)
    return Entry(
        uid=task.task_id,
        summary=task.title,
        start=first,
        end=last,
        description=task.description,
        url=f"{url}/teams/{task.team_id}/tasks/{task.task_id}",
        status="CONFIRMED" if task.status is Status.DOING else "TENTATIVE",
        is_busy=False,
        version=task.version,
        changed_at=task.updated_at,
    )


def _days(task: Task) -> tuple[date, date]:
    first = task.start or task.end
    last = task.end or task.start
    assert first is not None
    assert last is not None
    return first, last
