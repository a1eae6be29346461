"""Many tasks at once: changed or thrown away together, and taken back together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed
from sekkei.runtime.refusals import Refusal
from sekkei_systems import days
from sekkei_systems.tasks.design import Batch, batches, one_batch
from sekkei_systems.tasks.refusals import NoSuchChange, NoSuchTeam
from sekkei_systems.tasks.rules.drafts import TaskChanges
from sekkei_systems.tasks.rules.identifiers import short
from sekkei_systems.tasks.rules.writes import still_open
from sekkei_systems.tasks.service.access import Member
from sekkei_systems.tasks.service.tasks import Tasks, each
from sekkei_systems.tasks.service.trash import Trash

LIFE = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of many tasks at once."""

    changed: int
    refused: dict[str, Refusal]
    batch_id: str | None = None
    """What `undo` takes; None when nothing was changed."""


class Batches:
    def __init__(self, db: Database, clock: Clock, tasks: Tasks, trash: Trash) -> None:
        self._db, self._clock, self._tasks, self._trash = db, clock, tasks, trash

    async def change(self, member: Member, task_ids: Sequence[str], changes: TaskChanges) -> Outcome:
        changed: dict[str, int] = {}

        async def one(task_id: str) -> None:
            before, after = await self._tasks.change_from(member, task_id, changes)
            if after.version != before.version:
                changed[task_id] = after.version

        refused = await each(task_ids, one)
        return await self._kept(member, len(set(task_ids)) - len(refused), refused, changed, deleted=False)

    async def delete(self, member: Member, task_ids: Sequence[str]) -> Outcome:
        gone: dict[str, int] = {}

        async def one(task_id: str) -> None:
            gone[task_id] = (await self._trash.put(member, task_id)).version

        refused = await each(task_ids, one)
        return await self._kept(member, len(gone), refused, gone, deleted=True)

    async def _kept(
        self, member: Member, count: int, refused: dict[str, Refusal], changed: dict[str, int], *, deleted: bool
    ) -> Outcome:
        if not changed:
            return Outcome(count, refused)
        now = days.now_jst(self._clock)
        made = Batch(
            team_id=member.team_id,
            batch_id=short(self._clock),
            who=member.user_id,
            at=now,
            deleted=deleted,
            tasks=changed,
            expires=now + LIFE,
        )
        try:
            await self._db.transact(batches.create(made), still_open(member.team_id))
        except TransactionFailed as failed:
            raise NoSuchTeam() from failed
        return Outcome(count, refused, made.batch_id)

    async def undo(self, member: Member, batch_id: str) -> Outcome:
        """Each as if it were undone alone: what somebody has changed again since stays as it is, and is refused."""
        batch = await self._db.get(one_batch(member.team_id, batch_id))
        if batch is None:
            raise NoSuchChange()

        async def one(task_id: str) -> None:
            if batch.deleted:
                await self._trash.take_back(member, task_id)
            else:
                await self._tasks.undo(member, task_id, batch.tasks[task_id])

        refused = await each(list(batch.tasks), one)
        return Outcome(len(batch.tasks) - len(refused), refused)
