"""A task in one line: what it is understood as, and made."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei_systems import days
from sekkei_systems.tasks.design import Task, members_of, tags_of
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import BadText
from sekkei_systems.tasks.rules.drafts import TITLE_MAX, TaskDraft
from sekkei_systems.tasks.rules.quick import Understood, understood
from sekkei_systems.tasks.service.access import Member
from sekkei_systems.tasks.service.tasks import Tasks

LINE_MAX = 400


@dataclass
class Quick:
    db: Database
    clock: Clock
    tasks: Tasks

    async def understood(self, member: Member, text: str) -> Understood:
        if len(text) > LINE_MAX:
            raise BadText(field="text", most=LINE_MAX)
        people, tags = await asyncio.gather(self._people(member, text), self._tags(member, text))
        return understood(text, days.today(self.clock), people, tags, member.user_id)

    async def create(self, member: Member, text: str, status: Status = Status.TODO, parent: str | None = None) -> Task:
        return await self.tasks.create(member, await self.draft(member, text, status), parent)

    async def draft(self, member: Member, text: str, status: Status = Status.TODO) -> TaskDraft:
        found = await self.understood(member, text)
        if not found.title:
            raise BadText(field="text", most=TITLE_MAX)
        return TaskDraft(
            found.title,
            status=status,
            start=found.start,
            end=found.end,
            tags=found.tags,
            assignee=found.assignee,
            priority=found.priority,
        )

    async def _people(self, member: Member, text: str) -> dict[str, str]:
        if "@" not in text and "＠" not in text:
            return {}
        return {one.user_id: one.user_name for one in await self.db.all(members_of(member.team_id))}

    async def _tags(self, member: Member, text: str) -> dict[str, str]:
        if "#" not in text and "＃" not in text:
            return {}
        return {one.tag_id: one.name for one in await self.db.all(tags_of(member.team_id))}
