"""What is to become of a task, as a value: a draft of a new one, or changes of one that is there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Final, Literal

from sekkei.design import replace
from sekkei_systems.tasks.design import Task, tag_ref
from sekkei_systems.tasks.refusals import TooLarge
from sekkei_systems.tasks.rules.entered import check_dates, line_of, text_of
from sekkei_systems.tasks.rules.statuses import Priority, Status

TITLE_MAX = 200
DESCRIPTION_MAX = 10_000
TAGS_ON_A_TASK_MAX = 10


class _Keep(Enum):
    KEEP = "keep"


KEEP: Final = _Keep.KEEP
Keep = Literal[_Keep.KEEP]


@dataclass(frozen=True, slots=True)
class Draft:
    """A task that is not there yet."""

    title: str
    description: str = ""
    status: Status = Status.TODO
    start: date | None = None
    end: date | None = None
    tags: frozenset[str] = frozenset()
    """Ids, without TAG#."""
    assignee: str | None = None
    priority: Priority | None = None

    def task(self, team_id: str, task_id: str) -> Task:
        """The task, with everything about it checked that can be checked without asking."""
        return _checked(
            Task(
                team_id=team_id,
                task_id=task_id,
                title=self.title,
                description=self.description,
                status=self.status,
                start=self.start,
                end=self.end,
                tags=_refs(self.tags),
                assignee=self.assignee or None,
                priority=self.priority,
            )
        )


@dataclass(frozen=True, slots=True)
class Changes:
    """What is not KEEP is to be so."""

    title: str | Keep = KEEP
    description: str | Keep = KEEP
    status: Status | Keep = KEEP
    start: date | Keep | None = KEEP
    end: date | Keep | None = KEEP
    tags: frozenset[str] | Keep = KEEP
    assignee: str | Keep | None = KEEP
    priority: Priority | Keep | None = KEEP
    rank: str | Keep | None = KEEP

    def applied(self, task: Task) -> Task:
        wanted = {name: value for name in EDITABLE if (value := getattr(self, name)) is not KEEP}
        if self.tags is not KEEP:
            wanted["tags"] = _refs(self.tags)
        return _checked(replace(task, **wanted))


EDITABLE = ("title", "description", "status", "start", "end", "tags", "assignee", "priority", "rank")


def _refs(tag_ids: frozenset[str]) -> frozenset[str]:
    if len(tag_ids) > TAGS_ON_A_TASK_MAX:
        raise TooLarge(field="tags", most=TAGS_ON_A_TASK_MAX)
    return frozenset(map(tag_ref, tag_ids))


def _checked(task: Task) -> Task:
    check_dates(task.start, task.end)
    return replace(
        task,
        title=line_of(task.title, TITLE_MAX, "title"),
        description=text_of(task.description, DESCRIPTION_MAX, "description"),
    )
