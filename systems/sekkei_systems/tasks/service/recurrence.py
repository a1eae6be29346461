"""A task that comes again: when it is done, the next one is made, once."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from msgspec import structs

from sekkei.clock import Clock
from sekkei.design import Action, Contended, Database, TransactionFailed, replace
from sekkei.design.retries import pause
from sekkei.runtime.refusals import Refusal
from sekkei_systems import days
from sekkei_systems.tasks.design import Plan, Task, members_of, plan_of, plans, tags_of, team_users
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import NoSuchTeam
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.recurring import following
from sekkei_systems.tasks.service.subtasks import Tie
from sekkei_systems.tasks.service.tasks import TRIES_MAX, Tasks


class Recurrence:
    def __init__(self, db: Database, clock: Clock, tasks: Tasks) -> None:
        self._db, self._clock, self._tasks = db, clock, tasks

    async def done(self, task: Task) -> Task | None:
        """The next one, with the rule, the checklist and the parent; None when there is none, or it has been made
        before."""
        for attempt in range(TRIES_MAX):
            plan = await self._db.get(plan_of(task.team_id, task.task_id))
            due = following(plan.rule, task.end, days.today(self._clock)) if plan and plan.rule else None
            if plan is None or due is None:
                return None
            try:
                return await self._next(task, plan, due)
            except NoSuchTeam:
                return None  # it is being deleted
            except TransactionFailed:
                await pause(attempt, self._clock)  # somebody else made it just then, or changed the plan
        raise Contended("SK303", f"the plan of {task.task_id} kept being changed by others")

    async def _next(self, task: Task, plan: Plan, due: date) -> Task:
        draft, tie = await self._again(await self._tasks.whole(task), due), await self._tie(plan)
        who = await self._maker(task)
        # An assignee is looked at where tasks are made; one item stands in a transaction once.
        still_there = [team_users.must_exist(task.team_id, who)] if who and who != draft.assignee else []

        def moved(made: Task) -> list[Action[Any, Any]]:
            return [*self._moved(plan, made, tie), *still_there]

        return await self._tasks.create_after(task.team_id, who, draft, moved)

    async def _maker(self, task: Task) -> str:
        """Whoever finished it, if they are still in the team: nothing is to name somebody who has left."""
        who = task.updated_by
        there = who and await self._db.get(team_users(task.team_id, who).consistent()) is not None
        return who if there else ""

    async def _tie(self, plan: Plan) -> Tie | None:
        """The next of a subtask is one, too, unless the parent has gone or is full."""
        try:
            return await self._tasks.subtasks.tie(plan.team_id, None, plan.parent) if plan.parent else None
        except Refusal:
            return None

    def _moved(self, plan: Plan, made: Task, tie: Tie | None) -> list[Action[Any, Any]]:
        """The rule goes on to the new task, so that the old one, done once more, brings no other."""
        checks = [replace(one, done=False) for one in plan.checks]
        fresh = Plan(team_id=made.team_id, task_id=made.task_id, checks=checks, rule=plan.rule)
        old = plans.update(plan.team_id, plan.task_id).knowing(plan).set(Plan.rule, None)
        tied = tie.others(made.task_id) if tie else []
        fresh = replace(fresh, parent=tie.parent) if tie else fresh
        return [old.set(Plan.next_id, made.task_id), plans.create(fresh), *tied]

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
