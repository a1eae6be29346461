"""Invitations by mail."""

from __future__ import annotations

from starlette.requests import Request

from sekkei.web import Operations, PageOf, limit
from sekkei.web.identity.accounts import email_of
from sekkei_systems.tasks.api.shapes import MAILS, Accept, InvitationOut, Joined, NewInvitation
from sekkei_systems.tasks.design import Invitation
from sekkei_systems.tasks.service import Admin, Invitations, Visitor

operations = Operations()


def out(one: Invitation, mail: str | None = None) -> InvitationOut:
    return InvitationOut(one.invite_id, one.email, one.role, one.created_at, one.expires, mail)


@operations.get("/teams/{team_id}/invitations", summary="Open invitations", tag="invitations")
async def list_invitations(admin: Admin, invitations: Invitations) -> PageOf[InvitationOut]:
    return PageOf([out(one.invitation, one.mail) for one in await invitations.open(admin)])


@operations.post("/teams/{team_id}/invitations", summary="Invite somebody by mail", status=201, tag="invitations")
async def invite(request: Request, admin: Admin, invitations: Invitations, body: NewInvitation) -> InvitationOut:
    limit(request, *MAILS)
    return out(await invitations.invite(admin, email_of(body.email), body.role))


@operations.post("/teams/{team_id}/invitations/{invite_id}/again", summary="Mail a new token", tag="invitations")
async def invite_again(request: Request, admin: Admin, invitations: Invitations, invite_id: str) -> InvitationOut:
    limit(request, *MAILS)
    return out(await invitations.send_again(admin, invite_id))


@operations.delete("/teams/{team_id}/invitations/{invite_id}", summary="Revoke an invitation", tag="invitations")
async def revoke(admin: Admin, invitations: Invitations, invite_id: str) -> None:
    await invitations.revoke(admin, invite_id)


@operations.post("/invitations/{team_id}/{invite_id}/accept", summary="Accept an invitation", tag="invitations")
async def accept(visitor: Visitor, invitations: Invitations, team_id: str, invite_id: str, body: Accept) -> Joined:
    return Joined(await invitations.accept(visitor, team_id, invite_id, body.token))
