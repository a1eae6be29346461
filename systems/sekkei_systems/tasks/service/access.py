"""Who may do what: a member works on tasks and reads; an admin also manages the team, members, tags, invitations."""

from __future__ import annotations

from sekkei.design import Database
from sekkei_systems.tasks.design import Role, Team, TeamUser, team_users, teams
from sekkei_systems.tasks.refusals import NoSuchTeam, NotAdmin


class Access:
    """Every operation on a team begins here. To strangers a team does not exist."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def member(self, who: str, team_id: str) -> TeamUser:
        """The membership; somebody who was removed a moment ago has none."""
        found = await self._db.get(team_users(team_id, who).consistent())
        if found is None:
            raise NoSuchTeam()
        return found

    async def admin(self, who: str, team_id: str) -> TeamUser:
        found = await self.member(who, team_id)
        if found.role is not Role.ADMIN:
            raise NotAdmin()
        return found

    async def team(self, who: str, team_id: str) -> tuple[Team, TeamUser]:
        """The team and the asker's membership, unless the team is being deleted."""
        team, membership = await self._db.snapshot(teams(team_id), team_users(team_id, who))
        if team is None or membership is None or team.closing:
            raise NoSuchTeam()
        return team, membership
