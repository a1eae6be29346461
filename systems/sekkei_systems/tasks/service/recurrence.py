"""A task that comes again: when it is done, the next one is made, once."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from msgspec import structs

from sekkei.clock import Clock
from sekkei.design import Action, Database, TransactionFailed, replace
from sekkei.runtime import days
from sekkei_systems.tasks.design import Plan, Task, members_of, plan_of, plans, tags_of
from sekkei_systems.tasks.refusals import NoSuchTeam
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.recurring import following
from sekkei_systems.tasks.rules.statuses import Status
from sekkei_systems.tasks.service.tasks import Tasks


class Recurrence:
    def __init__(self, db: Database, clock: Clock, tasks: Tasks) -> None:
        self._db, self._clock, self._tasks = db, clock, tasks

    async def done(self, task: Task) -> Task | None:
        """The next one, with the rule and the checklist; None when there is none, or it has been made before."""
        plan = await self._db.get(plan_of(task.team_id, task.task_id))
        if plan is None or plan.rule is None:
            return None
        due = following(plan.rule, task.end, days.today(self._clock))
        if due is None:
            return None
        draft = await self._again(await self._tasks.whole(task), due)
        try:
            return await self._tasks.create_after(
                task.team_id, task.updated_by, draft, lambda made: self._moved(plan, made)
            )
        except (TransactionFailed, NoSuchTeam):
            return None  # somebody else made it just then, or the team is being deleted

    def _moved(self, plan: Plan, made: Task) -> list[Action[Any, Any]]:
        """The rule goes on to the new task, so that the old one, done once more, brings no other."""
        checks = [replace(one, done=False) for one in plan.checks]
        fresh = Plan(team_id=made.team_id, task_id=made.task_id, checks=checks, rule=plan.rule)
        old = plans.update(plan.team_id, plan.task_id).knowing(plan).set(Plan.rule, None)
        return [old.set(Plan.next_id, made.task_id), plans.create(fresh)]

    async def _again(self, task: Task, due: date) -> TaskDraft:
        """With dates as far apart as before; without tags and assignees that have gone meanwhile."""
        draft = TaskDraft.of(task)
        tags = {one.tag_id for one in await self._db.all(tags_of(task.team_id).consistent())}
        members = {one.user_id for one in await self._db.all(members_of(task.team_id).consistent())}
        length = task.end - task.start if task.start and task.end else timedelta()
        return structs.replace(
            draft,
            status=Status.TODO,
            start=due - length if task.start else None,
            end=due if task.end or not task.start else None,
            tags=draft.tags & tags,
            assignee=draft.assignee if draft.assignee in members else None,
        )
