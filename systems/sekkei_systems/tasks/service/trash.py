"""Deleted tasks: for thirty days they can be taken back. Then they expire, and a job takes what belonged to them."""

from __future__ import annotations

from datetime import timedelta

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Contended, Database, replace
from sekkei.design.retries import pause
from sekkei.runtime.refusals import Changed
from sekkei_systems import days
from sekkei_systems.tasks.design import Task, members_of, one_task, search_texts, tags_of, tasks, trashed
from sekkei_systems.tasks.refusals import NoSuchTask
from sekkei_systems.tasks.rules.writes import texts
from sekkei_systems.tasks.service.access import Member
from sekkei_systems.tasks.service.tasks import TRIES_MAX, Overtaken, Tasks

LIFE = timedelta(days=30)
SHOWN_MAX = 100


class Trash:
    def __init__(self, db: Database, clock: Clock, tasks: Tasks) -> None:
        self._db, self._clock, self._tasks = db, clock, tasks

    async def all(self, member: Member) -> list[Task]:
        """The latest first."""
        return list(await self._db.page(trashed(member.team_id), size=SHOWN_MAX))

    async def put(self, member: Member, task_id: str, seen: int | None = None) -> Task:
        """Delete a task. `seen` is the version that somebody looked at: refused when there is a newer one."""
        for attempt in range(TRIES_MAX):
            task = await self._tasks.get(member, task_id)
            if seen is not None and task.version != seen:
                raise Changed()
            now = days.now_jst(self._clock)
            gone = replace(task, deleted_at=now, expires=now + LIFE)
            try:
                return await self._tasks.write(member, task, gone, search_texts.delete(task.team_id, task_id))
            except Overtaken:
                await pause(attempt, self._clock)
        raise Contended("SK303", f"task {task_id} kept being changed by others")

    async def take_back(self, member: Member, task_id: str) -> Task:
        """As it was, without tags and assignees that have gone meanwhile."""
        for attempt in range(TRIES_MAX):
            task = await self._tasks.whole(await self._found(member, task_id))
            back = replace(await self._without_the_gone(task), deleted_at=None, expires=None)
            try:
                return await self._tasks.write(member, task, back, *texts(back)[:1])
            except Overtaken:
                await pause(attempt, self._clock)
        raise Contended("SK303", f"task {task_id} kept being changed by others")

    async def purge(self, member: Member, task_id: str) -> None:
        """For good, now; unless somebody has taken it back."""
        try:
            await self._db.write(tasks.delete(member.team_id, task_id).when(Task.deleted_at.exists()))
        except ConditionFailed as wrong:
            if not wrong.unsure or await self._db.get(one_task(member.team_id, task_id)) is not None:
                raise NoSuchTask() from wrong

    async def _found(self, member: Member, task_id: str) -> Task:
        found = await self._db.get(one_task(member.team_id, task_id))
        if found is None or found.deleted_at is None:
            raise NoSuchTask()
        return found

    async def _without_the_gone(self, task: Task) -> Task:
        refs = {tag.ref for tag in await self._db.all(tags_of(task.team_id).consistent())}
        members = {one.user_id for one in await self._db.all(members_of(task.team_id).consistent())}
        return replace(task, tags=task.tags & refs, assignee=task.assignee if task.assignee in members else None)
