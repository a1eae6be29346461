"""Tasks out of another program's file: first what would happen, then that and nothing else.

The file waits in parts in the table, and a job makes tasks of them, a part in a transaction: the part goes when its
tasks come, so a job that is cut off anywhere goes on where it was, and nothing comes in twice. Every task also leaves a
row with what the other program calls it; so the same file again, or a later one of the same board, brings only what is
new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from msgspec import structs

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Contended, Database, TransactionFailed, replace
from sekkei.design.retries import pause
from sekkei.runtime.jobs import Jobs, Payload, Progress
from sekkei_systems import days
from sekkei_systems.tasks.design import (
    Check,
    Imported,
    ImportPart,
    ImportRun,
    Plan,
    Task,
    import_parts,
    import_run,
    import_runs,
    imported,
    imported_as,
    parts_of,
    plans,
)
from sekkei_systems.tasks.design import plan_of as stored_plan
from sekkei_systems.tasks.refusals import (
    NoSuchImport,
    NoSuchMember,
    NoSuchParent,
    NoSuchTag,
    NoSuchTask,
    NoSuchTeam,
    TooLarge,
)
from sekkei_systems.tasks.rules.drafts import CHILDREN_MAX, TaskDraft, line_of
from sekkei_systems.tasks.rules.identifiers import short
from sekkei_systems.tasks.rules.imports import Board, ForeignTask, in_parts, packed, rooted, unpacked
from sekkei_systems.tasks.rules.writes import still_open
from sekkei_systems.tasks.service.access import Access, Admin, Member
from sekkei_systems.tasks.service.plans import CHECK_MAX, CHECKS_MAX
from sekkei_systems.tasks.service.subtasks import adopted
from sekkei_systems.tasks.service.tasks import TRIES_MAX, Tasks
from sekkei_systems.tasks.service.teams import TAG_NAME_MAX, TAGS_MAX, Tags, Teams


@dataclass(frozen=True, slots=True)
class Preview:
    """What would come of a file."""

    program: str
    name: str
    new: tuple[ForeignTask, ...]
    there: int
    """Tasks that came in before."""
    new_tags: tuple[str, ...]
    """Tags that would be added."""
    left: dict[str, int]
    """What stays behind, by why."""


@dataclass
class Imports:
    db: Database
    clock: Clock
    jobs: Jobs
    tags: Tags
    teams: Teams
    access: Access
    tasks: Tasks

    async def preview(self, member: Member, board: Board) -> Preview:
        """Nothing is written."""
        known = await self._known(member.team_id, board.tasks)
        unique = rooted(list({one.source: one for one in board.tasks}.values()))
        new = tuple(one for one in unique if one.source not in known)
        left = dict(board.left)
        missing = await self._missing_tags(member, new)
        if missing and not isinstance(member, Admin):
            left["new-tags"], missing = len(missing), ()
        strangers = await self._strangers(member, new)
        if strangers:
            left["strangers"] = len(strangers)
        return Preview(board.program, board.name, new, len(unique) - len(new), missing, left)

    async def begin(self, member: Member, board: Board) -> ImportRun:
        """A job takes in what is new."""
        wanted = await self.preview(member, board)
        return await self.begin_with(member, board.program, board.name, wanted.new, wanted.new_tags)

    async def begin_with(
        self, member: Member, program: str, name: str, tasks: Sequence[ForeignTask], tags: Sequence[str] = ()
    ) -> ImportRun:
        """Everything is checked before anything is stored; parts without their run, after a cut, go by themselves."""
        for one in tasks:
            draft_of(one, {name: name for name in one.tags}, {}).task(member.team_id, "checked")
            plan_of(one, member.team_id, "checked", self.clock)
        now, import_id = days.now(self.clock), short(self.clock)
        run = ImportRun(
            team_id=member.team_id,
            import_id=import_id,
            program=program,
            name=name,
            wanted=len(tasks),
            tags=[line_of(tag, TAG_NAME_MAX, "tags") for tag in tags],
            expires=now + KEPT,
        )
        ids = {"team_id": member.team_id, "import_id": import_id}
        await self.db.write_many(
            import_parts.put(ImportPart(**ids, at=at, tasks=packed(part), expires=now + KEPT))
            for at, part in enumerate(in_parts(rooted(tasks)))
        )
        job = self.jobs.start_action(JOB, {**ids, "user_id": member.user_id}, id=f"{JOB}/{import_id}")
        try:
            await self.db.transact(import_runs.create(run), job, still_open(member.team_id))
        except TransactionFailed as failed:
            await self._forget_parts(run)
            raise NoSuchTeam() from failed
        return run

    async def get(self, member: Member, import_id: str) -> ImportRun:
        found = await self.db.get(import_run(member.team_id, import_id).consistent())
        if found is None:
            raise NoSuchImport()
        return found

    async def take_in(self, member: Member, board: Board) -> int:
        """Here and now, for a command; returns how many tasks were made. What is cut off, the job goes on with."""
        run = await self.begin(member, board)
        while not (await self.get(member, run.import_id)).ended:
            await self.step(member.team_id, run.import_id, member.user_id)
        return (await self.get(member, run.import_id)).made

    async def _missing_tags(self, member: Member, new: Sequence[ForeignTask]) -> tuple[str, ...]:
        there = {tag.name for tag in await self.tags.all(member)}
        wanted = dict.fromkeys(name for one in new for name in one.tags if name not in there)
        return tuple(wanted)[: TAGS_MAX - len(there)]

    async def _strangers(self, member: Member, new: Sequence[ForeignTask]) -> set[str]:
        """People of the file who are not in the team; their tasks are nobody's."""
        names = {one.user_name for one in await self.teams.members(member)}
        return {name for one in new for name in one.people} - names

    # What a job does with a file that waits in parts; each step can be done again without harm

    async def job_step(self, payload: Payload, cursor: str | None) -> Progress:
        return await self.step(payload["team_id"], payload["import_id"], payload["user_id"])

    async def step(self, team_id: str, import_id: str, user_id: str) -> Progress:
        """A few parts, as whoever began it: once they have left the team, nothing more comes of it."""
        run = await self.db.get(import_run(team_id, import_id).consistent())
        if run is None or run.ended:
            return Progress(0)
        try:
            member = await self.access.member(user_id, team_id)
            if not run.seen:
                await self._add_tags(member, run)
            waiting = await self.db.page(parts_of(team_id, import_id).consistent(), size=_PARTS_A_STEP)
            for part in waiting:
                await self._take(member, part)
        except NoSuchTeam:
            await self._end(run, stopped=True)
            return Progress(0)
        if waiting.cursor is None:
            await self._end(run)
        return Progress(len(waiting), waiting.cursor and "more")

    async def _add_tags(self, member: Member, run: ImportRun) -> None:
        there = {tag.name for tag in await self.tags.all(member)}
        missing = [name for name in run.tags if name not in there] if isinstance(member, Admin) else []
        try:
            for at, name in enumerate(missing):
                assert isinstance(member, Admin)
                await self.tags.add(member, name, _TAG_COLORS[at % len(_TAG_COLORS)])
        except TooLarge:
            pass  # somebody else has added tags meanwhile; the tasks come without

    async def _take(self, member: Member, part: ImportPart) -> None:
        """Make its tasks, and let it go."""
        found = unpacked(part.tasks)
        for attempt in range(TRIES_MAX):
            known = await self._known(member.team_id, found)
            new = [one for one in found if one.source not in known]
            try:
                return await self._write(member, part, new, len(found))
            except (TransactionFailed, NoSuchTag, NoSuchMember):
                if await self.db.get(_ref(part).consistent()) is None:
                    return None  # another worker has just done it
                await pause(attempt, self.clock)
        raise Contended("SK303", f"a part of import {part.import_id} kept being changed by others")

    async def _write(self, member: Member, part: ImportPart, new: Sequence[ForeignTask], seen: int) -> None:
        run = import_runs.update(part.team_id, part.import_id).add(ImportRun.seen, seen).add(ImportRun.made, len(new))
        gone = import_parts.delete(part.team_id, part.import_id, part.at).must_exist()
        if new:
            await self._make(member, new, part.import_id, run, gone)
        else:
            await self.db.transact(run, gone)

    async def _make(
        self, member: Member, new: Sequence[ForeignTask], import_id: str, *with_them: Action[Any, Any]
    ) -> None:
        tags = {tag.name: tag.tag_id for tag in await self.tags.all(member)}
        people = {one.user_name: one.user_id for one in await self.teams.members(member)}
        drafts = [draft_of(one, tags, people) for one in new]
        above = await self._above(member, new)

        def with_tasks(made: list[Task]) -> list[Action[Any, Any]]:
            pairs = list(zip(new, made, strict=True))
            rows = [
                imported.create(Imported(team_id=task.team_id, source=one.source, task_id=task.task_id))
                for one, task in pairs
                if one.source
            ]
            return [*rows, *self._plans(pairs, above, import_id), *with_them]

        await self.tasks.create_together(member.team_id, member.user_id, drafts, with_tasks, import_id)

    def _plans(
        self, pairs: Sequence[tuple[ForeignTask, Task]], above: Mapping[str, Plan], import_id: str
    ) -> list[Action[Any, Any]]:
        """Checklists, and both sides of what is part of what; the parents may have come with an earlier part."""
        here = {one.source: task.task_id for one, task in pairs if one.source}
        ids = {**{source: plan.task_id for source, plan in above.items()}, **here}
        children: dict[str, set[str]] = {}
        for one, task in pairs:
            if one.parent in ids:
                children.setdefault(ids[one.parent], set()).add(task.task_id)
        found: list[Action[Any, Any]] = []
        for one, task in pairs:
            plan = plan_of(one, task.team_id, task.task_id, self.clock)
            own = frozenset(children.pop(task.task_id, ()))
            plan = replace(plan, parent=ids.get(one.parent), children=own, import_id=import_id)
            found += [plans.create(plan)] if plan.checks or plan.parent or plan.children else []
        old = {plan.task_id: plan for plan in above.values()}
        more = [adopted(old[id].team_id, id, sorted(some), old[id]) for id, some in children.items()]
        return [*found, *(action for some in more for action in some)]

    async def _above(self, member: Member, new: Sequence[ForeignTask]) -> dict[str, Plan]:
        """The plans of parents that are there already, by what the file calls them: those that can be parents."""
        here = {one.source for one in new}
        wanted = Counter(one.parent for one in new if one.parent and one.parent not in here)
        found: dict[str, Plan] = {}
        for name, count in wanted.items():
            plan = await self._parent(member, name)
            if plan is not None and not plan.parent and len(plan.children) + count <= CHILDREN_MAX:
                found[name] = plan
        return found

    async def _parent(self, member: Member, name: str) -> Plan | None:
        came = await self.db.get(imported_as(member.team_id, name).consistent()) if "/" in name else None
        try:
            id = came.task_id if came else await self.tasks.subtasks.parent_id(member, name)
            await self.tasks.card(member, id)
        except (NoSuchParent, NoSuchTask):
            return None
        return await self.db.get(stored_plan(member.team_id, id)) or Plan(team_id=member.team_id, task_id=id)

    async def _known(self, team_id: str, tasks: Sequence[ForeignTask]) -> set[str]:
        sources = dict.fromkeys(one.source for one in tasks if one.source)
        found = await self.db.get_many([imported_as(team_id, source).consistent() for source in sources])
        return {one.source for one in found if one is not None}

    async def _end(self, run: ImportRun, *, stopped: bool = False) -> None:
        update = import_runs.update(run.team_id, run.import_id).set(ImportRun.ended, days.now_jst(self.clock))
        try:
            await self.db.write(update.set(ImportRun.stopped, stopped))
        except ConditionFailed:
            return  # the team is gone, and all that was in it
        if stopped:
            await self._forget_parts(run)

    async def _forget_parts(self, run: ImportRun) -> None:
        async for part in self.db.each(parts_of(run.team_id, run.import_id).consistent()):
            await self.db.write(import_parts.delete(part.team_id, part.import_id, part.at))


def draft_of(found: ForeignTask, tags: Mapping[str, str], people: Mapping[str, str]) -> TaskDraft:
    return structs.replace(
        found.draft,
        tags=frozenset(tags[name] for name in found.tags if name in tags),
        assignee=next((people[name] for name in found.people if name in people), None),
    )


def plan_of(found: ForeignTask, team_id: str, task_id: str, clock: Clock) -> Plan:
    if len(found.checks) > CHECKS_MAX:
        raise TooLarge(field="text", most=CHECKS_MAX)
    checks = [Check(id=short(clock), text=line_of(text, CHECK_MAX, "text"), done=done) for text, done in found.checks]
    return Plan(team_id=team_id, task_id=task_id, checks=checks)


def _ref(part: ImportPart) -> Any:
    return import_parts(part.team_id, part.import_id, part.at)


JOB = "import"
KEPT = timedelta(days=30)
_PARTS_A_STEP = 3
_TAG_COLORS = ("#2563eb", "#7c3aed", "#db2777", "#dc2626", "#d97706", "#65a30d", "#0f766e", "#475569")
