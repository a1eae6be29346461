"""Teams and their totals."""

from __future__ import annotations

from sekkei.web import Api, PageOf, User
from sekkei_systems.tasks.api.shapes import (
    NewTeam,
    TeamOut,
    TotalsOut,
    visitor_of,
)
from sekkei_systems.tasks.design import (
    Role,
    UserTeam,
)
from sekkei_systems.tasks.service import Service


def declare(api: Api, service: Service) -> None:
    def out(membership: UserTeam) -> TeamOut:
        return TeamOut(membership.team_id, membership.team_name, membership.role)

    @api.get("/teams", summary="My teams", tag="teams")
    async def my_teams(user: User) -> PageOf[TeamOut]:
        return PageOf([out(team) for team in await service.people.teams(user.id)])

    @api.post("/teams", summary="Create a team", status=201, tag="teams")
    async def create_team(user: User, body: NewTeam) -> TeamOut:
        await service.people.seen(visitor_of(user))
        team = await service.teams.create(user.id, body.name, body.description)
        return TeamOut(team.team_id, team.name, Role.ADMIN, team.description)

    @api.get("/teams/{team_id}", summary="A team", tag="teams")
    async def get_team(user: User, team_id: str) -> TeamOut:
        team, membership = await service.teams.get(user.id, team_id)
        return TeamOut(team.team_id, team.name, membership.role, team.description)

    @api.put("/teams/{team_id}", summary="Rename and describe a team", tag="teams")
    async def change_team(user: User, team_id: str, body: NewTeam) -> TeamOut:
        team = await service.teams.change(user.id, team_id, body.name, body.description)
        return TeamOut(team.team_id, team.name, Role.ADMIN, team.description)

    @api.delete("/teams/{team_id}", summary="Delete a team and everything in it", tag="teams")
    async def delete_team(user: User, team_id: str) -> None:
        await service.teams.delete(user.id, team_id)

    @api.get("/teams/{team_id}/totals", summary="How many tasks there are", tag="teams")
    async def get_totals(user: User, team_id: str) -> TotalsOut:
        found = await service.teams.totals(user.id, team_id)
        return TotalsOut(found.todo, found.doing, found.done)

    @api.get("/teams/{team_id}/days", summary="How many there were at the end of each of the last 90 days", tag="teams")
    async def get_days(user: User, team_id: str) -> PageOf[TotalsOut]:
        found = await service.teams.days(user.id, team_id, 90)
        return PageOf([TotalsOut(day.todo, day.doing, day.done, day.day) for day in found])
