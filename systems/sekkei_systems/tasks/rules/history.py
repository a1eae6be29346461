"""What changed in a task, as texts that are kept; and a task as it was before."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from enum import Enum
from typing import Any

import msgspec

from sekkei.design import replace
from sekkei_systems.tasks.design import Activity, Task
from sekkei_systems.tasks.rules.drafts import ENTERED, TYPES, optional

LONG = "description"
"""Of this only is said that it is another one; the text before stands beside, in `Activity.before`."""
PARENT = "parent"
"""What it is part of: not of the task itself, but of its plan."""


def differences(old: Task, new: Task) -> dict[str, list[str]]:
    """Before and after of what people can enter."""
    pairs = {name: (getattr(old, name), getattr(new, name)) for name in ENTERED}
    told = {name: [text(before), text(after)] for name, (before, after) in pairs.items() if before != after}
    return {**told, LONG: ["", ""]} if LONG in told else told


def text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, frozenset):
        return " ".join(sorted(value))
    return str(value)


def value(name: str, told: str) -> Any:
    """The other way round."""
    if name == "tags":
        return frozenset(told.split())
    if not told:
        return None if optional(name) else ""
    return msgspec.convert(told, TYPES[name], strict=False)


def before(activity: Activity) -> dict[str, Any] | None:
    """The task's values before one change; None when they were not kept whole, as in rows of version 0.1."""
    found = {name: value(name, pair[0]) for name, pair in activity.changes.items() if name not in (LONG, PARENT)}
    if LONG in activity.changes:
        if activity.before is None:
            return None
        found[LONG] = activity.before
    return found


def rolled_back(task: Task, since: Iterable[Activity]) -> Task | None:
    """The task as it was before these changes; None when one of them was not kept whole. A version without a line
    changed nothing that people enter."""
    found = task
    for activity in sorted(since, key=lambda one: one.version, reverse=True):
        was = before(activity)
        if was is None:
            return None
        found = replace(found, **was)
    return found


def undone(task: Task, line: Activity, later: Iterable[Activity]) -> Task | None:
    """The task without one change; None when somebody has changed the same since, or it was not kept whole."""
    was, again = before(line), {name for one in later for name in one.changes}
    return None if was is None or again & line.changes.keys() else replace(task, **was)
