"""Invitations by mail."""

from __future__ import annotations

from starlette.requests import Request

from sekkei.web import Api, PageOf, User, limit
from sekkei.web.identity.accounts import email_of
from sekkei_systems.tasks.api.shapes import (
    MAILS,
    Accept,
    InvitationOut,
    Joined,
    NewInvitation,
    visitor_of,
)
from sekkei_systems.tasks.design import (
    Invitation,
)
from sekkei_systems.tasks.service import Service
from sekkei_systems.tasks.service.invitations import Listed


def declare(api: Api, service: Service) -> None:
    def out(one: Invitation, mail: str | None = None) -> InvitationOut:
        return InvitationOut(one.invite_id, one.email, one.role, one.created_at, one.expires, mail)

    def listed(one: Listed) -> InvitationOut:
        return out(one.invitation, one.mail)

    @api.get("/teams/{team_id}/invitations", summary="Open invitations", tag="invitations")
    async def list_invitations(user: User, team_id: str) -> PageOf[InvitationOut]:
        return PageOf([listed(one) for one in await service.invitations.open(user.id, team_id)])

    @api.post("/teams/{team_id}/invitations", summary="Invite somebody by mail", status=201, tag="invitations")
    async def invite(request: Request, user: User, team_id: str, body: NewInvitation) -> InvitationOut:
        limit(request, *MAILS)
        return out(await service.invitations.invite(user.id, team_id, email_of(body.email), body.role))

    @api.post("/teams/{team_id}/invitations/{invite_id}/again", summary="Mail a new token", tag="invitations")
    async def invite_again(request: Request, user: User, team_id: str, invite_id: str) -> InvitationOut:
        limit(request, *MAILS)
        return out(await service.invitations.send_again(user.id, team_id, invite_id))

    @api.delete("/teams/{team_id}/invitations/{invite_id}", summary="Revoke an invitation", tag="invitations")
    async def revoke(user: User, team_id: str, invite_id: str) -> None:
        await service.invitations.revoke(user.id, team_id, invite_id)

    @api.post("/invitations/{team_id}/{invite_id}/accept", summary="Accept an invitation", tag="invitations")
    async def accept(user: User, team_id: str, invite_id: str, body: Accept) -> Joined:
        visitor = visitor_of(user)
        await service.people.seen(visitor)
        return Joined(await service.invitations.accept(visitor, team_id, invite_id, body.token))
