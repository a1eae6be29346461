"""Tasks out of another program's file: first what would happen, then that and nothing else.

The file waits in parts in the table, and a job makes tasks of them, a part in a transaction: the part goes when its
tasks come, so a job that is cut off anywhere goes on where it was, and nothing comes in twice. Every task also leaves a
row with what the other program calls it; so the same file again, or a later one of the same board, brings only what is
new.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.jobs import Jobs
from sekkei_systems.tasks.design import ImportPart, ImportRun, import_parts, import_run, import_runs, imported_as
from sekkei_systems.tasks.refusals import NoSuchImport, NoSuchTeam
from sekkei_systems.tasks.rules.entered import line_of
from sekkei_systems.tasks.rules.foreign import Board, ForeignTask
from sekkei_systems.tasks.rules.identifiers import short
from sekkei_systems.tasks.rules.import_parts import packed, parts_of, rooted
from sekkei_systems.tasks.rules.writes import still_open
from sekkei_systems.tasks.service.access import Admin, Member
from sekkei_systems.tasks.service.import_work import ImportWork, draft_of, plan_of
from sekkei_systems.tasks.service.tags import NAME_MAX as TAG_NAME_MAX
from sekkei_systems.tasks.service.tags import TAGS_MAX, Tags
from sekkei_systems.tasks.service.teams import Teams

JOB = "import"
KEPT = timedelta(days=30)


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


class Imports:
    def __init__(self, db: Database, clock: Clock, jobs: Jobs, tags: Tags, teams: Teams, work: ImportWork) -> None:
        self._db, self._clock, self._jobs, self._tags, self._teams, self.work = db, clock, jobs, tags, teams, work

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
            plan_of(one, member.team_id, "checked", self._clock)
        now, import_id = days.now(self._clock), short(self._clock)
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
        await self._db.write_many(
            import_parts.put(ImportPart(**ids, at=at, tasks=packed(part), expires=now + KEPT))
            for at, part in enumerate(parts_of(rooted(tasks)))
        )
        job = self._jobs.start_action(JOB, {**ids, "user_id": member.user_id}, id=f"{JOB}/{import_id}")
        try:
            await self._db.transact(import_runs.create(run), job, still_open(member.team_id))
        except TransactionFailed as failed:
            await self.work.forget_parts(run)
            raise NoSuchTeam() from failed
        return run

    async def get(self, member: Member, import_id: str) -> ImportRun:
        found = await self._db.get(import_run(member.team_id, import_id).consistent())
        if found is None:
            raise NoSuchImport()
        return found

    async def take_in(self, member: Member, board: Board) -> int:
        """Here and now, for a command; returns how many tasks were made. What is cut off, the job goes on with."""
        run = await self.begin(member, board)
        while not (await self.get(member, run.import_id)).ended:
            await self.work.step(member.team_id, run.import_id, member.user_id)
        return (await self.get(member, run.import_id)).made

    async def _known(self, team_id: str, tasks: Sequence[ForeignTask]) -> set[str]:
        sources = dict.fromkeys(one.source for one in tasks)
        found = await self._db.get_many([imported_as(team_id, source).consistent() for source in sources])
        return {one.source for one in found if one is not None}

    async def _missing_tags(self, member: Member, new: Sequence[ForeignTask]) -> tuple[str, ...]:
        there = {tag.name for tag in await self._tags.all(member)}
        wanted = dict.fromkeys(name for one in new for name in one.tags if name not in there)
        return tuple(wanted)[: TAGS_MAX - len(there)]

    async def _strangers(self, member: Member, new: Sequence[ForeignTask]) -> set[str]:
        """People of the file who are not in the team; their tasks are nobody's."""
        names = {one.user_name for one in await self._teams.members(member)}
        return {name for one in new for name in one.people} - names
