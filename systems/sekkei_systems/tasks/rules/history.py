"""What changed in a task, as texts that are kept; a task as it was before; and two edits of one task merged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Any

import msgspec
from msgspec import structs

from sekkei.design import replace
from sekkei_systems.tasks.design import Activity, Task
from sekkei_systems.tasks.rules.drafts import ENTERED, TYPES, TaskDraft, optional

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


# Two people edit one task: what each changed lands, and where both changed the same, they choose.


class Kept(Enum):
    """What to do with a field that both have changed."""

    MINE = "mine"
    THEIRS = "theirs"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Clash:
    """A field that somebody else has changed as well, and differently."""

    name: str
    mine: Any
    theirs: Any

    @property
    def choices(self) -> tuple[Kept, ...]:
        return tuple(Kept) if self.name in _BOTH else (Kept.MINE, Kept.THEIRS)


_BOTH: Mapping[str, Callable[[Any, Any], Any]] = {
    "title": lambda theirs, mine: f"{theirs} / {mine}",
    "description": lambda theirs, mine: "\n\n".join(filter(None, (theirs, mine))),
    "tags": lambda theirs, mine: theirs | mine,
}


def merged(base: TaskDraft | None, theirs: TaskDraft, mine: TaskDraft) -> tuple[TaskDraft, list[Clash]]:
    """Mine where I changed something since `base`, theirs elsewhere; and what both have changed, each differently.

    Without a base nobody knows who changed what, so every difference is a clash."""
    wanted: dict[str, Any] = {}
    clashes: list[Clash] = []
    for name in ENTERED:
        ours, other = getattr(mine, name), getattr(theirs, name)
        known = base is not None
        was = getattr(base, name) if known else other
        if known and ours == was:
            wanted[name] = other
            continue
        wanted[name] = ours
        if ours != other and (not known or other != was):
            clashes.append(Clash(name, ours, other))
    return TaskDraft(**wanted), clashes


def chosen(theirs: TaskDraft, mine: TaskDraft, kept: Mapping[str, Kept]) -> TaskDraft:
    """Mine, except where somebody chose theirs or both."""
    found: dict[str, Any] = {}
    for name, keep in kept.items():
        ours, other = getattr(mine, name), getattr(theirs, name)
        if keep is Kept.THEIRS:
            found[name] = other
        elif keep is Kept.BOTH and name in _BOTH and ours != other:
            found[name] = _BOTH[name](other, ours)
    return structs.replace(mine, **found)
