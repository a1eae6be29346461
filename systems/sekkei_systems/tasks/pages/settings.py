"""A team's settings: its name, members, tags, invitations, calendar, files, and its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, Struct
from starlette.requests import Request

from sekkei.kit.typed import Line, Token
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.runtime.settings import Settings
from sekkei.web import Form, Html, Pages, Redirect, Sent, limit
from sekkei.web.identity.accounts import email_of
from sekkei_systems.tasks.api.shapes import MAILS, ChangeTeam
from sekkei_systems.tasks.design import Role
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.pages.view import View
from sekkei_systems.tasks.service.access import Admin, Member, as_admin
from sekkei_systems.tasks.service.feeds import Feeds
from sekkei_systems.tasks.service.invitations import Invitations
from sekkei_systems.tasks.service.teams import LIMIT_MAX, Tags, Teams

COLORS = ("#2563eb", "#7c3aed", "#db2777", "#dc2626", "#d97706", "#65a30d", "#0f766e", "#475569")
pages = Pages()


class TagForm(Struct):
    name: Annotated[str, Line(40)]
    color: Token = COLORS[0]


class RoleForm(Struct):
    role: Role


class InviteForm(Struct):
    email: Annotated[str, Line(254)]
    role: Role = Role.MEMBER


@dataclass
class Desk:
    """The page with all its forms; one of them may have something wrong."""

    invitations: Invitations
    feeds: Feeds
    settings: Settings

    async def shown(self, view: View, status: int = 200, **wrong: Form) -> Html:
        forms = {
            "team": Form({"name": view.team.name, "description": view.team.description, "key": view.team.key}),
            "tag": Form({"color": COLORS[0]}),
            "invite": Form({"role": Role.MEMBER.value}),
            **wrong,
        }
        admin = view.member if isinstance(view.member, Admin) else None
        return Html(
            "tasks/settings.html",
            status,
            view=view,
            forms=forms,
            colors=COLORS,
            invitations=await self.invitations.open(admin) if admin else [],
            calendar=f"{self.settings.public_url}/tasks{await self.feeds.address(view.member)}",
        )


def back(team_id: str) -> Redirect:
    return Redirect("tasks:settings", team_id=team_id)


def refused(team_id: str, refusal: Refusal) -> Redirect:
    """A conflict is told where it happened; what somebody may not do is not their page."""
    if refusal.status not in (409, 410, 422):
        raise refusal
    return back(team_id).flash(refusal)


@pages.get("/teams/{team_id}/settings", name="settings")
async def settings(view: View, desk: Desk) -> Html:
    return await desk.shown(view)


@pages.post("/teams/{team_id}/settings", name="change-team")
async def change_team(view: View, teams: Teams, desk: Desk, sent: Sent[ChangeTeam]) -> Html | Redirect:
    admin = as_admin(view.member)
    try:
        await teams.change(admin, sent.value.name, sent.value.description, sent.value.key or None)
    except Invalid as wrong:
        return await desk.shown(view, wrong.status, team=sent.refilled(wrong))
    return back(admin.team_id).flash("settings.saved")


class LimitForm(Struct):
    todo: Annotated[int, Meta(ge=0, le=LIMIT_MAX)] | None = None
    doing: Annotated[int, Meta(ge=0, le=LIMIT_MAX)] | None = None


@pages.post("/teams/{team_id}/limits", name="limits")
async def limit_columns(admin: Admin, teams: Teams, form: LimitForm) -> Redirect:
    await teams.limit(admin, {Status.TODO: form.todo, Status.DOING: form.doing})
    return back(admin.team_id).flash("settings.saved")


@pages.post("/teams/{team_id}/delete", name="delete-team")
async def delete_team(admin: Admin, teams: Teams) -> Redirect:
    await teams.delete(admin)
    return Redirect("tasks:home").flash("team.deleted")


@pages.post("/teams/{team_id}/calendar", name="renew-calendar")
async def renew_calendar(member: Member, feeds: Feeds) -> Redirect:
    await feeds.renew(member)
    return back(member.team_id).flash("calendar.renewed")


# Members


@pages.post("/teams/{team_id}/members/{user_id}/role", name="change-role")
async def change_role(admin: Admin, teams: Teams, user_id: str, form: RoleForm) -> Redirect:
    try:
        await teams.set_role(admin, user_id, form.role)
    except Refusal as refusal:
        return refused(admin.team_id, refusal)
    return back(admin.team_id).flash("settings.saved")


@pages.post("/teams/{team_id}/members/{user_id}/remove", name="remove-member")
async def remove_member(member: Member, teams: Teams, user_id: str) -> Redirect:
    try:
        await teams.remove(member, user_id)
    except Refusal as refusal:
        return refused(member.team_id, refusal)
    if member.user_id == user_id:
        return Redirect("tasks:home").flash("team.left")
    return back(member.team_id).flash("member.removed")


# Tags


@pages.post("/teams/{team_id}/tags", name="add-tag")
async def add_tag(view: View, tags: Tags, desk: Desk, sent: Sent[TagForm]) -> Html | Redirect:
    admin = as_admin(view.member)
    try:
        await tags.add(admin, sent.value.name, sent.value.color)
    except Invalid as wrong:
        return await desk.shown(view, wrong.status, tag=sent.refilled(wrong))
    return back(admin.team_id).flash("settings.saved")


@pages.post("/teams/{team_id}/tags/{tag_id}", name="change-tag")
async def change_tag(admin: Admin, tags: Tags, tag_id: str, sent: Sent[TagForm]) -> Redirect:
    try:
        await tags.change(admin, tag_id, sent.value.name, sent.value.color)
    except Invalid as wrong:
        return refused(admin.team_id, wrong)
    return back(admin.team_id).flash("settings.saved")


@pages.post("/teams/{team_id}/tags/{tag_id}/delete", name="delete-tag")
async def delete_tag(admin: Admin, tags: Tags, tag_id: str) -> Redirect:
    await tags.delete(admin, tag_id)
    return back(admin.team_id).flash("tag.deleted")


# Invitations


@pages.post("/teams/{team_id}/invitations", name="invite")
async def invite(
    request: Request, view: View, invitations: Invitations, desk: Desk, sent: Sent[InviteForm]
) -> Html | Redirect:
    admin = as_admin(view.member)
    try:
        email = email_of(sent.value.email)
        limit(request, *MAILS)
        await invitations.invite(admin, email, sent.value.role)
    except Refusal as wrong:
        if wrong.status not in (409, 422):
            raise
        return await desk.shown(view, wrong.status, invite=sent.refilled(wrong))
    return back(admin.team_id).flash("invite.made", email=email)


@pages.post("/teams/{team_id}/invitations/{invite_id}/again", name="invite-again")
async def invite_again(request: Request, admin: Admin, invitations: Invitations, invite_id: str) -> Redirect:
    limit(request, *MAILS)
    try:
        found = await invitations.send_again(admin, invite_id)
    except Refusal as refusal:
        return refused(admin.team_id, refusal)
    return back(admin.team_id).flash("invite.made", email=found.email)


@pages.post("/teams/{team_id}/invitations/{invite_id}/revoke", name="revoke")
async def revoke(admin: Admin, invitations: Invitations, invite_id: str) -> Redirect:
    try:
        await invitations.revoke(admin, invite_id)
    except Refusal as refusal:
        return refused(admin.team_id, refusal)
    return back(admin.team_id).flash("invite.revoked")
