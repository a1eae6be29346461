"""What is late, and when the rest is due: for lists that people look at in the morning."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from enum import Enum

from sekkei_systems.tasks.design import Task
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.filters import Late


class Due(Enum):
    OVERDUE = "overdue"
    TODAY = "today"
    WEEK = "week"
    LATER = "later"
    UNDATED = "undated"


def lateness(task: Task, today: date) -> Late | None:
    """Late to finish, else late to start; what is done is not late, and neither is what has no date."""
    if task.status is Status.DONE:
        return None
    if task.end is not None and task.end < today:
        return Late.FINISH
    if task.status is Status.TODO and task.start is not None and task.start < today:
        return Late.START
    return None


def due(task: Task, today: date) -> Due:
    if task.end is None:
        return Due.UNDATED
    if task.end < today:
        return Due.OVERDUE
    if task.end == today:
        return Due.TODAY
    return Due.WEEK if task.end <= today + timedelta(days=7) else Due.LATER


def agenda(tasks: Iterable[Task], today: date) -> dict[Due, list[Task]]:
    """Grouped by when they are due; within a group in the order given."""
    found: dict[Due, list[Task]] = {when: [] for when in Due}
    for task in tasks:
        found[due(task, today)].append(task)
    return {when: some for when, some in found.items() if some}
