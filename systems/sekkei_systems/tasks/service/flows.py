"""What was done and how long it took: a row for each task that is done, written when the stream tells of it."""

from __future__ import annotations

from datetime import date, timedelta

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed
from sekkei.runtime import days
from sekkei_systems.days import JST
from sekkei_systems.tasks.design import Flow, Task, activity_on, flow_in, flows, tasks
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.flow import begun_at
from sekkei_systems.tasks.service.access import Member

LIFE = timedelta(days=400)


class Flows:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db, self._clock = db, clock

    async def changed(self, old: Task | None, new: Task) -> None:
        """A row when it is done; none any more when it is not. A record that comes again writes the same again."""
        if old is not None and old.done_at and (new.done_at != old.done_at or new.deleted_at):
            await self._db.write(flows.delete(old.team_id, _day(old), old.task_id))
        if new.status is Status.DONE and new.done_at and not new.deleted_at:
            await self.done(new)

    async def done(self, task: Task) -> None:
        if task.done_at is None or task.done_at + LIFE < days.now(self._clock):
            return
        lines = await self._db.all(activity_on(task.team_id, task.task_id).consistent())
        made = Flow(
            team_id=task.team_id,
            day=_day(task),
            task_id=task.task_id,
            title=task.title,
            number=task.number,
            created_at=task.created_at,
            begun_at=begun_at(task, lines),
            done_at=task.done_at,
            expires=task.done_at + LIFE,
        )
        try:
            await self._db.transact(flows.put(made), tasks.must_exist(task.team_id, task.task_id))
        except TransactionFailed:
            pass  # it is gone, perhaps with its team, and what belonged to it was taken away

    async def between(self, member: Member, first: date, last: date) -> list[Flow]:
        return await self._db.all(flow_in(member.team_id, first, last))


def _day(task: Task) -> date:
    assert task.done_at is not None
    return task.done_at.astimezone(JST).date()
