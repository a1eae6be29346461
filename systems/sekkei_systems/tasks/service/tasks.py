"""Tasks: every change, its count and its line in the history are one transaction, so that all of them are right."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_changes
from datetime import timedelta
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

from sekkei.clock import Clock
from sekkei.design import (
    Action,
    ConditionFailed,
    Contended,
    Database,
    Field,
    First,
    Page,
    Ref,
    TransactionFailed,
    Update,
    replace,
)
from sekkei.design.retries import pause
from sekkei.runtime.refusals import Changed, Refusal
from sekkei_systems import days
from sekkei_systems.tasks.design import (
    Activity,
    Batch,
    Tag,
    Task,
    TeamUser,
    activities,
    activity_after,
    activity_on,
    batches,
    every_task,
    members_of,
    next_by_hand,
    one_batch,
    one_task,
    search_texts,
    tags,
    tags_of,
    talk_about,
    tasks,
    team_users,
    totals,
    trashed,
    whole_text,
)
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import (
    Clashed,
    Crowded,
    NoSuchChange,
    NoSuchMember,
    NoSuchTag,
    NoSuchTask,
    NoSuchTeam,
    Overwritten,
    TooLarge,
)
from sekkei_systems.tasks.rules.drafts import ENTERED, TaskChanges, TaskDraft, all_of, checked
from sekkei_systems.tasks.rules.filters import Filter
from sekkei_systems.tasks.rules.history import PARENT, Kept, chosen, merged, rolled_back, undone
from sekkei_systems.tasks.rules.identifiers import RANK_MAX, between, short
from sekkei_systems.tasks.rules.writes import (
    counted,
    history_rows,
    rewritten,
    rows_of_new_task,
    still_open,
    stored,
    texts,
)
from sekkei_systems.tasks.service.access import Member
from sekkei_systems.tasks.service.numbers import Numbers
from sekkei_systems.tasks.service.search import READ_MAX, Search, passes
from sekkei_systems.tasks.service.subtasks import ParentLink, Subtasks

R = TypeVar("R")
TRIES_MAX = 12
PAGE_SIZE = 50
_COLUMN_FIRST, _COLUMN_SIZE = 12, 30
"""A board opens with what a screen shows of each column; the next cards follow."""
_BULK_MAX = 100
"""A task comes with up to four items beside it; with the counter and checks of tags and people, this stays below
DynamoDB's 100 items a transaction."""
_ACTIVITY_SHOWN = 50

_STORED: dict[str, Field[Task, Any]] = {
    name: getattr(Task, name) for name in (*ENTERED, "rank", "done_at", "has_more", "deleted_at", "expires")
}


_WithTask = Callable[[Task], list[Action[Any, Any]]]
"""What is written with a new task."""
Parent = str | UnsetType | None
"""An id, or a number as in DEV-12; None takes a task out of its parent."""


class Overtaken(Exception):
    """Somebody was quicker: look again, and do it to what is there now."""


async def _until_written(clock: Clock, what: str, write: Callable[[], Awaitable[R]]) -> R:
    """Look and write again for as long as others are quicker, up to a limit."""
    for attempt in range(TRIES_MAX):
        try:
            return await write()
        except Overtaken:
            await pause(attempt, clock)
    raise Contended("SK303", f"{what} kept being changed by others")


@dataclass
class Tasks:
    db: Database
    clock: Clock
    search: Search
    numbers: Numbers
    subtasks: Subtasks

    # Reading

    async def get(self, member: Member, task_id: str) -> Task:
        """With the whole of its description."""
        return await self.whole(await self.card(member, task_id))

    async def card(self, member: Member, task_id: str) -> Task:
        """Without the rest of a long description."""
        found = await self.db.get(one_task(member.team_id, task_id))
        if found is None or found.deleted_at is not None:
            raise NoSuchTask()
        return found

    async def whole(self, task: Task) -> Task:
        text = await self.db.get(whole_text(task.team_id, task.task_id)) if task.has_more else None
        return task if text is None else replace(task, description=text.text)

    async def page(
        self, member: Member, wanted: Filter, *, size: int = PAGE_SIZE, after: str | None = None
    ) -> Page[Task]:
        """A page of what a filter shows; pages are filled however few tasks pass it."""
        today = days.today(self.clock)
        if wanted.parent:
            return await self._children(member, wanted, size, after)
        if wanted.words:
            return await self.search.page(member, wanted, today, size=size, after=after)
        return await self.db.page(wanted.query(member.team_id, today), size=size, after=after)

    async def column(self, member: Member, status: Status, wanted: Filter, *, after: str | None = None) -> Page[Task]:
        """A page of one column of the board."""
        size = _COLUMN_FIRST if after is None else _COLUMN_SIZE
        if wanted.parent or wanted.words:
            wanted = with_changes(wanted, statuses=frozenset({status}))
        if wanted.parent:
            return await self._children(member, wanted, size, after, status)
        if wanted.words:
            today = days.today(self.clock)
            return await self.search.page(member, wanted, today, size=size, after=after)
        return await self.db.page(wanted.column(member.team_id, status), size=size, after=after)

    async def _children(
        self, member: Member, wanted: Filter, size: int, after: str | None, column: Status | None = None
    ) -> Page[Task]:
        """Of one task: so few that they are read at once, instead of everything that an index has."""
        today = days.today(self.clock)
        found = [one for one in await self.subtasks.of(member, wanted.parent or "") if passes(wanted, one, today)]
        if wanted.words:
            hits = {one.task_id for one in await self.search.page(member, wanted, today, size=READ_MAX)}
            found = [one for one in found if one.task_id in hits]
        found.sort(key=lambda one: (wanted.place(one, column), one.task_id), reverse=column is Status.DONE)
        ids = [one.task_id for one in found]
        rest = found[ids.index(after) + 1 :] if after in ids else found if after is None else []
        return Page(rest[:size], rest[size - 1].task_id if len(rest) > size else None)

    async def answers(self, member: Member, task: Task, wanted: Filter) -> bool:
        """Whether a board with this filter shows the task."""
        if not wanted.matches(task):
            return False
        if wanted.parent and not await self.subtasks.is_part(member, task.task_id, wanted.parent):
            return False
        return not wanted.words or await self.search.answers(member, task, wanted.words)

    async def every(self, member: Member) -> AsyncIterator[Task]:
        """All of them, by start, with whole descriptions; for files."""
        async for task in self.db.each(every_task(member.team_id)):
            yield await self.whole(task)

    async def named_on(self, member: Member, task: Task) -> tuple[list[Tag], TeamUser | None]:
        """The tags and the assignee that a card shows; whoever looks is known already."""
        refs: list[Ref[Any]] = [tags(task.team_id, ref.removeprefix("TAG#")) for ref in sorted(task.tags)]
        who: list[Ref[Any]] = []
        if task.assignee and task.assignee != member.user_id:
            who = [team_users(task.team_id, task.assignee)]
        found = await self.db.get_many([*refs, *who])
        return [tag for tag in found[: len(refs)] if tag is not None], found[-1] if who else None

    async def comment_counts(self, member: Member, task_ids: Sequence[str]) -> dict[str, int]:
        """Of the tasks that have comments."""
        found = await self.db.get_many([talk_about(member.team_id, id) for id in dict.fromkeys(task_ids)])
        return {one.task_id: one.comments for one in found if one is not None and one.comments}

    async def activity(self, member: Member, task_id: str) -> First[Activity]:
        """The latest changes of a task, the latest first."""
        return await self.db.first_items(activity_on(member.team_id, task_id).consistent(), _ACTIVITY_SHOWN)

    # Writing

    async def create(self, member: Member, draft: TaskDraft, parent: str | None = None) -> Task:
        """`parent` is an id, or a number as in DEV-12."""
        made = await self.create_with(member, draft, lambda made: [], parent)
        return await self.get(member, made.task_id)

    async def create_with(
        self, member: Member, draft: TaskDraft, in_same_transaction: _WithTask, parent: str | None = None
    ) -> Task:
        """With what belongs to the new task in the same transaction."""
        parent_id = None if parent is None else await self.subtasks.parent_id(member, parent)

        async def once() -> Task:
            link = await self.subtasks.link(member.team_id, None, parent_id) if parent_id else None
            links: list[Action[Any, Any]] = []

            def with_link(made: list[Task]) -> list[Action[Any, Any]]:
                links.extend(link.actions(made[0].task_id) if link else [])
                return [*links, *in_same_transaction(made[0])]

            try:
                (made,) = await self.create_together(member.team_id, member.user_id, [draft], with_link)
            except TransactionFailed as failed:
                if any(action in links for action, _ in failed.reasons):
                    raise Overtaken() from failed  # the parent is another than it was seen
                raise
            return made

        return await _until_written(self.clock, f"task {parent_id}", once)

    async def create_together(
        self,
        team_id: str,
        who: str,
        drafts: Sequence[TaskDraft],
        in_same_transaction: Callable[[list[Task]], list[Action[Any, Any]]] = lambda made: [],
        import_id: str | None = None,
    ) -> list[Task]:
        """As many as one transaction holds, with what belongs to them in it."""
        given = await self.numbers.take(team_id, len(drafts))
        ids = sorted(short(self.clock) for _ in drafts)  # in one moment it is chance that sorts them
        made = [
            replace(self._made(team_id, who, id, draft, number), import_id=import_id)
            for id, draft, number in zip(ids, drafts, given, strict=True)
        ]
        refs = frozenset[str]().union(*(task.tags for task in made))
        checks = self._checks(team_id, refs, {task.assignee for task in made})
        parts = [part for task in made for part in (tasks.create(stored(task)), *rows_of_new_task(task))]
        await self._transact(checks, counted(team_id, [], made), *parts, *in_same_transaction(made))
        return made

    def _made(self, team_id: str, who: str, task_id: str, draft: TaskDraft, number: int) -> Task:
        now = days.now_jst(self.clock).replace(microsecond=0)
        return replace(
            draft.task(team_id, task_id),
            number=number,
            created_by=who,
            created_at=now,
            updated_at=now,
            updated_by=who,
            done_at=now if draft.status is Status.DONE else None,
        )

    async def change(
        self,
        member: Member,
        task_id: str,
        changes: TaskChanges,
        seen: int | None = None,
        rank: str | None = None,
        parent: Parent = UNSET,
    ) -> Task:
        """Edit, move, assign. `seen` is the version that somebody looked at: refused when there is a newer one."""
        return (await self.change_from(member, task_id, changes, seen, rank, parent))[1]

    async def change_from(
        self,
        member: Member,
        task_id: str,
        changes: TaskChanges,
        seen: int | None = None,
        rank: str | None = None,
        parent: Parent = UNSET,
    ) -> tuple[Task, Task]:
        """The same; returns the task before and after."""

        async def once() -> tuple[Task, Task]:
            task = await self.get(member, task_id)
            if seen is not None and task.version != seen:
                raise Changed()
            wanted = changes.applied(task)
            wanted = wanted if rank is None else replace(wanted, rank=rank)
            link = None if parent is UNSET else await self._link(member, task_id, parent or "")
            return task, await self.write(member, task, wanted, link=link)

        return await _until_written(self.clock, f"task {task_id}", once)

    async def _link(self, member: Member, task_id: str, parent: str) -> ParentLink | None:
        parent_id = await self.subtasks.parent_id(member, parent) if parent else None
        return await self.subtasks.link(member.team_id, task_id, parent_id)

    async def edit(
        self, member: Member, task_id: str, mine: TaskDraft, seen: int | None, kept: Mapping[str, Kept]
    ) -> tuple[Task, Task]:
        """What somebody changed in a form lands beside what others changed since. Where both changed the same field,
        `Clashed` says so, and they choose what is `kept`. Returns the task before and after."""

        async def once() -> tuple[Task, Task]:
            nonlocal mine, seen, kept
            task = await self.get(member, task_id)
            theirs = TaskDraft.of(task)
            mine = chosen(theirs, mine, kept)
            if seen is not None and seen != task.version:
                mine, clashes = merged(await self._as_it_was(task, seen), theirs, mine)
                if clashes:
                    raise Clashed(task, mine, clashes)
            seen, kept = task.version, {}
            return task, await self.write(member, task, all_of(mine).applied(task))

        return await _until_written(self.clock, f"task {task_id}", once)

    async def _as_it_was(self, task: Task, seen: int) -> TaskDraft | None:
        since = await self.db.all(activity_after(task.team_id, task.task_id, seen))
        was = rolled_back(task, since)
        return None if was is None else TaskDraft.of(was)

    async def undo(self, member: Member, task_id: str, version: int) -> Task:
        """Take one change back, out of the line that it left in the history. It can be undone, too."""

        async def once() -> Task:
            task = await self.get(member, task_id)
            line = await self.db.get(activities(task.team_id, task_id, version).consistent())
            if line is None:
                raise NoSuchChange()
            wanted = undone(task, line, await self.db.all(activity_after(task.team_id, task_id, version)))
            if wanted is None:
                raise Overwritten()
            link = await self._link(member, task_id, line.changes[PARENT][0]) if PARENT in line.changes else None
            return await self.write(member, task, checked(wanted), link=link)

        return await _until_written(self.clock, f"task {task_id}", once)

    async def place(self, member: Member, task_id: str, status: Status, above: str | None, below: str | None) -> Task:
        """Into a column, between the two cards that somebody saw there; at its end when they name none. What is done
        stands by when it was done."""
        if status is Status.DONE:
            return await self.change(member, task_id, TaskChanges(status=status))
        low = await self._hand_sort(member.team_id, above, status) or ""
        high = await self._hand_sort(member.team_id, below, status)
        if high is None or high <= low:
            high = await self._next_by_hand(member.team_id, status, low, task_id) if low else None
        rank = between(low, high) if high is not None else self._rank_at_the_end(low)
        if len(rank) > RANK_MAX:
            raise Crowded()
        return await self.change(member, task_id, TaskChanges(status=status), rank=rank)

    def _rank_at_the_end(self, low: str) -> str:
        """As if it were made now: after everything that is there, and before whatever will be."""
        fresh = short(self.clock)
        return fresh if fresh > low else between(low, None)

    async def _hand_sort(self, team_id: str, task_id: str | None, status: Status) -> str | None:
        """None for a card that has left the column, or none at all."""
        found = await self.db.get(one_task(team_id, task_id)) if task_id else None
        return found.hand_sort if found is not None and not found.deleted_at and found.status is status else None

    async def _next_by_hand(self, team_id: str, status: Status, low: str, moving: str) -> str | None:
        found = await self.db.page(next_by_hand(team_id, status, low), size=2)
        return next((task.hand_sort for task in found if task.task_id != moving), None)

    async def write(
        self,
        member: Member,
        task: Task,
        wanted: Task,
        *in_same_transaction: Action[Any, Any],
        link: ParentLink | None = None,
    ) -> Task:
        """From one state to another, both with whole descriptions, with all that belongs to it; raises Overtaken."""
        more = [*in_same_transaction, *(link.actions(task.task_id) if link else [])]
        now = days.now_jst(self.clock)
        if task.status is not wanted.status:
            wanted = replace(wanted, done_at=now if wanted.status is Status.DONE else None)
        if task == wanted and not more:
            return task
        update = self._update(stored(task), stored(wanted))
        update = update.set(Task.updated_at, now).set(Task.updated_by, member.user_id).knowing(stored(task))
        newcomers = {wanted.assignee} - {task.assignee}
        checks = self._checks(task.team_id, wanted.tags - task.tags, newcomers)
        history = history_rows(task, wanted, member.user_id, member.name, now, link.history if link else {})
        others = [*history, *rewritten(task, wanted), *more]
        others += [counted(task.team_id, _present(task), _present(wanted))] if _moved(task, wanted) else []
        try:
            if not others and not checks:
                return await self.whole(await self.db.write(update))
            await self._transact(checks, update, *others)
        except (ConditionFailed, TransactionFailed) as failed:
            raise Overtaken() from failed
        found = await self.db.get(one_task(task.team_id, task.task_id))
        if found is None:
            raise NoSuchTask()  # somebody has deleted it for good since
        return await self.whole(found)

    def _update(self, task: Task, wanted: Task) -> Update[Task]:
        update: Update[Task] = tasks.update(task.team_id, task.task_id)
        for name, field in _STORED.items():
            if getattr(task, name) != getattr(wanted, name):
                update = update.set(field, getattr(wanted, name))
        return update

    def _checks(self, team_id: str, refs: frozenset[str], assignees: set[str | None]) -> list[Action[Any, Any]]:
        """Only tags that are there and people who are members, at the very moment of the write."""
        found: list[Action[Any, Any]] = [tags.must_exist(team_id, ref.removeprefix("TAG#")) for ref in sorted(refs)]
        return found + [team_users.must_exist(team_id, user) for user in sorted(filter(None, assignees))]

    async def _transact(self, checks: list[Action[Any, Any]], *actions: Action[Any, Any]) -> None:
        """Raises what a failed check means; a failed condition of the actions goes on to the caller."""
        try:
            await self.db.transact(*actions, *checks)
        except TransactionFailed as failed:
            for action, _ in failed.reasons:
                if action in checks:
                    tag = action.entity is tags
                    raise (NoSuchTag(field="tags") if tag else NoSuchMember(field="assignee")) from failed
                if action.entity is totals:
                    raise NoSuchTeam() from failed
            raise


async def each(task_ids: Sequence[str], work: Callable[[str], Awaitable[object]]) -> dict[str, Refusal]:
    """The same to several tasks; returns the refusal of each to which it was not done."""
    if len(task_ids) > _BULK_MAX:
        raise TooLarge(most=_BULK_MAX)
    refused: dict[str, Refusal] = {}
    for task_id in dict.fromkeys(task_ids):
        try:
            await work(task_id)
        except NoSuchTeam:
            raise
        except Refusal as refusal:
            refused[task_id] = refusal
    return refused


def _present(task: Task) -> list[Task]:
    """What is in the trash is not counted."""
    return [] if task.deleted_at else [task]


def _moved(task: Task, wanted: Task) -> bool:
    return (task.status, task.deleted_at) != (wanted.status, wanted.deleted_at)


# Deleted tasks: for thirty days they can be taken back. Then they expire, and a job takes what belonged to them.


LIFE = timedelta(days=30)
SHOWN_MAX = 100


@dataclass
class Trash:
    db: Database
    clock: Clock
    tasks: Tasks

    async def all(self, member: Member) -> First[Task]:
        """The latest first."""
        return await self.db.first_items(trashed(member.team_id), SHOWN_MAX)

    async def put(self, member: Member, task_id: str, seen: int | None = None) -> Task:
        """Delete a task. `seen` is the version that somebody looked at: refused when there is a newer one."""

        async def once() -> Task:
            task = await self.tasks.get(member, task_id)
            if seen is not None and task.version != seen:
                raise Changed()
            now = days.now_jst(self.clock)
            gone = replace(task, deleted_at=now, expires=now + LIFE)
            return await self.tasks.write(member, task, gone, search_texts.delete(task.team_id, task_id))

        return await _until_written(self.clock, f"task {task_id}", once)

    async def take_back(self, member: Member, task_id: str) -> Task:
        """As it was, without tags and assignees that have gone meanwhile."""

        async def once() -> Task:
            task = await self.tasks.whole(await self._found(member, task_id))
            back = replace(await self._without_the_gone(task), deleted_at=None, expires=None)
            return await self.tasks.write(member, task, back, *texts(back)[:1])

        return await _until_written(self.clock, f"task {task_id}", once)

    async def purge(self, member: Member, task_id: str) -> None:
        """For good, now; unless somebody has taken it back."""
        try:
            await self.db.write(tasks.delete(member.team_id, task_id).when(Task.deleted_at.exists()))
        except ConditionFailed as wrong:
            if not wrong.unsure or await self.db.get(one_task(member.team_id, task_id)) is not None:
                raise NoSuchTask() from wrong

    async def _found(self, member: Member, task_id: str) -> Task:
        found = await self.db.get(one_task(member.team_id, task_id))
        if found is None or found.deleted_at is None:
            raise NoSuchTask()
        return found

    async def _without_the_gone(self, task: Task) -> Task:
        refs = {tag.ref for tag in await self.db.all(tags_of(task.team_id).consistent())}
        members = {one.user_id for one in await self.db.all(members_of(task.team_id).consistent())}
        return replace(task, tags=task.tags & refs, assignee=task.assignee if task.assignee in members else None)


# Many tasks at once: changed or thrown away together, and taken back together.


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of many tasks at once."""

    changed: int
    refused: dict[str, Refusal]
    batch_id: str | None = None
    """What `undo` takes; None when nothing was changed."""


@dataclass
class Batches:
    db: Database
    clock: Clock
    tasks: Tasks
    trash: Trash

    async def change(self, member: Member, task_ids: Sequence[str], changes: TaskChanges) -> Outcome:
        changed: dict[str, int] = {}

        async def one(task_id: str) -> None:
            before, after = await self.tasks.change_from(member, task_id, changes)
            if after.version != before.version:
                changed[task_id] = after.version

        refused = await each(task_ids, one)
        return await self._kept(member, len(set(task_ids)) - len(refused), refused, changed, deleted=False)

    async def delete(self, member: Member, task_ids: Sequence[str]) -> Outcome:
        gone: dict[str, int] = {}

        async def one(task_id: str) -> None:
            gone[task_id] = (await self.trash.put(member, task_id)).version

        refused = await each(task_ids, one)
        return await self._kept(member, len(gone), refused, gone, deleted=True)

    async def _kept(
        self, member: Member, count: int, refused: dict[str, Refusal], changed: dict[str, int], *, deleted: bool
    ) -> Outcome:
        if not changed:
            return Outcome(count, refused)
        now = days.now_jst(self.clock)
        made = Batch(
            team_id=member.team_id,
            batch_id=short(self.clock),
            who=member.user_id,
            at=now,
            deleted=deleted,
            tasks=changed,
            expires=now + LIFE,
        )
        try:
            await self.db.transact(batches.create(made), still_open(member.team_id))
        except TransactionFailed as failed:
            raise NoSuchTeam() from failed
        return Outcome(count, refused, made.batch_id)

    async def undo(self, member: Member, batch_id: str) -> Outcome:
        """Each as if it were undone alone: what somebody has changed again since stays as it is, and is refused."""
        batch = await self.db.get(one_batch(member.team_id, batch_id))
        if batch is None:
            raise NoSuchChange()

        async def one(task_id: str) -> None:
            if batch.deleted:
                await self.trash.take_back(member, task_id)
            else:
                await self.tasks.undo(member, task_id, batch.tasks[task_id])

        refused = await each(list(batch.tasks), one)
        return Outcome(len(batch.tasks) - len(refused), refused)
