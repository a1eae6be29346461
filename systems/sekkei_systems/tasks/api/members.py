"""Who is in a team, and as what."""

from __future__ import annotations

from sekkei.web import Operations, PageOf
from sekkei_systems.tasks.api.shapes import ChangeRole, MemberOut
from sekkei_systems.tasks.service import Admin, Member, Teams

operations = Operations()


@operations.get("/teams/{team_id}/members", summary="Members", tag="members")
async def list_members(member: Member, teams: Teams) -> PageOf[MemberOut]:
    found = await teams.members(member)
    return PageOf([MemberOut(one.user_id, one.user_name, one.role, one.joined_on) for one in found])


@operations.patch("/teams/{team_id}/members/{user_id}", summary="Change a role", tag="members")
async def change_role(admin: Admin, teams: Teams, user_id: str, body: ChangeRole) -> None:
    await teams.set_role(admin, user_id, body.role)


@operations.delete("/teams/{team_id}/members/{user_id}", summary="Remove somebody, or leave", tag="members")
async def remove_member(member: Member, teams: Teams, user_id: str) -> None:
    await teams.remove(member, user_id)
