"""Numbers of tasks: every task of a team has one, and no number ever means another task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei_systems.tasks.design import Totals, numbered, totals
from sekkei_systems.tasks.refusals import NoSuchTask, NoSuchTeam
from sekkei_systems.tasks.rules.identifiers import number_in
from sekkei_systems.tasks.service.access import Member


@dataclass
class Numbers:
    db: Database
    clock: Clock

    async def take(self, team_id: str, count: int) -> range:
        """The next numbers. They are gone even if nothing comes of them: a gap is no harm, a number used twice is."""
        more = totals.update(team_id).add(Totals.numbered, count)
        try:
            last = await self.db.write(more.when(Totals.closing.absent() | Totals.closing.is_(False)))
        except ConditionFailed as failed:
            raise NoSuchTeam() from failed
        return range(last.numbered - count + 1, last.numbered + 1)

    async def task_id(self, member: Member, number: int) -> str:
        """Of the task that has it, gone or not; also of one that was made a moment ago."""
        found = await self.db.get(numbered(member.team_id, number).consistent())
        if found is None:
            raise NoSuchTask()
        return found.task_id

    async def named(self, member: Member, text: str) -> str:
        """The id that somebody means by an id, or by a number as in DEV-12; the task may be gone."""
        number = number_in(text, member.keys)
        return text if number is None else await self.task_id(member, number)

    async def known(self, member: Member, given: Sequence[int]) -> dict[int, str]:
        found = await self.db.get_many([numbered(member.team_id, number) for number in dict.fromkeys(given)])
        return {one.number: one.task_id for one in found if one is not None}
