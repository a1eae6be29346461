"""Bringing the data of version 0.1 up to date, task by task, as often as one likes.

There a task carried its search text and the count of its comments, and every index copied both. A task that has a
TALK# beside it is up to date.
"""

from __future__ import annotations

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed, Update, replace
from sekkei.design.retries import TRIES_MAX, pause
from sekkei.errors import ConditionalCheckFailedException, TransactionConflictException
from sekkei_systems import days
from sekkei_systems.tasks.design import Talk, Task, comments_on, one_task, talks, tasks
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.writes import stored, texts

LEFT_BEHIND = ("search_text", "comment_count")
"""Attributes that tasks had, and do not have any more."""


class Renewal:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db, self._clock = db, clock

    async def task(self, team_id: str, task_id: str) -> bool:
        """True when it was brought up to date now; its version stays, so nobody's edit is in the way."""
        task = await self._db.get(one_task(team_id, task_id))
        if task is None or await self._db.get(talks(team_id, task_id).consistent()) is not None:
            return False
        said = await self._db.count(comments_on(team_id, task_id).consistent())
        talk = talks.create(Talk(team_id=team_id, task_id=task_id, comments=said))
        try:
            await self._db.transact(talk, *texts(task), self._update(task))
        except TransactionFailed:
            return False  # it was changed just then, or somebody else did this
        await self._leave_behind(team_id, task_id)
        return True

    def _update(self, task: Task) -> Update[Task]:
        done_at = task.done_at or task.updated_at or days.now_jst(self._clock)
        wanted = stored(replace(task, done_at=done_at if task.status is Status.DONE else None))
        update = tasks.update(task.team_id, task.task_id).knowing(task).keeping_version()
        update = update.set(Task.description, wanted.description).set(Task.has_more, wanted.has_more)
        return update.set(Task.done_at, wanted.done_at)

    async def _leave_behind(self, team_id: str, task_id: str) -> None:
        request = {
            "TableName": self._db.table_name(tasks.table),
            "Key": tasks(team_id, task_id).key,
            "UpdateExpression": f"REMOVE {', '.join(LEFT_BEHIND)}",
            "ConditionExpression": "attribute_exists(PK)",
        }
        for attempt in range(TRIES_MAX):
            try:
                await self._db.store.call("UpdateItem", request)
            except TransactionConflictException:
                await pause(attempt, self._clock)
            except ConditionalCheckFailedException:
                return  # it is gone
            else:
                return
