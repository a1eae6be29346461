"""What belongs to a task's plan: its checklist, the tasks that come before it, and when it comes again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from msgspec import structs

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Contended, Database, Ref, TransactionFailed, replace
from sekkei.design.retries import pause
from sekkei.runtime.refusals import Refusal
from sekkei_systems import days
from sekkei_systems.tasks.design import (
    Check,
    Links,
    Plan,
    Task,
    links,
    members_of,
    one_task,
    plan_of,
    plans,
    tags_of,
    talk_about,
    tasks,
    team_users,
)
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import Circular, NoSuchBlocker, NoSuchCheck, NoSuchTask, NoSuchTeam, TooLarge
from sekkei_systems.tasks.rules.drafts import TaskDraft, line_of
from sekkei_systems.tasks.rules.identifiers import short
from sekkei_systems.tasks.rules.recurring import BadRule, anchored, checked, following
from sekkei_systems.tasks.service.access import Member
from sekkei_systems.tasks.service.numbers import Numbers
from sekkei_systems.tasks.service.subtasks import ParentLink
from sekkei_systems.tasks.service.tasks import TRIES_MAX, Tasks

CHECKS_MAX = 100
CHECK_MAX = 200
_BLOCKERS_MAX = 20
_WALKED_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Relatives:
    """What a task is part of, and what is part of it; what is in the trash is neither."""

    parent: Task | None = None
    children: tuple[Task, ...] = ()
    """The oldest first."""

    @property
    def done(self) -> int:
        return sum(one.status is Status.DONE for one in self.children)

    @property
    def open(self) -> int:
        return len(self.children) - self.done


ALONE = Relatives()


@dataclass(frozen=True, slots=True)
class Extras:
    """What the API tells of a task that is not its own."""

    comments: int = 0
    family: Relatives = ALONE


NO_EXTRAS = Extras()


@dataclass(frozen=True, slots=True)
class PlanOnPage:
    """What a task's page shows of others."""

    blockers: list[Task]
    """Those that come before, without those that are gone."""
    family: Relatives
    closable: bool
    """All of its subtasks are done, and it is not."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a card says of its task's plan."""

    done: int
    all: int
    blocked: int
    """How many tasks that are not done come before it."""
    family: Relatives = ALONE


@dataclass
class Plans:
    db: Database
    clock: Clock
    tasks: Tasks
    numbers: Numbers

    async def get(self, member: Member, task_id: str) -> Plan:
        found = await self.db.get(plan_of(member.team_id, task_id))
        return found or Plan(team_id=member.team_id, task_id=task_id)

    async def marks(self, member: Member, task_ids: Sequence[str]) -> dict[str, Marks]:
        """Of the tasks whose plan has something to say. Two calls: the plans, and all tasks that they name."""
        found = await self._several(member, task_ids)
        named = await self._named_in(found)
        marks = {one.task_id: _marks(one, named) for one in found}
        return {id: mark for id, mark in marks.items() if mark.all or mark.blocked or mark.family != ALONE}

    async def relatives(self, member: Member, task_ids: Sequence[str]) -> dict[str, Relatives]:
        """Of the tasks that have some."""
        return await self._families(await self._several(member, task_ids))

    async def extras(self, found: Sequence[Task]) -> dict[str, Extras]:
        """What stands beside tasks, in one call; in two, where they have relatives. They may be of several teams."""
        refs: list[Ref[Any]] = [talk_about(one.team_id, one.task_id) for one in found]
        there = await self.db.get_many([*refs, *(plans(one.team_id, one.task_id) for one in found)])
        families = await self._families([one for one in there[len(found) :] if one])
        ids = [one.task_id for one in found]
        talks = zip(ids, there, strict=False)
        return {id: Extras(talk.comments if talk else 0, families.get(id, ALONE)) for id, talk in talks}

    async def _families(self, found: Sequence[Plan]) -> dict[str, Relatives]:
        named = await self._named_in([replace(one, blocked_by=frozenset()) for one in found])
        families = {one.task_id: _family(one, named) for one in found}
        return {id: family for id, family in families.items() if family != ALONE}

    async def on_page(self, plan: Plan) -> PlanOnPage:
        """For the task's page."""
        own = frozenset({plan.task_id} if plan.children else ())
        named = await self._named_in([replace(plan, children=plan.children | own)], consistent=True)
        family, task = _family(plan, named), named.get(plan.task_id)
        closable = bool(family.children and not family.open and task and task.status is not Status.DONE)
        return PlanOnPage([named[id] for id in sorted(plan.blocked_by) if id in named], family, closable)

    async def _several(self, member: Member, task_ids: Sequence[str]) -> list[Plan]:
        wanted = [plans(member.team_id, id) for id in dict.fromkeys(task_ids)]
        return [one for one in await self.db.get_many(wanted) if one]

    async def _named_in(self, found: Sequence[Plan], *, consistent: bool = False) -> dict[str, Task]:
        """Every task that these plans name, except those in the trash and those that are gone."""
        ids = {(one.team_id, id) for one in found for id in (*one.blocked_by, *one.children, one.parent) if id}
        refs = [(one_task if consistent else tasks)(*pair) for pair in sorted(ids)]
        there = await self.db.get_many(refs) if refs else []
        return {one.task_id: one for one in there if one is not None and one.deleted_at is None}

    # The checklist

    async def add_check(self, member: Member, task_id: str, text: str) -> Plan:
        made = Check(id=short(self.clock), text=line_of(text, CHECK_MAX, "text"))

        def added(plan: Plan) -> Plan:
            if len(plan.checks) >= CHECKS_MAX:
                raise TooLarge(field="text", most=CHECKS_MAX)
            return replace(plan, checks=[*plan.checks, made])

        return await self._change(member, task_id, added)

    async def tick(self, member: Member, task_id: str, check_id: str, done: bool) -> Plan:
        def ticked(plan: Plan) -> Plan:
            _known(plan, check_id)
            return replace(plan, checks=[replace(one, done=done) if one.id == check_id else one for one in plan.checks])

        return await self._change(member, task_id, ticked)

    async def remove_check(self, member: Member, task_id: str, check_id: str) -> Plan:
        def removed(plan: Plan) -> Plan:
            _known(plan, check_id)
            return replace(plan, checks=[one for one in plan.checks if one.id != check_id])

        return await self._change(member, task_id, removed)

    # What comes before

    async def block(self, member: Member, task_id: str, by: str) -> Plan:
        """`by` is an id, or a number as in DEV-12. Two people cannot close a circle together: whoever is second looks
        again."""
        by_id = await self._blocker_id(member, by)
        for attempt in range(TRIES_MAX):
            seen = await self.db.get(links(member.team_id).consistent()) or Links(team_id=member.team_id)
            await self._check_circle(member, task_id, by_id)
            same = Links.moves == seen.moves
            count = (
                links.upsert(member.team_id)
                .add(Links.moves, 1)
                .when(same if seen.moves else same | Links.moves.absent())
            )
            try:
                return await self._change(member, task_id, lambda plan: _blocked(plan, by_id), count)
            except TransactionFailed:
                await pause(attempt, self.clock)
        raise Contended("SK303", f"dependencies of team {member.team_id} kept being changed by others")

    async def _blocker_id(self, member: Member, by: str) -> str:
        found = await self._named(member, by)
        try:
            if "#" in found:
                raise NoSuchTask()
            return (await self.tasks.card(member, found)).task_id
        except NoSuchTask as wrong:
            raise NoSuchBlocker(field="by") from wrong

    async def unblock(self, member: Member, task_id: str, by: str) -> Plan:
        """`by` is an id, or a number; the task may be gone."""
        by_id = await self._named(member, by)
        return await self._change(member, task_id, lambda plan: replace(plan, blocked_by=plan.blocked_by - {by_id}))

    async def _named(self, member: Member, by: str) -> str:
        try:
            return await self.numbers.named(member, by)
        except NoSuchTask as wrong:
            raise NoSuchBlocker(field="by") from wrong

    async def _check_circle(self, member: Member, task_id: str, by: str) -> None:
        """Whether the task comes before what is to come before it."""
        waiting, seen = {by}, set[str]()
        while waiting:
            if task_id in waiting or len(seen) > _WALKED_MAX:
                raise Circular()
            seen |= waiting
            found = await self.db.get_many([plan_of(member.team_id, id) for id in sorted(waiting)])
            waiting = set().union(*(one.blocked_by for one in found if one)) - seen

    # Again

    async def repeat(self, member: Member, task_id: str, rule: str) -> Plan:
        """By a preset's name or an RRULE; "" for not again."""
        task = await self.tasks.card(member, task_id)
        wanted = anchored(checked(rule), task.end) if rule else None
        if wanted is not None and following(wanted, task.end, days.today(self.clock)) is None:
            raise BadRule(field="rule")
        return await self._change(member, task_id, lambda plan: replace(plan, rule=wanted))

    async def _change(
        self, member: Member, task_id: str, change: Callable[[Plan], Plan], *more: Action[Any, Any]
    ) -> Plan:
        """Raises TransactionFailed when `more` is what fails."""
        for attempt in range(TRIES_MAX):
            await self.tasks.card(member, task_id)
            plan = await self.db.get(plan_of(member.team_id, task_id))
            wanted = change(plan or Plan(team_id=member.team_id, task_id=task_id))
            if plan is not None and plan == wanted:
                return plan
            write = self._write(plan, wanted)
            try:
                await self.db.transact(write, tasks.must_exist(member.team_id, task_id), *more)
            except (ConditionFailed, TransactionFailed) as failed:
                if more and isinstance(failed, TransactionFailed) and not failed.failed(write):
                    raise
                await pause(attempt, self.clock)
                continue
            found = await self.db.get(plan_of(member.team_id, task_id))
            if found is None:
                raise NoSuchTask()  # somebody has deleted it for good since
            return found
        raise Contended("SK303", f"the plan of {task_id} kept being changed by others")

    def _write(self, plan: Plan | None, wanted: Plan) -> Action[Any, Any]:
        if plan is None:
            return plans.create(wanted)
        update = plans.update(plan.team_id, plan.task_id).knowing(plan)
        update = update.set(Plan.checks, wanted.checks).set(Plan.blocked_by, wanted.blocked_by)
        return update.set(Plan.rule, wanted.rule)


def _known(plan: Plan, check_id: str) -> None:
    if all(one.id != check_id for one in plan.checks):
        raise NoSuchCheck()


def _blocked(plan: Plan, by: str) -> Plan:
    if len(plan.blocked_by | {by}) > _BLOCKERS_MAX:
        raise TooLarge(field="by", most=_BLOCKERS_MAX)
    return replace(plan, blocked_by=plan.blocked_by | {by})


def _marks(plan: Plan, named: Mapping[str, Task]) -> Marks:
    waiting = [id for id in plan.blocked_by if id in named and named[id].status is not Status.DONE]
    return Marks(sum(one.done for one in plan.checks), len(plan.checks), len(waiting), _family(plan, named))


def _family(plan: Plan, named: Mapping[str, Task]) -> Relatives:
    children = tuple(named[id] for id in sorted(plan.children) if id in named)
    return Relatives(named.get(plan.parent or ""), children)


# A task that comes again: when it is done, the next one is made, once.


@dataclass
class Recurrence:
    db: Database
    clock: Clock
    tasks: Tasks

    async def done(self, task: Task) -> Task | None:
        """The next one, with the rule, the checklist and the parent; None when there is none, or it has been made
        before."""
        for attempt in range(TRIES_MAX):
            plan = await self.db.get(plan_of(task.team_id, task.task_id))
            due = following(plan.rule, task.end, days.today(self.clock)) if plan and plan.rule else None
            if plan is None or due is None:
                return None
            try:
                return await self._next(task, plan, due)
            except NoSuchTeam:
                return None  # it is being deleted
            except TransactionFailed:
                await pause(attempt, self.clock)  # somebody else made it just then, or changed the plan
        raise Contended("SK303", f"the plan of {task.task_id} kept being changed by others")

    async def _next(self, task: Task, plan: Plan, due: date) -> Task:
        draft, link = await self._again(await self.tasks.whole(task), due), await self._link(plan)
        who = await self._maker(task)
        # An assignee is looked at where tasks are made; one item stands in a transaction once.
        still_there = [team_users.must_exist(task.team_id, who)] if who and who != draft.assignee else []

        def moved(made: list[Task]) -> list[Action[Any, Any]]:
            return [*self._moved(plan, made[0], link), *still_there]

        (made,) = await self.tasks.create_together(task.team_id, who, [draft], moved)
        return made

    async def _maker(self, task: Task) -> str:
        """Whoever finished it, if they are still in the team: nothing is to name somebody who has left."""
        who = task.updated_by
        there = who and await self.db.get(team_users(task.team_id, who).consistent()) is not None
        return who if there else ""

    async def _link(self, plan: Plan) -> ParentLink | None:
        """The next of a subtask is one, too, unless the parent has gone or is full."""
        try:
            return await self.tasks.subtasks.link(plan.team_id, None, plan.parent) if plan.parent else None
        except Refusal:
            return None

    def _moved(self, plan: Plan, made: Task, link: ParentLink | None) -> list[Action[Any, Any]]:
        """The rule goes on to the new task, so that the old one, done once more, brings no other."""
        checks = [replace(one, done=False) for one in plan.checks]
        fresh = Plan(team_id=made.team_id, task_id=made.task_id, checks=checks, rule=plan.rule)
        old = plans.update(plan.team_id, plan.task_id).knowing(plan).set(Plan.rule, None)
        links = link.others(made.task_id) if link else []
        fresh = replace(fresh, parent=link.parent) if link else fresh
        return [old.set(Plan.next_id, made.task_id), plans.create(fresh), *links]

    async def _again(self, task: Task, due: date) -> TaskDraft:
        """With dates as far apart as before; without tags and assignees that have gone meanwhile."""
        draft = TaskDraft.of(task)
        tags = {one.tag_id for one in await self.db.all(tags_of(task.team_id).consistent())}
        members = {one.user_id for one in await self.db.all(members_of(task.team_id).consistent())}
        length = task.end - task.start if task.start and task.end else timedelta()
        return structs.replace(
            draft,
            status=Status.TODO,
            start=due - length if task.start else None,
            end=due if task.end or not task.start else None,
            tags=draft.tags & tags,
            assignee=draft.assignee if draft.assignee in members else None,
        )
