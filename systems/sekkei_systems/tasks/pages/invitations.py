"""What the link in an invitation's mail opens."""

from __future__ import annotations

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime.system import Context
from sekkei.web import Pages, current_user, flash, form, page, redirect, t
from sekkei_systems.tasks.api.shapes import visitor_of
from sekkei_systems.tasks.pages.view import arrived
from sekkei_systems.tasks.service import Service


class AcceptForm(Struct):
    token: str = ""


def declare(pages: Pages, service: Service, context: Context) -> None:
    @pages.get("/invitations/{team_id}/{invite_id}", name="invitation")
    async def show(request: Request) -> Response:
        """Whoever holds the token may read it; to join, the invited person signs in."""
        token = request.query_params.get("token", "")
        team_id, invite_id = request.path_params["team_id"], request.path_params["invite_id"]
        found = await service.invitations.look(team_id, invite_id, token)
        user = current_user(request)
        theirs = user is not None and user.verified and user.email == found.email
        return page(request, "tasks/invitation.html", invitation=found, token=token, theirs=theirs)

    @pages.post("/invitations/{team_id}/{invite_id}", name="accept")
    async def accept(request: Request) -> Response:
        user = await arrived(request, service)
        team_id, invite_id = request.path_params["team_id"], request.path_params["invite_id"]
        given = await form(request, AcceptForm)
        await service.invitations.accept(visitor_of(user), team_id, invite_id, given.token)
        flash(request, t(request, "invite.accepted"))
        return redirect(request, "tasks:board", team_id=team_id)
