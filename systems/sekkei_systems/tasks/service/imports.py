"""Tasks out of another program's file: first what would happen, then that and nothing else.

Every task that came in leaves a row with what the other program calls it, in the transaction of the task. So the same
file again, or a later one of the same board, brings only what is new, also after a cut in the middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, TransactionFailed
from sekkei_systems.tasks.design import Check, Imported, Plan, Task, imported, imported_as, plans
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.entered import line_of
from sekkei_systems.tasks.rules.foreign import Board, Found
from sekkei_systems.tasks.rules.identifiers import short
from sekkei_systems.tasks.service.access import Admin, Member
from sekkei_systems.tasks.service.plans import CHECK_MAX
from sekkei_systems.tasks.service.tags import TAGS_MAX, Tags
from sekkei_systems.tasks.service.tasks import Tasks
from sekkei_systems.tasks.service.teams import Teams

TAG_COLORS = ("#2563eb", "#7c3aed", "#db2777", "#dc2626", "#d97706", "#65a30d", "#0f766e", "#475569")


@dataclass(frozen=True, slots=True)
class Preview:
    """What would come of a file."""

    program: str
    name: str
    new: tuple[Found, ...]
    there: int
    """Tasks that came in before."""
    new_tags: tuple[str, ...]
    """Tags that would be added."""
    left: dict[str, int]
    """What stays behind, by why."""


class Imports:
    def __init__(self, db: Database, clock: Clock, tasks: Tasks, tags: Tags, teams: Teams) -> None:
        self._db, self._clock, self._tasks, self._tags, self._teams = db, clock, tasks, tags, teams

    async def preview(self, member: Member, board: Board) -> Preview:
        """Nothing is written."""
        known = await self._known(member.team_id, board.tasks)
        unique = list({one.source: one for one in board.tasks}.values())
        new = tuple(one for one in unique if one.source not in known)
        left = dict(board.left)
        missing = await self._missing_tags(member, new)
        if missing and not isinstance(member, Admin):
            left["new-tags"], missing = len(missing), ()
        strangers = await self._strangers(member, new)
        if strangers:
            left["strangers"] = len(strangers)
        return Preview(board.program, board.name, new, len(unique) - len(new), missing, left)

    async def take_in(self, member: Member, board: Board) -> int:
        """Returns how many tasks were made."""
        wanted = await self.preview(member, board)
        if isinstance(member, Admin):
            for at, name in enumerate(wanted.new_tags):
                await self._tags.add(member, name, TAG_COLORS[at % len(TAG_COLORS)])
        tags = {tag.name: tag.tag_id for tag in await self._tags.all(member)}
        people = {one.user_name: one.user_id for one in await self._teams.members(member)}
        made = 0
        for found in wanted.new:
            made += await self._made(member, found, tags, people)
        return made

    async def _made(self, member: Member, found: Found, tags: dict[str, str], people: dict[str, str]) -> bool:
        draft = TaskDraft(
            found.title,
            found.description,
            found.status,
            found.start,
            found.end,
            frozenset(tags[name] for name in found.tags if name in tags),
            next((people[name] for name in found.people if name in people), None),
            found.priority,
        )

        def beside(task: Task) -> list[Action[Any, Any]]:
            row = Imported(team_id=task.team_id, source=found.source, task_id=task.task_id)
            checks = [
                Check(id=short(self._clock), text=line_of(text, CHECK_MAX, "text"), done=done)
                for text, done in found.checks
            ]
            plan = Plan(team_id=task.team_id, task_id=task.task_id, checks=checks)
            return [imported.create(row), *([plans.create(plan)] if checks else [])]

        try:
            await self._tasks.create_after(member.team_id, member.user_id, draft, beside)
        except TransactionFailed:
            if found.source in await self._known(member.team_id, [found]):
                return False  # somebody else brought the same file just then
            raise
        return True

    async def _known(self, team_id: str, tasks: Sequence[Found]) -> set[str]:
        sources = dict.fromkeys(one.source for one in tasks)
        found = await self._db.get_many([imported_as(team_id, source).consistent() for source in sources])
        return {one.source for one in found if one is not None}

    async def _missing_tags(self, member: Member, new: Sequence[Found]) -> tuple[str, ...]:
        there = {tag.name for tag in await self._tags.all(member)}
        wanted = dict.fromkeys(name for one in new for name in one.tags if name not in there)
        return tuple(wanted)[: TAGS_MAX - len(there)]

    async def _strangers(self, member: Member, new: Sequence[Found]) -> set[str]:
        """People of the file who are not in the team; their tasks are nobody's."""
        names = {one.user_name for one in await self._teams.members(member)}
        return {name for one in new for name in one.people} - names
