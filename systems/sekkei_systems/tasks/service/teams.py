"""Teams, their members and their tags. A team is never without an admin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Contended, Database, TransactionFailed
from sekkei.design.retries import pause
from sekkei.runtime.jobs import Jobs
from sekkei_systems import days
from sekkei_systems.tasks.design import (
    DayTotals,
    Role,
    Tag,
    TagColor,
    Team,
    TeamUser,
    Totals,
    User,
    UserTeam,
    days_of,
    members_of,
    one_team,
    tags,
    tags_of,
    team_users,
    teams,
    totals,
    totals_of,
    user_teams,
    users,
)
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import LastAdmin, NoSuchMember, NoSuchTag, NoSuchTeam, TooLarge
from sekkei_systems.tasks.rules.drafts import color_of, line_of, text_of
from sekkei_systems.tasks.rules.identifiers import checked_key, key_of, short
from sekkei_systems.tasks.rules.writes import still_open
from sekkei_systems.tasks.service.access import Admin, Member, as_admin, in_order

NAME_MAX = 100
DESCRIPTION_MAX = 2_000
TRIES_MAX = 5
LIMIT_MAX = 999


@dataclass
class Teams:
    db: Database
    clock: Clock
    jobs: Jobs

    # The team

    async def create(self, who: str, name: str, description: str = "") -> Team:
        """A team of one: its maker is its admin."""
        user = await self.db.need(users(who).consistent())
        team = Team(
            team_id=short(self.clock),
            name=line_of(name, NAME_MAX, "name"),
            description=text_of(description, DESCRIPTION_MAX, "description"),
            key=key_of(name),
        )
        await self.db.transact(
            teams.create(team),
            *self.join(team.team_id, team.name, user, Role.ADMIN),
            totals.create(Totals(team_id=team.team_id)),
        )
        return team

    def join(self, team_id: str, team_name: str, user: User, role: Role) -> list[Action[Any, Any]]:
        """A new membership, seen from both sides."""
        today = days.today(self.clock)
        return [
            team_users.create(
                TeamUser(team_id=team_id, user_id=user.user_id, role=role, joined_on=today, user_name=user.name)
            ),
            user_teams.create(
                UserTeam(user_id=user.user_id, team_id=team_id, role=role, joined_on=today, team_name=team_name)
            ),
        ]

    async def get(self, member: Member) -> Team:
        team = await self.db.get(one_team(member.team_id).consistent())
        if team is None:
            raise NoSuchTeam()
        return team

    async def change(self, admin: Admin, name: str, description: str, key: str | None = None) -> Team:
        """Rename and describe. The copies of the name in the members' own rows follow by a job; references with a
        former key stay good."""
        team_id = admin.team_id
        key = checked_key(key) if key is not None else admin.key
        update = (
            teams.update(team_id)
            .set(Team.name, line_of(name, NAME_MAX, "name"))
            .set(Team.description, text_of(description, DESCRIPTION_MAX, "description"))
        )
        if key != admin.key:
            update = update.set(Team.key, key).set(Team.former_keys, admin.keys)
        job = self.jobs.start_action("rename-team", {"team_id": team_id}, id=f"rename-team/{self.clock.uuid()}")
        try:
            await self.db.transact(update, job)
        except TransactionFailed as failed:
            raise NoSuchTeam() from failed
        return await self.get(admin)

    async def limit(self, admin: Admin, limits: Mapping[Status, int | None]) -> Team:
        """How many tasks a column should hold at most; nobody is hindered, everybody sees it."""
        wanted = {status.value: most for status, most in limits.items() if most}
        if any(not 1 <= most <= LIMIT_MAX for most in wanted.values()):
            raise TooLarge(most=LIMIT_MAX)
        try:
            return await self.db.write(teams.update(admin.team_id).set(Team.limits, wanted))
        except ConditionFailed as failed:
            raise NoSuchTeam() from failed

    async def delete(self, admin: Admin) -> None:
        """Closed at once, so that nothing can be added; a job takes everything away, the memberships first."""
        team_id = admin.team_id
        close = teams.update(team_id).set(Team.closing, True)
        full = totals.upsert(team_id).set(Totals.closing, True)
        job = self.jobs.start_action("delete-team", {"team_id": team_id}, id=f"delete-team/{team_id}")
        try:
            await self.db.transact(close, full, job)
        except TransactionFailed as failed:
            if not failed.failed(job):  # otherwise it is being deleted already
                raise NoSuchTeam() from failed

    async def totals(self, member: Member) -> Totals:
        return await self.db.get(totals_of(member.team_id).consistent()) or Totals(team_id=member.team_id)

    async def days(self, member: Member, count: int) -> list[DayTotals]:
        """Totals at the end of each of the last days, and now as the last of them."""
        now = await self.totals(member)
        today = days.today(self.clock)
        first = today.fromordinal(today.toordinal() - count)
        found = [day for day in await self.db.all(days_of(member.team_id, first, today)) if day.day < today]
        return [*found, DayTotals(team_id=member.team_id, day=today, todo=now.todo, doing=now.doing, done=now.done)]

    # Members

    async def members(self, member: Member) -> list[TeamUser]:
        return in_order(await self.db.all(members_of(member.team_id).consistent()))

    async def set_role(self, admin: Admin, user_id: str, role: Role) -> None:
        team_id, member = admin.team_id, await self._member(admin.team_id, user_id)
        if member.role is role:
            return
        changed = team_users.update(team_id, user_id).set(TeamUser.role, role).when(TeamUser.role == member.role)
        seen_from_user = user_teams.update(user_id, team_id).set(UserTeam.role, role)
        counted = self._count_admin(team_id, 1 if role is Role.ADMIN else -1)
        try:
            await self.db.transact(counted, changed, seen_from_user)
        except TransactionFailed as failed:
            raise (LastAdmin() if failed.failed(counted) else NoSuchMember(field="user")) from failed

    async def remove(self, member: Member, user_id: str) -> None:
        """An admin removes somebody, or somebody leaves. Their tasks in the team are nobody's then, by a job."""
        if member.user_id != user_id:
            as_admin(member)
        for attempt in range(TRIES_MAX):
            if await self._removed(await self._member(member.team_id, user_id)):
                return
            await pause(attempt, self.clock)  # they were given another role just then
        raise Contended("SK303", f"the role of {user_id} kept being changed by others")

    async def _removed(self, member: TeamUser) -> bool:
        team_id, user_id = member.team_id, member.user_id
        payload = {"team_id": team_id, "user_id": user_id}
        counted = [self._count_admin(team_id, -1)] if member.role is Role.ADMIN else []
        try:
            await self.db.transact(
                *counted,
                team_users.delete(team_id, user_id).must_exist().when(TeamUser.role == member.role),
                user_teams.delete(user_id, team_id),
                self.jobs.start_action("unassign", payload, id=f"unassign/{self.clock.uuid()}"),
            )
        except TransactionFailed as failed:
            if any(map(failed.failed, counted)):
                raise LastAdmin() from failed
            return False
        return True

    async def _member(self, team_id: str, user_id: str) -> TeamUser:
        found = await self.db.get(team_users(team_id, user_id).consistent())
        if found is None:
            raise NoSuchMember(field="user")
        return found

    def _count_admin(self, team_id: str, by: int) -> Action[Any, Any]:
        update = teams.update(team_id).add(Team.admins, by)
        return update.when(Team.admins >= 2) if by < 0 else update


# A team's tags.


TAG_NAME_MAX = 40
TAGS_MAX = 100


@dataclass
class Tags:
    db: Database
    clock: Clock
    jobs: Jobs

    async def all(self, member: Member) -> list[Tag]:
        """By name."""
        return sorted(await self.db.all(tags_of(member.team_id).consistent()), key=lambda tag: tag.name)

    async def add(self, admin: Admin, name: str, color: str) -> Tag:
        if len(await self.all(admin)) >= TAGS_MAX:
            raise TooLarge(most=TAGS_MAX)
        tag = Tag(
            team_id=admin.team_id,
            tag_id=short(self.clock),
            name=line_of(name, TAG_NAME_MAX, "name"),
            color=_color(color),
        )
        there = still_open(admin.team_id)
        try:
            await self.db.transact(tags.create(tag), there)
        except TransactionFailed as failed:
            if not failed.failed(there):
                raise
            raise NoSuchTeam() from failed
        return tag

    async def change(self, admin: Admin, tag_id: str, name: str, color: str) -> Tag:
        update = tags.update(admin.team_id, tag_id).set(Tag.name, line_of(name, TAG_NAME_MAX, "name"))
        try:
            return await self.db.write(update.set(Tag.color, _color(color)))
        except ConditionFailed as failed:
            raise NoSuchTag(field="tag") from failed

    async def delete(self, admin: Admin, tag_id: str) -> None:
        """By a job: it is taken from every task before it goes itself."""
        if "#" in tag_id or await self.db.get(tags(admin.team_id, tag_id).consistent()) is None:
            raise NoSuchTag(field="tag")
        payload = {"team_id": admin.team_id, "tag_id": tag_id}
        await self.jobs.start("delete-tag", payload, id=f"delete-tag/{admin.team_id}/{tag_id}")


def _color(background: str) -> TagColor:
    text, same = color_of(background)
    return TagColor(text=text, background=same)
