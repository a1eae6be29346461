"""What a write of a task is made of: the task as it is stored, what stands beside it, and the count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sekkei.design import Action, Update, replace
from sekkei_systems.tasks.design import (
    COUNTED,
    DESCRIPTION_KEPT_MAX,
    Activity,
    Number,
    SearchText,
    Talk,
    Task,
    TaskText,
    Team,
    Totals,
    activities,
    numbers,
    search_texts,
    talks,
    task_texts,
    teams,
    totals,
)
from sekkei_systems.tasks.rules.filters import text_of_task
from sekkei_systems.tasks.rules.history import differences

_ACTIVITY_LIFE = timedelta(days=400)


def _is_long(task: Task) -> bool:
    return len(task.description) > DESCRIPTION_KEPT_MAX


def stored(task: Task) -> Task:
    """With the beginning of a long description: every index would copy the rest."""
    if not _is_long(task):
        return replace(task, has_more=None)
    return replace(task, description=task.description[:DESCRIPTION_KEPT_MAX], has_more=True)


def rows_of_new_task(task: Task) -> list[Action[Any, Any]]:
    """What a new task brings along."""
    found: list[Action[Any, Any]] = [talks.create(Talk(team_id=task.team_id, task_id=task.task_id)), *texts(task)]
    if task.number is not None:
        found.append(numbers.create(Number(team_id=task.team_id, number=task.number, task_id=task.task_id)))
    return found


def texts(task: Task) -> list[Action[Any, Any]]:
    """What a search reads, and the whole of a long description."""
    ids = {"team_id": task.team_id, "task_id": task.task_id}
    found: list[Action[Any, Any]] = [
        search_texts.put(SearchText(**ids, text=text_of_task(task.title, task.description)))
    ]
    return [*found, task_texts.put(TaskText(**ids, text=task.description))] if _is_long(task) else found


def rewritten(task: Task, wanted: Task) -> list[Action[Any, Any]]:
    """What stands beside a task and is another after a change."""
    if (task.title, task.description) == (wanted.title, wanted.description):
        return []
    shorter = [task_texts.delete(task.team_id, task.task_id)] if _is_long(task) and not _is_long(wanted) else []
    return [*texts(wanted), *shorter]


def counted(team_id: str, gone: Iterable[Task], come: Iterable[Task]) -> Update[Totals]:
    """Fails once the team is being deleted. `moves` lets a recount see that nothing moved while it counted."""
    by = dict.fromkeys(COUNTED, 0)
    for task in gone:
        by[task.status] -= 1
    for task in come:
        by[task.status] += 1
    update = totals.update(team_id).add(Totals.moves, 1).when(Totals.closing.absent() | Totals.closing.is_(False))
    for status, amount in by.items():
        update = update.add(COUNTED[status], amount) if amount else update
    return update


def still_open(team_id: str) -> Action[Any, Any]:
    """Fails once the team is being deleted: what is written into it then, nobody takes away."""
    return teams.must_exist(team_id).when(Team.closing.absent() | Team.closing.is_(False))


def history_rows(
    task: Task, wanted: Task, who: str, name: str, at: datetime, parent_change: Mapping[str, list[str]]
) -> list[Action[Any, Any]]:
    """The line in the history, with what was there before; `parent_change` is what it is part of."""
    changes = {**differences(task, wanted), **parent_change}
    made = Activity(
        team_id=task.team_id,
        task_id=task.task_id,
        version=task.version + 1,
        who=who,
        who_name=name,
        at=at,
        changes=changes,
        before=task.description if "description" in changes else None,
        expires=at + _ACTIVITY_LIFE,
    )
    return [activities.create(made)] if changes else []
