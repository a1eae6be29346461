"""Teams: members, tags, invitations, totals; and what belongs to one person over all teams."""

from __future__ import annotations

from starlette.requests import Request

from sekkei.web import Operations, PageOf, limit
from sekkei.web.identity.accounts import email_of
from sekkei_systems.tasks.api.shapes import (
    MAILS,
    Accept,
    ChangeRole,
    ChangeTeam,
    InvitationOut,
    Joined,
    MemberOut,
    NewInvitation,
    NewTag,
    NewTeam,
    NoteOut,
    NoteQuery,
    TagOut,
    TaskOut,
    TeamOut,
    TotalsOut,
)
from sekkei_systems.tasks.api.tasks import outs
from sekkei_systems.tasks.design import Invitation, Role, Tag
from sekkei_systems.tasks.service.access import Admin, Member
from sekkei_systems.tasks.service.invitations import Invitations
from sekkei_systems.tasks.service.notes import Notes
from sekkei_systems.tasks.service.people import People, Visitor
from sekkei_systems.tasks.service.plans import Plans
from sekkei_systems.tasks.service.teams import Tags, Teams

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


# Who is in a team, and as what.


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


# A team's tags.


def _tag_out(tag: Tag) -> TagOut:
    return TagOut(tag.tag_id, tag.name, tag.color.text, tag.color.background)


@operations.get("/teams/{team_id}/tags", summary="Tags", tag="tags")
async def list_tags(member: Member, tags: Tags) -> PageOf[TagOut]:
    return PageOf([_tag_out(tag) for tag in await tags.all(member)])


@operations.post("/teams/{team_id}/tags", summary="Add a tag", status=201, tag="tags")
async def add_tag(admin: Admin, tags: Tags, body: NewTag) -> TagOut:
    return _tag_out(await tags.add(admin, body.name, body.color))


@operations.put("/teams/{team_id}/tags/{tag_id}", summary="Rename or recolour a tag", tag="tags")
async def change_tag(admin: Admin, tags: Tags, tag_id: str, body: NewTag) -> TagOut:
    return _tag_out(await tags.change(admin, tag_id, body.name, body.color))


@operations.delete("/teams/{team_id}/tags/{tag_id}", summary="Delete a tag, from all tasks too", status=202, tag="tags")
async def delete_tag(admin: Admin, tags: Tags, tag_id: str) -> None:
    await tags.delete(admin, tag_id)


# Invitations by mail.


def _invitation_out(one: Invitation, mail: str | None = None) -> InvitationOut:
    return InvitationOut(one.invite_id, one.email, one.role, one.created_at, one.expires, mail)


@operations.get("/teams/{team_id}/invitations", summary="Open invitations", tag="invitations")
async def list_invitations(admin: Admin, invitations: Invitations) -> PageOf[InvitationOut]:
    return PageOf([_invitation_out(one.invitation, one.mail) for one in await invitations.open(admin)])


@operations.post("/teams/{team_id}/invitations", summary="Invite somebody by mail", status=201, tag="invitations")
async def invite(request: Request, admin: Admin, invitations: Invitations, body: NewInvitation) -> InvitationOut:
    limit(request, *MAILS)
    return _invitation_out(await invitations.invite(admin, email_of(body.email), body.role))


@operations.post("/teams/{team_id}/invitations/{invite_id}/again", summary="Mail a new token", tag="invitations")
async def invite_again(request: Request, admin: Admin, invitations: Invitations, invite_id: str) -> InvitationOut:
    limit(request, *MAILS)
    return _invitation_out(await invitations.send_again(admin, invite_id))


@operations.delete("/teams/{team_id}/invitations/{invite_id}", summary="Revoke an invitation", tag="invitations")
async def revoke(admin: Admin, invitations: Invitations, invite_id: str) -> None:
    await invitations.revoke(admin, invite_id)


@operations.post("/invitations/{team_id}/{invite_id}/accept", summary="Accept an invitation", tag="invitations")
async def accept(visitor: Visitor, invitations: Invitations, team_id: str, invite_id: str, body: Accept) -> Joined:
    return Joined(await invitations.accept(visitor, team_id, invite_id, body.token))


# What belongs to one person: their work and their notes.


@operations.get("/work", summary="What I still have to do, in all teams; without descriptions", tag="people")
async def my_work(visitor: Visitor, people: People, plans: Plans) -> PageOf[TaskOut]:
    return PageOf(await outs(plans, await people.work(visitor.id)))


@operations.get("/notes", summary="What I should know, the latest first", tag="people")
async def my_notes(visitor: Visitor, notes: Notes, query: NoteQuery) -> PageOf[NoteOut]:
    found = await notes.page(visitor.id, query.after)
    return PageOf([NoteOut.of(note) for note in found], found.cursor)


@operations.post("/notes/read", summary="I have read them all", tag="people")
async def read_notes(visitor: Visitor, notes: Notes) -> None:
    await notes.read_all(visitor.id)
