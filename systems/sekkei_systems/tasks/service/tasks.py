"""Tasks: every change and its count in one transaction, so that the counters are always right."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from sekkei.clock import Clock
from sekkei.design import (
    Action,
    ConditionFailed,
    Contended,
    Database,
    Field,
    Page,
    TransactionFailed,
    Update,
    replace,
)
from sekkei.design.retries import pause
from sekkei.runtime import days
from sekkei.runtime.identifiers import uuid7
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.refusals import Changed, Refusal
from sekkei_systems.tasks.design import (
    COUNTED,
    Activity,
    Comment,
    Task,
    Totals,
    activity_on,
    comments,
    comments_on,
    every_task,
    members_of,
    next_by_hand,
    one_task,
    tags,
    tasks,
    team_users,
    totals,
)
from sekkei_systems.tasks.refusals import BadText, Crowded, NoSuchMember, NoSuchTag, NoSuchTask, NoSuchTeam, TooLarge
from sekkei_systems.tasks.rules.drafts import EDITABLE, Changes, Draft
from sekkei_systems.tasks.rules.entered import text_of
from sekkei_systems.tasks.rules.filters import Filter
from sekkei_systems.tasks.rules.identifiers import short
from sekkei_systems.tasks.rules.mentions import mentioned
from sekkei_systems.tasks.rules.ranks import RANK_MAX, between
from sekkei_systems.tasks.rules.statuses import Status
from sekkei_systems.tasks.service.access import Access

TRIES_MAX = 12
PAGE_SIZE = 50
COLUMN_SIZE = 30
BULK_MAX = 100
IMPORT_MAX = 1_000
IMPORT_BATCH = 40
"""With a check for each tag and assignee, and the counter, this stays below DynamoDB's 100 items a transaction."""
COMMENT_MAX = 4_000
COMMENTS_SHOWN = 500
ACTIVITY_SHOWN = 50

_FIELDS: dict[str, Field[Task, Any]] = {name: getattr(Task, name) for name in EDITABLE}


class Tasks:
    def __init__(self, db: Database, clock: Clock, jobs: Jobs, access: Access) -> None:
        self._db = db
        self._clock = clock
        self._jobs = jobs
        self._access = access

    # Reading

    async def get(self, who: str, team_id: str, task_id: str) -> Task:
        await self._access.member(who, team_id)
        return await self._get(team_id, task_id)

    async def _get(self, team_id: str, task_id: str) -> Task:
        found = await self._db.get(one_task(team_id, task_id))
        if found is None:
            raise NoSuchTask()
        return found

    async def page(
        self, who: str, team_id: str, wanted: Filter, *, size: int = PAGE_SIZE, after: str | None = None
    ) -> Page[Task]:
        """A page of what a filter shows; pages are filled however few tasks pass it."""
        await self._access.member(who, team_id)
        return await self._db.page(wanted.query(team_id, days.today(self._clock)), size=size, after=after)

    async def column(
        self, who: str, team_id: str, status: Status, wanted: Filter, *, after: str | None = None
    ) -> Page[Task]:
        """A page of one column of the board."""
        await self._access.member(who, team_id)
        return await self._db.page(wanted.column(team_id, status), size=COLUMN_SIZE, after=after)

    async def every(self, who: str, team_id: str) -> AsyncIterator[Task]:
        """All of them, by start; for files and feeds."""
        await self._access.member(who, team_id)
        async for task in self._db.each(every_task(team_id)):
            yield task

    # Writing

    async def create(self, who: str, team_id: str, draft: Draft) -> Task:
        await self._access.member(who, team_id)
        return (await self._create(who, team_id, [draft]))[0]

    async def create_many(self, who: str, team_id: str, drafts: Sequence[Draft]) -> int:
        """Each batch of tasks and its count together; a draft that is wrong is refused before anything is stored."""
        await self._access.member(who, team_id)
        if len(drafts) > IMPORT_MAX:
            raise TooLarge(most=IMPORT_MAX)
        for draft in drafts:
            draft.task(team_id, "checked")
        for at in range(0, len(drafts), IMPORT_BATCH):
            await self._create(who, team_id, drafts[at : at + IMPORT_BATCH])
        return len(drafts)

    async def _create(self, who: str, team_id: str, drafts: Sequence[Draft]) -> list[Task]:
        now = days.now_jst(self._clock)
        made = [
            replace(
                draft.task(team_id, short(self._clock)), created_by=who, created_at=now, updated_at=now, updated_by=who
            )
            for draft in drafts
        ]
        count = totals.update(team_id)
        for status in {task.status for task in made}:
            count = count.add(COUNTED[status], sum(task.status is status for task in made))
        checks = self._checks(team_id, frozenset().union(*(task.tags for task in made)), {t.assignee for t in made})
        creates = [tasks.create(task) for task in made]
        await self._transact(checks, count, *creates)
        return [await self._get(team_id, task.task_id) for task in made] if len(made) == 1 else made

    async def change(self, who: str, team_id: str, task_id: str, changes: Changes, seen: int | None = None) -> Task:
        """Edit, move, assign. `seen` is the version that somebody looked at: refused when there is a newer one."""
        await self._access.member(who, team_id)
        for attempt in range(TRIES_MAX):
            task = await self._get(team_id, task_id)
            if seen is not None and task.version != seen:
                raise Changed()
            try:
                return await self._change(who, task, changes.applied(task))
            except Changed:
                await pause(attempt, self._clock)  # somebody was quicker: look again, and do it to what is there now
        raise Contended("SK303", f"task {task_id} kept being changed by others")

    async def place(
        self, who: str, team_id: str, task_id: str, status: Status, above: str | None, below: str | None
    ) -> Task:
        """Into a column, between the two cards that somebody saw there; at its end when they name none."""
        await self._access.member(who, team_id)
        low = await self._hand_sort(team_id, above, status) or ""
        high = await self._hand_sort(team_id, below, status)
        if high is None or high <= low:
            high = await self._next_by_hand(team_id, status, low, task_id) if low else None
        rank = between(low, high) if high is not None else self._rank_at_the_end(low)
        if len(rank) > RANK_MAX:
            raise Crowded()
        return await self.change(who, team_id, task_id, Changes(status=status, rank=rank))

    def _rank_at_the_end(self, low: str) -> str:
        """As if it were made now: after everything that is there, and before whatever will be."""
        fresh = short(self._clock)
        return fresh if fresh > low else between(low, None)

    async def _hand_sort(self, team_id: str, task_id: str | None, status: Status) -> str | None:
        """None for a card that has left the column, or none at all."""
        found = await self._db.get(one_task(team_id, task_id)) if task_id else None
        return found.hand_sort if found is not None and found.status is status else None

    async def _next_by_hand(self, team_id: str, status: Status, low: str, moving: str) -> str | None:
        found = await self._db.page(next_by_hand(team_id, status, low), size=2)
        return next((task.hand_sort for task in found if task.task_id != moving), None)

    async def _change(self, who: str, task: Task, wanted: Task) -> Task:
        different = [name for name in EDITABLE if getattr(task, name) != getattr(wanted, name)]
        if not different:
            return task
        update: Update[Task] = tasks.update(task.team_id, task.task_id)
        for name in different:
            update = update.set(_FIELDS[name], getattr(wanted, name))
        update = update.set(Task.updated_at, days.now_jst(self._clock)).set(Task.updated_by, who).knowing(task)
        newcomers = {wanted.assignee} if "assignee" in different else set()
        checks = self._checks(task.team_id, wanted.tags - task.tags, newcomers)
        moved = [_counted(task, wanted)] if task.status is not wanted.status else []
        if not moved and not checks:
            return await self._update(update)
        try:
            await self._transact(checks, *moved, update)
        except TransactionFailed as failed:
            raise Changed() from failed
        return await self._get(task.team_id, task.task_id)

    async def _update(self, update: Update[Task]) -> Task:
        try:
            return await self._db.write(update)
        except ConditionFailed as failed:
            raise Changed() from failed

    async def delete(self, who: str, team_id: str, task_id: str) -> None:
        await self._access.member(who, team_id)
        for attempt in range(TRIES_MAX):
            task = await self._get(team_id, task_id)
            gone = tasks.delete(team_id, task_id).must_exist().when(Task.status == task.status)
            count = totals.update(team_id).add(COUNTED[task.status], -1)
            payload = {"team_id": team_id, "task_id": task_id}
            rest = [self._jobs.start_action("delete-rest-of-task", payload, id=f"delete-rest-of-task/{task_id}")]
            try:
                await self._transact([], count, gone, *(rest if task.version > 1 else ()))
                return
            except TransactionFailed:
                await pause(attempt, self._clock)
        raise Contended("SK303", f"task {task_id} kept being changed by others")

    async def change_many(
        self, who: str, team_id: str, task_ids: Sequence[str], changes: Changes
    ) -> dict[str, Refusal]:
        """The same changes to several tasks; returns the refusal of each that was not changed."""
        return await self._each(task_ids, lambda task_id: self.change(who, team_id, task_id, changes))

    async def delete_many(self, who: str, team_id: str, task_ids: Sequence[str]) -> dict[str, Refusal]:
        return await self._each(task_ids, lambda task_id: self.delete(who, team_id, task_id))

    async def _each(self, task_ids: Sequence[str], work: Callable[[str], Awaitable[object]]) -> dict[str, Refusal]:
        if len(task_ids) > BULK_MAX:
            raise TooLarge(most=BULK_MAX)
        refused: dict[str, Refusal] = {}
        for task_id in dict.fromkeys(task_ids):
            try:
                await work(task_id)
            except NoSuchTeam:
                raise
            except Refusal as refusal:
                refused[task_id] = refusal
        return refused

    def _checks(self, team_id: str, refs: frozenset[str], assignees: set[str | None]) -> list[Action[Any, Any]]:
        """Only tags that are there and people who are members, at the very moment of the write."""
        found: list[Action[Any, Any]] = [tags.must_exist(team_id, ref.removeprefix("TAG#")) for ref in sorted(refs)]
        return found + [team_users.must_exist(team_id, user) for user in sorted(filter(None, assignees))]

    async def _transact(self, checks: list[Action[Any, Any]], *actions: Action[Any, Any]) -> None:
        """Raises what a failed check means; a failed condition of the actions goes on to the caller."""
        try:
            await self._db.transact(*actions, *checks)
        except TransactionFailed as failed:
            for action, _ in failed.reasons:
                if action in checks:
                    tag = action.entity is tags
                    raise (NoSuchTag(field="tags") if tag else NoSuchMember(field="assignee")) from failed
                if action.entity is totals:
                    raise NoSuchTeam() from failed
            raise

    # Comments

    async def comments(self, who: str, team_id: str, task_id: str) -> list[Comment]:
        await self._access.member(who, team_id)
        page = await self._db.page(comments_on(team_id, task_id).consistent(), size=COMMENTS_SHOWN)
        return list(page)

    async def activity(self, who: str, team_id: str, task_id: str) -> list[Activity]:
        """The latest changes of a task, the latest first."""
        await self._access.member(who, team_id)
        return list(await self._db.page(activity_on(team_id, task_id), size=ACTIVITY_SHOWN))

    async def comment(self, who: str, team_id: str, task_id: str, text: str) -> Comment:
        """Whoever it calls by @name finds it among their notes."""
        member = await self._access.member(who, team_id)
        written = text_of(text, COMMENT_MAX, "text")
        if not written:
            raise BadText(field="text", most=COMMENT_MAX)
        made = Comment(
            team_id=team_id,
            task_id=task_id,
            comment_id=uuid7(self._clock),
            author=who,
            author_name=member.user_name,
            text=written,
            mentions=await self._called(team_id, written),
            created_at=days.now_jst(self._clock),
        )
        try:
            await self._db.transact(comments.create(made), tasks.update(team_id, task_id).add(Task.comments, 1))
        except TransactionFailed as failed:
            raise NoSuchTask() from failed
        return made

    async def _called(self, team_id: str, text: str) -> frozenset[str]:
        if "@" not in text and "＠" not in text:
            return frozenset()
        found = await self._db.all(members_of(team_id).consistent())
        return mentioned(text, {member.user_id: member.user_name for member in found})


def _counted(before: Task, after: Task) -> Update[Totals]:
    count = totals.update(before.team_id)
    return count.add(COUNTED[before.status], -1).add(COUNTED[after.status], 1)
