"""A team's tags."""

from __future__ import annotations

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, TransactionFailed
from sekkei.runtime.jobs import Jobs
from sekkei_systems.tasks.design import Tag, TagColor, tags, tags_of
from sekkei_systems.tasks.refusals import NoSuchTag, NoSuchTeam, TooLarge
from sekkei_systems.tasks.rules.entered import color_of, line_of
from sekkei_systems.tasks.rules.identifiers import short
from sekkei_systems.tasks.rules.writes import still_open
from sekkei_systems.tasks.service.access import Admin, Member

NAME_MAX = 40
TAGS_MAX = 100


class Tags:
    def __init__(self, db: Database, clock: Clock, jobs: Jobs) -> None:
        self._db, self._clock, self._jobs = db, clock, jobs

    async def all(self, member: Member) -> list[Tag]:
        """By name."""
        return sorted(await self._db.all(tags_of(member.team_id).consistent()), key=lambda tag: tag.name)

    async def add(self, admin: Admin, name: str, color: str) -> Tag:
        if len(await self.all(admin)) >= TAGS_MAX:
            raise TooLarge(most=TAGS_MAX)
        tag = Tag(
            team_id=admin.team_id, tag_id=short(self._clock), name=line_of(name, NAME_MAX, "name"), color=_color(color)
        )
        there = still_open(admin.team_id)
        try:
            await self._db.transact(tags.create(tag), there)
        except TransactionFailed as failed:
            if not failed.failed(there):
                raise
            raise NoSuchTeam() from failed
        return tag

    async def change(self, admin: Admin, tag_id: str, name: str, color: str) -> Tag:
        update = tags.update(admin.team_id, tag_id).set(Tag.name, line_of(name, NAME_MAX, "name"))
        try:
            return await self._db.write(update.set(Tag.color, _color(color)))
        except ConditionFailed as failed:
            raise NoSuchTag(field="tag") from failed

    async def delete(self, admin: Admin, tag_id: str) -> None:
        """By a job: it is taken from every task before it goes itself."""
        if "#" in tag_id or await self._db.get(tags(admin.team_id, tag_id).consistent()) is None:
            raise NoSuchTag(field="tag")
        payload = {"team_id": admin.team_id, "tag_id": tag_id}
        await self._jobs.start("delete-tag", payload, id=f"delete-tag/{admin.team_id}/{tag_id}")


def _color(background: str) -> TagColor:
    text, same = color_of(background)
    return TagColor(text=text, background=same)
