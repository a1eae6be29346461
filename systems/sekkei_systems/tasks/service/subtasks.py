"""Which task is part of which: one level, in one team.

It stands in the plans of both: the child's `plan_parent` and the parent's `plan_children`. No index of tasks copies
either, and a board reads neither. A `ParentLink` is what has to be written to change it; it goes into the transaction
of the change itself (a new task, an edit, an undo), and every condition that was looked at is a condition there.

A parent in the trash leaves its subtasks where they are, as tasks of their own, and has them again when it is taken
back: nothing is written. Only when one of them is given another parent, or a subtask, is the link to what lies in the
trash cut. What goes for good is cut off by the job that takes its rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sekkei.design import Action, Database, Ref, Update
from sekkei_systems.tasks.design import Plan, Task, one_task, plan_of, plans, tasks
from sekkei_systems.tasks.refusals import (
    HasSubtasks,
    NoSuchParent,
    NoSuchTask,
    OwnParent,
    ParentIsSubtask,
    TooManySubtasks,
)
from sekkei_systems.tasks.rules.drafts import CHILDREN_MAX
from sekkei_systems.tasks.service.access import Member
from sekkei_systems.tasks.service.numbers import Numbers


@dataclass(frozen=True, slots=True)
class ParentLink:
    """A task becomes part of `parent`, or of none; `own` and `above` are the plans as they were seen."""

    team_id: str
    parent: str | None
    own: Plan | None = None
    above: Plan | None = None
    """Of the new parent."""
    history: dict[str, list[str]] = field(default_factory=dict)
    """The line in the history."""

    def actions(self, task_id: str) -> list[Action[Any, Any]]:
        return [self._mine(task_id), *self.others(task_id)]

    def _mine(self, task_id: str) -> Update[Plan]:
        seen = self.own or Plan(team_id=self.team_id, task_id=task_id)
        mine = plans.upsert(self.team_id, task_id).set(Plan.parent, self.parent)
        mine = mine.when(_is(seen.parent), Plan.children == seen.children if seen.children else Plan.children.absent())
        return mine.remove(Plan.children) if seen.children else mine

    def others(self, task_id: str) -> list[Action[Any, Any]]:
        """All but the task's own plan: for a plan that is made in the same transaction, with this parent in it."""
        lost: dict[str, set[str]] = {}
        if self.own and self.own.parent:
            lost.setdefault(self.own.parent, set()).add(task_id)
        if self.above and self.above.parent:
            lost.setdefault(self.above.parent, set()).add(self.above.task_id)
        cut = [plans.update(self.team_id, id).discard(Plan.children, gone) for id, gone in lost.items()]
        freed = _freed(self.own) if self.own else []
        return [*cut, *freed, *adopted(self.team_id, self.parent, [task_id], self.above)]


def unlinked(plan: Plan) -> list[Action[Any, Any]]:
    """A task that is part of nothing, and that nothing is part of, any more."""
    ids = plan.team_id, plan.task_id
    own = plans.update(*ids).knowing(plan).remove(Plan.parent).remove(Plan.children)
    cut = [plans.update(plan.team_id, plan.parent).discard(Plan.children, [plan.task_id])] if plan.parent else []
    return [own, *cut, *_freed(plan)]


def _freed(plan: Plan) -> list[Update[Plan]]:
    return [
        plans.update(plan.team_id, id).remove(Plan.parent).when(Plan.parent == plan.task_id)
        for id in sorted(plan.children)
    ]


def adopted(team_id: str, parent: str | None, children: Iterable[str], above: Plan | None) -> list[Action[Any, Any]]:
    """The parent's side: it must be there, have room, and be part of nothing."""
    if parent is None:
        return []
    ids = list(children)
    room = Plan.children.absent() | (Plan.children.size() <= CHILDREN_MAX - len(ids))
    theirs = plans.upsert(team_id, parent).add(Plan.children, ids).when(room, _is(above.parent if above else None))
    there = tasks.must_exist(team_id, parent).when(Task.deleted_at.absent())
    return [theirs.remove(Plan.parent) if above and above.parent else theirs, there]


def _in_history(parent: Task | None) -> str:
    """As the history keeps it: by its number, which never means another."""
    return "" if parent is None else f"#{parent.number}" if parent.number else parent.task_id


def _is(parent: str | None) -> Any:
    return Plan.parent == parent if parent else Plan.parent.absent()


@dataclass
class Subtasks:
    db: Database
    numbers: Numbers

    async def parent_id(self, member: Member, text: str) -> str:
        """The parent that somebody means by an id, or by a number as in DEV-12."""
        try:
            found = await self.numbers.named(member, text.strip())
        except NoSuchTask as wrong:
            raise NoSuchParent(field="parent") from wrong
        if not found or "#" in found:
            raise NoSuchParent(field="parent")
        return found

    async def of(self, member: Member, parent: str) -> list[Task]:
        """What is part of a task, named by an id or a number."""
        ids = member.team_id, await self.parent_id(member, parent)
        refs: list[Ref[Any]] = [one_task(*ids), plan_of(*ids)]
        task, plan = await self.db.get_many(refs)
        if task is None or task.deleted_at is not None:
            raise NoSuchParent(field="parent")
        return list((await self._present(member.team_id, sorted(plan.children if plan else ()))).values())

    async def is_part(self, member: Member, task_id: str, parent: str) -> bool:
        plan = await self.db.get(plan_of(member.team_id, task_id))
        return plan is not None and plan.parent is not None and plan.parent == await self.parent_id(member, parent)

    async def link(self, team_id: str, task_id: str | None, parent: str | None) -> ParentLink | None:
        """What makes a task part of another, or of none; None when it is so already. A new task has no id yet.

        It is refused before anything is written, and fails if something changes before it is."""
        own = await self.db.get(plan_of(team_id, task_id)) if task_id else None
        was = own.parent if own else None
        above = await self._above(team_id, task_id, parent) if parent else None
        if was == parent:
            return None
        present = await self._present(team_id, [was, parent, *(own.children if own else ())])
        if parent and own and any(id in present for id in own.children):
            raise HasSubtasks(field="parent")
        history = [_in_history(present.get(was or "")), _in_history(present.get(parent or ""))]
        return ParentLink(team_id, parent, own, above, {"parent": history})

    async def _above(self, team_id: str, task_id: str | None, parent: str) -> Plan | None:
        """The plan of who is to be a parent, if it may be one."""
        if parent == task_id:
            raise OwnParent(field="parent")
        refs: list[Ref[Any]] = [one_task(team_id, parent), plan_of(team_id, parent)]
        task, plan = await self.db.get_many(refs)
        if task is None or task.deleted_at is not None:
            raise NoSuchParent(field="parent")
        if plan and plan.parent and await self._present(team_id, [plan.parent]):
            raise ParentIsSubtask(field="parent")
        if plan and len(plan.children | {task_id}) > CHILDREN_MAX:
            raise TooManySubtasks(field="parent", most=CHILDREN_MAX)
        found: Plan | None = plan
        return found

    async def _present(self, team_id: str, ids: Iterable[str | None]) -> dict[str, Task]:
        """Those that are not in the trash, nor gone."""
        wanted = [one_task(team_id, id) for id in dict.fromkeys(ids) if id]
        found = await self.db.get_many(wanted) if wanted else []
        return {one.task_id: one for one in found if one is not None and one.deleted_at is None}
