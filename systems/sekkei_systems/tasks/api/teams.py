"""Teams and their totals."""

from __future__ import annotations

from sekkei.web import Operations, PageOf
from sekkei_systems.tasks.api.shapes import ChangeTeam, NewTeam, TeamOut, TotalsOut
from sekkei_systems.tasks.design import Role
from sekkei_systems.tasks.service import Admin, Member, People, Teams, Visitor

operations = Operations()


@operations.get("/teams", summary="My teams", tag="teams")
async def my_teams(visitor: Visitor, people: People) -> PageOf[TeamOut]:
    return PageOf([TeamOut(one.team_id, one.team_name, one.role) for one in await people.teams(visitor.id)])


@operations.post("/teams", summary="Create a team", status=201, tag="teams")
async def create_team(visitor: Visitor, teams: Teams, body: NewTeam) -> TeamOut:
    team = await teams.create(visitor.id, body.name, body.description)
    return TeamOut(team.team_id, team.name, Role.ADMIN, team.description, team.key)


@operations.get("/teams/{team_id}", summary="A team", tag="teams")
async def get_team(member: Member, teams: Teams) -> TeamOut:
    team = await teams.get(member)
    return TeamOut(team.team_id, team.name, member.role, team.description, team.key)


@operations.put("/teams/{team_id}", summary="Rename and describe a team", tag="teams")
async def change_team(admin: Admin, teams: Teams, body: ChangeTeam) -> TeamOut:
    team = await teams.change(admin, body.name, body.description, body.key)
    return TeamOut(team.team_id, team.name, admin.role, team.description, team.key)


@operations.delete("/teams/{team_id}", summary="Delete a team and everything in it", tag="teams")
async def delete_team(admin: Admin, teams: Teams) -> None:
    await teams.delete(admin)


@operations.get("/teams/{team_id}/totals", summary="How many tasks there are", tag="teams")
async def get_totals(member: Member, teams: Teams) -> TotalsOut:
    found = await teams.totals(member)
    return TotalsOut(found.todo, found.doing, found.done)


@operations.get("/teams/{team_id}/days", summary="How many at the end of each of the last 90 days", tag="teams")
async def get_days(member: Member, teams: Teams) -> PageOf[TotalsOut]:
    return PageOf([TotalsOut(day.todo, day.doing, day.done, day.day) for day in await teams.days(member, 90)])
