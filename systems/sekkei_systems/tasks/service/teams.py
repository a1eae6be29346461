"""Teams: members, roles, tags. A team is never without an admin."""

from __future__ import annotations

from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.jobs import Jobs
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
    tags,
    tags_of,
    team_users,
    teams,
    totals,
    totals_of,
    user_teams,
    users,
)
from sekkei_systems.tasks.refusals import LastAdmin, NoSuchMember, NoSuchTag, NoSuchTeam, TooLarge
from sekkei_systems.tasks.rules.entered import color_of, line_of, text_of
from sekkei_systems.tasks.rules.identifiers import short
from sekkei_systems.tasks.service.access import Access

NAME_MAX = 100
DESCRIPTION_MAX = 2_000
TAG_NAME_MAX = 40
TAGS_MAX = 100


class Teams:
    def __init__(self, db: Database, clock: Clock, jobs: Jobs, access: Access) -> None:
        self._db = db
        self._clock = clock
        self._jobs = jobs
        self._access = access

    # The team

    async def create(self, who: str, name: str, description: str = "") -> Team:
        """A team of one: its maker is its admin."""
        user = await self._db.need(users(who).consistent())
        team = Team(
            team_id=short(self._clock),
            name=line_of(name, NAME_MAX, "name"),
            description=text_of(description, DESCRIPTION_MAX, "description"),
        )
        await self._db.transact(
            teams.create(team),
            *self.join(team.team_id, team.name, user, Role.ADMIN),
            totals.create(Totals(team_id=team.team_id)),
        )
        return team

    def join(self, team_id: str, team_name: str, user: User, role: Role) -> list[Action[Any, Any]]:
        """A new membership, seen from both sides."""
        today = days.today(self._clock)
        return [
            team_users.create(
                TeamUser(team_id=team_id, user_id=user.user_id, role=role, joined_on=today, user_name=user.name)
            ),
            user_teams.create(
                UserTeam(user_id=user.user_id, team_id=team_id, role=role, joined_on=today, team_name=team_name)
            ),
        ]

    async def get(self, who: str, team_id: str) -> tuple[Team, TeamUser]:
        return await self._access.team(who, team_id)

    async def change(self, who: str, team_id: str, name: str, description: str) -> Team:
        """Rename and describe. The copies of the name in the members' own rows follow by a job."""
        await self._access.admin(who, team_id)
        update = (
            teams.update(team_id)
            .set(Team.name, line_of(name, NAME_MAX, "name"))
            .set(Team.description, text_of(description, DESCRIPTION_MAX, "description"))
        )
        job = self._jobs.start_action("rename-team", {"team_id": team_id}, id=f"rename-team/{self._clock.uuid()}")
        try:
            await self._db.transact(update, job)
        except TransactionFailed as failed:
            raise NoSuchTeam() from failed
        return await self._db.need(teams(team_id).consistent())

    async def delete(self, who: str, team_id: str) -> None:
        """Closed at once; a job takes everything away, the memberships first."""
        await self._access.admin(who, team_id)
        close = teams.update(team_id).set(Team.closing, True)
        job = self._jobs.start_action("delete-team", {"team_id": team_id}, id=f"delete-team/{team_id}")
        try:
            await self._db.transact(close, job)
        except TransactionFailed as failed:
            if not failed.failed(job):  # otherwise it is being deleted already
                raise NoSuchTeam() from failed

    async def totals(self, who: str, team_id: str) -> Totals:
        await self._access.member(who, team_id)
        return await self._db.get(totals_of(team_id).consistent()) or Totals(team_id=team_id)

    async def days(self, who: str, team_id: str, count: int) -> list[DayTotals]:
        """Totals at the end of each of the last days, and now as the last of them."""
        now = await self.totals(who, team_id)
        today = days.today(self._clock)
        first = today.fromordinal(today.toordinal() - count)
        found = [day for day in await self._db.all(days_of(team_id, first, today)) if day.day < today]
        return [*found, DayTotals(team_id=team_id, day=today, todo=now.todo, doing=now.doing, done=now.done)]

    # Members

    async def members(self, who: str, team_id: str) -> list[TeamUser]:
        """Admins first, then by when they came."""
        await self._access.member(who, team_id)
        found = await self._db.all(members_of(team_id).consistent())
        return sorted(found, key=lambda member: (member.role is not Role.ADMIN, member.joined_on, member.user_name))

    async def set_role(self, who: str, team_id: str, user_id: str, role: Role) -> None:
        await self._access.admin(who, team_id)
        member = await self._member(team_id, user_id)
        if member.role is role:
            return
        changed = team_users.update(team_id, user_id).set(TeamUser.role, role).when(TeamUser.role == member.role)
        seen_from_user = user_teams.update(user_id, team_id).set(UserTeam.role, role)
        counted = self._count_admin(team_id, 1 if role is Role.ADMIN else -1)
        await self._transact_keeping_an_admin(counted, changed, seen_from_user)

    async def remove(self, who: str, team_id: str, user_id: str) -> None:
        """An admin removes somebody, or somebody leaves. Their tasks in the team are nobody's then, by a job."""
        if who == user_id:
            await self._access.member(who, team_id)
        else:
            await self._access.admin(who, team_id)
        member = await self._member(team_id, user_id)
        actions: list[Action[Any, Any]] = [
            team_users.delete(team_id, user_id).must_exist().when(TeamUser.role == member.role),
            user_teams.delete(user_id, team_id),
            self._jobs.start_action(
                "unassign", {"team_id": team_id, "user_id": user_id}, id=f"unassign/{self._clock.uuid()}"
            ),
        ]
        if member.role is Role.ADMIN:
            await self._transact_keeping_an_admin(self._count_admin(team_id, -1), *actions)
        else:
            await self._db.transact(*actions)

    async def _member(self, team_id: str, user_id: str) -> TeamUser:
        found = await self._db.get(team_users(team_id, user_id).consistent())
        if found is None:
            raise NoSuchMember(field="user")
        return found

    def _count_admin(self, team_id: str, by: int) -> Action[Any, Any]:
        update = teams.update(team_id).add(Team.admins, by)
        return update.when(Team.admins >= 2) if by < 0 else update

    async def _transact_keeping_an_admin(self, counted: Action[Any, Any], *actions: Action[Any, Any]) -> None:
        try:
            await self._db.transact(counted, *actions)
        except TransactionFailed as failed:
            if failed.failed(counted):
                raise LastAdmin() from failed
            raise NoSuchMember(field="user") from failed

    # Tags

    async def tags(self, who: str, team_id: str) -> list[Tag]:
        await self._access.member(who, team_id)
        return sorted(await self._db.all(tags_of(team_id).consistent()), key=lambda tag: tag.name)

    async def add_tag(self, who: str, team_id: str, name: str, color: str) -> Tag:
        await self._access.admin(who, team_id)
        if len(await self._db.all(tags_of(team_id).consistent())) >= TAGS_MAX:
            raise TooLarge(most=TAGS_MAX)
        text, background = color_of(color)
        tag = Tag(
            team_id=team_id,
            tag_id=short(self._clock),
            name=line_of(name, TAG_NAME_MAX, "name"),
            color=TagColor(text=text, background=background),
        )
        await self._db.transact(tags.create(tag), teams.must_exist(team_id))
        return tag

    async def change_tag(self, who: str, team_id: str, tag_id: str, name: str, color: str) -> Tag:
        await self._access.admin(who, team_id)
        text, background = color_of(color)
        update = tags.update(team_id, tag_id).set(Tag.name, line_of(name, TAG_NAME_MAX, "name"))
        try:
            return await self._db.write(update.set(Tag.color, TagColor(text=text, background=background)))
        except ConditionFailed as failed:
            raise NoSuchTag(field="tag") from failed

    async def delete_tag(self, who: str, team_id: str, tag_id: str) -> None:
        """By a job: it is taken from every task before it goes itself."""
        await self._access.admin(who, team_id)
        payload = {"team_id": team_id, "tag_id": tag_id}
        await self._jobs.start("delete-tag", payload, id=f"delete-tag/{team_id}/{tag_id}")
