"""The calendar's address of one member: a secret that can be renewed, and that ends with the membership."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.kit.calendars import Entry, write
from sekkei.kit.signing import Signer
from sekkei.runtime import days
from sekkei.runtime.settings import Settings
from sekkei_systems.tasks.design import Task, UserTeam, chosen, user_teams
from sekkei_systems.tasks.design.statuses import OPEN, Order, Status
from sekkei_systems.tasks.refusals import NoSuchTeam
from sekkei_systems.tasks.service.access import Access, Member

# Tasks as a calendar (RFC 5545) that calendar programs subscribe to.


def calendar(name: str, tasks: Iterable[Task], url: str, now: datetime) -> bytes:
    """Every task that has a date and is not done, as an event of whole days."""
    dated = (task for task in tasks if task.status is not Status.DONE and (task.start or task.end))
    return write("tasks", name, (_entry(task, url) for task in dated), now)


def _entry(task: Task, url: str) -> Entry:
    first, last = _days(task)
    return Entry(
        uid=task.task_id,
        summary=task.title,
        start=first,
        end=last,
        description=task.description,
        url=f"{url}/teams/{task.team_id}/tasks/{task.task_id}",
        status="CONFIRMED" if task.status is Status.DOING else "TENTATIVE",
        is_busy=False,
        version=task.version,
        changed_at=task.updated_at,
    )


def _days(task: Task) -> tuple[date, date]:
    first = task.start or task.end
    last = task.end or task.start
    assert first is not None
    assert last is not None
    return first, last


TASKS_MAX = 1_000


@dataclass
class Feeds:
    db: Database
    clock: Clock
    settings: Settings
    access: Access

    @cached_property
    def _signer(self) -> Signer:
        return self.settings.secrets.signer("tasks calendars")

    async def address(self, member: Member) -> str:
        """The path of somebody's calendar of a team."""
        return self._path(await self._membership(member.user_id, member.team_id))

    async def renew(self, member: Member) -> None:
        """Another address; the one before is worth nothing any more."""
        try:
            await self.db.write(user_teams.update(member.user_id, member.team_id).add(UserTeam.feed, 1))
        except ConditionFailed as failed:
            raise NoSuchTeam() from failed

    async def open(self, team_id: str, user_id: str, token: str) -> bytes:
        """The calendar, for whoever knows the address of a member."""
        membership = await self._membership(user_id, team_id)
        if not self._signer.matches(token, *_signed(membership)):
            raise NoSuchTeam()
        await self.access.member(user_id, team_id)
        page = await self.db.page(chosen(team_id, OPEN, Order.END), size=TASKS_MAX)
        return calendar(membership.team_name, page, f"{self.settings.public_url}/tasks", days.now(self.clock))

    async def _membership(self, user_id: str, team_id: str) -> UserTeam:
        found = await self.db.get(user_teams(user_id, team_id).consistent())
        if found is None:
            raise NoSuchTeam()
        return found

    def _path(self, membership: UserTeam) -> str:
        return f"/calendar/{membership.team_id}/{membership.user_id}/{self._signer.mark(*_signed(membership))}.ics"


def _signed(membership: UserTeam) -> tuple[str, ...]:
    return membership.team_id, membership.user_id, str(membership.feed)
