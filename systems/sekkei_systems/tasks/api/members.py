"""Who is in a team, and as what."""

from __future__ import annotations

from sekkei.web import Api, PageOf, User
from sekkei_systems.tasks.api.shapes import (
    ChangeRole,
    MemberOut,
)
from sekkei_systems.tasks.design import (
    TeamUser,
)
from sekkei_systems.tasks.service import Service


def declare(api: Api, service: Service) -> None:
    def out(member: TeamUser) -> MemberOut:
        return MemberOut(member.user_id, member.user_name, member.role, member.joined_on)

    @api.get("/teams/{team_id}/members", summary="Members", tag="members")
    async def list_members(user: User, team_id: str) -> PageOf[MemberOut]:
        return PageOf([out(member) for member in await service.teams.members(user.id, team_id)])

    @api.patch("/teams/{team_id}/members/{user_id}", summary="Change a role", tag="members")
    async def change_role(user: User, team_id: str, user_id: str, body: ChangeRole) -> None:
        await service.teams.set_role(user.id, team_id, user_id, body.role)

    @api.delete("/teams/{team_id}/members/{user_id}", summary="Remove somebody, or leave", tag="members")
    async def remove_member(user: User, team_id: str, user_id: str) -> None:
        await service.teams.remove(user.id, team_id, user_id)
