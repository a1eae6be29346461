"""A team's settings: its name, members, tags, invitations, calendar, files, and its end."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.runtime.system import Context
from sekkei.web import Form, Pages, flash, form, language_of, limit, page, redirect, refill, t
from sekkei.web.identity.accounts import email_of
from sekkei_systems.tasks.api.shapes import MAILS, NewTeam
from sekkei_systems.tasks.design import Role
from sekkei_systems.tasks.pages.view import View, arrived, look
from sekkei_systems.tasks.service import Service

COLORS = ("#2563eb", "#7c3aed", "#db2777", "#dc2626", "#d97706", "#65a30d", "#0f766e", "#475569")


class TagForm(Struct):
    name: Annotated[str, Meta(min_length=1, max_length=40)]
    color: str = COLORS[0]


class RoleForm(Struct):
    role: Role


class InviteForm(Struct):
    email: str
    role: Role = Role.MEMBER


class Shown:
    """The page with all its forms; one of them may have something wrong."""

    def __init__(self, service: Service, context: Context) -> None:
        self._service, self._context = service, context

    async def page(
        self, request: Request, view: View | None = None, wrong: Refusal | None = None, at: str = ""
    ) -> Response:
        service = self._service
        view = view or await look(request, service, self._context)
        who, team_id = view.me.user_id, view.team.team_id
        forms = {
            "team": Form({"name": view.team.name, "description": view.team.description}),
            "tag": Form({"color": COLORS[0]}),
            "invite": Form({"role": Role.MEMBER.value}),
        }
        if wrong is not None:
            forms[at] = refill(request, wrong)
        return page(
            request,
            "tasks/settings.html",
            wrong.status if wrong else 200,
            view=view,
            forms=forms,
            colors=COLORS,
            invitations=await service.invitations.open(who, team_id) if view.is_admin else [],
            calendar=self._context.settings.public_url + "/tasks" + await service.feeds.address(who, team_id),
        )


def declare(pages: Pages, service: Service, context: Context) -> None:
    shown = Shown(service, context)

    @pages.get("/teams/{team_id}/settings", name="settings")
    async def settings(request: Request) -> Response:
        return await shown.page(request)

    _declare_team(pages, service, shown)
    _declare_members(pages, service)
    _declare_tags(pages, service, shown)
    _declare_invitations(pages, service, shown)


def back(request: Request, key: str, **values: object) -> Response:
    flash(request, t(request, key, **values))
    return redirect(request, "tasks:settings", team_id=request.path_params["team_id"])


def _declare_team(pages: Pages, service: Service, shown: Shown) -> None:
    @pages.post("/teams/{team_id}/settings", name="change-team")
    async def change(request: Request) -> Response:
        user = await arrived(request, service)
        await service.access.admin(user.id, request.path_params["team_id"])
        try:
            given = await form(request, NewTeam)
            await service.teams.change(user.id, request.path_params["team_id"], given.name, given.description)
        except Invalid as wrong:
            return await shown.page(request, wrong=wrong, at="team")
        return back(request, "settings.saved")

    @pages.post("/teams/{team_id}/delete", name="delete-team")
    async def delete(request: Request) -> Response:
        user = await arrived(request, service)
        await service.teams.delete(user.id, request.path_params["team_id"])
        flash(request, t(request, "team.deleted"))
        return redirect(request, "tasks:home")

    @pages.post("/teams/{team_id}/calendar", name="renew-calendar")
    async def renew(request: Request) -> Response:
        user = await arrived(request, service)
        await service.feeds.renew(user.id, request.path_params["team_id"])
        return back(request, "calendar.renewed")


def _declare_members(pages: Pages, service: Service) -> None:
    @pages.post("/teams/{team_id}/members/{user_id}/role", name="change-role")
    async def change_role(request: Request) -> Response:
        user = await arrived(request, service)
        given = await form(request, RoleForm)
        team_id, user_id = request.path_params["team_id"], request.path_params["user_id"]
        try:
            await service.teams.set_role(user.id, team_id, user_id, given.role)
        except Refusal as refusal:
            return refused(request, refusal)
        return back(request, "settings.saved")

    @pages.post("/teams/{team_id}/members/{user_id}/remove", name="remove-member")
    async def remove(request: Request) -> Response:
        user = await arrived(request, service)
        team_id, user_id = request.path_params["team_id"], request.path_params["user_id"]
        try:
            await service.teams.remove(user.id, team_id, user_id)
        except Refusal as refusal:
            return refused(request, refusal)
        if user.id == user_id:
            flash(request, t(request, "team.left"))
            return redirect(request, "tasks:home")
        return back(request, "member.removed")


def refused(request: Request, refusal: Refusal) -> Response:
    """A conflict is told where it happened; what somebody may not do is not their page."""
    if refusal.status not in (409, 410, 422):
        raise refusal
    flash(request, refusal.text(language_of(request)), "error")
    return redirect(request, "tasks:settings", team_id=request.path_params["team_id"])


def _declare_tags(pages: Pages, service: Service, shown: Shown) -> None:
    @pages.post("/teams/{team_id}/tags", name="add-tag")
    async def add_tag(request: Request) -> Response:
        user = await arrived(request, service)
        await service.access.admin(user.id, request.path_params["team_id"])
        try:
            given = await form(request, TagForm)
            await service.teams.add_tag(user.id, request.path_params["team_id"], given.name, given.color)
        except Invalid as wrong:
            return await shown.page(request, wrong=wrong, at="tag")
        return back(request, "settings.saved")

    @pages.post("/teams/{team_id}/tags/{tag_id}", name="change-tag")
    async def change_tag(request: Request) -> Response:
        user = await arrived(request, service)
        team_id, tag_id = request.path_params["team_id"], request.path_params["tag_id"]
        await service.access.admin(user.id, team_id)
        try:
            given = await form(request, TagForm)
            await service.teams.change_tag(user.id, team_id, tag_id, given.name, given.color)
        except Invalid as wrong:
            return refused(request, wrong)
        return back(request, "settings.saved")

    @pages.post("/teams/{team_id}/tags/{tag_id}/delete", name="delete-tag")
    async def delete_tag(request: Request) -> Response:
        user = await arrived(request, service)
        await service.teams.delete_tag(user.id, request.path_params["team_id"], request.path_params["tag_id"])
        return back(request, "tag.deleted")


def _declare_invitations(pages: Pages, service: Service, shown: Shown) -> None:
    @pages.post("/teams/{team_id}/invitations", name="invite")
    async def invite(request: Request) -> Response:
        user = await arrived(request, service)
        await service.access.admin(user.id, request.path_params["team_id"])
        try:
            given = await form(request, InviteForm)
            email = email_of(given.email)
            limit(request, *MAILS)
            await service.invitations.invite(user.id, request.path_params["team_id"], email, given.role)
        except Refusal as wrong:
            if wrong.status not in (409, 422):
                raise
            return await shown.page(request, wrong=wrong, at="invite")
        return back(request, "invite.made", email=email)

    @pages.post("/teams/{team_id}/invitations/{invite_id}/again", name="invite-again")
    async def again(request: Request) -> Response:
        user = await arrived(request, service)
        team_id, invite_id = request.path_params["team_id"], request.path_params["invite_id"]
        limit(request, *MAILS)
        try:
            found = await service.invitations.send_again(user.id, team_id, invite_id)
        except Refusal as refusal:
            return refused(request, refusal)
        return back(request, "invite.made", email=found.email)

    @pages.post("/teams/{team_id}/invitations/{invite_id}/revoke", name="revoke")
    async def revoke(request: Request) -> Response:
        user = await arrived(request, service)
        team_id, invite_id = request.path_params["team_id"], request.path_params["invite_id"]
        try:
            await service.invitations.revoke(user.id, team_id, invite_id)
        except Refusal as refusal:
            return refused(request, refusal)
        return back(request, "invite.revoked")
