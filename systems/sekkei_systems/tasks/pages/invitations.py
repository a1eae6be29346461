"""What the link in an invitation's mail opens."""

from __future__ import annotations

from msgspec import Struct

from sekkei.kit.typed import Token
from sekkei.web import Html, Pages, Redirect, User
from sekkei_systems.tasks.service import Invitations, Visitor

pages = Pages()


class Holder(Struct):
    token: Token = ""


@pages.get("/invitations/{team_id}/{invite_id}", name="invitation")
async def show(user: User | None, invitations: Invitations, team_id: str, invite_id: str, query: Holder) -> Html:
    """Whoever holds the token may read it; to join, the invited person signs in."""
    found = await invitations.look(team_id, invite_id, query.token)
    theirs = user is not None and user.verified and user.email == found.email
    return Html("tasks/invitation.html", invitation=found, token=query.token, theirs=theirs)


@pages.post("/invitations/{team_id}/{invite_id}", name="accept")
async def accept(visitor: Visitor, invitations: Invitations, team_id: str, invite_id: str, form: Holder) -> Redirect:
    await invitations.accept(visitor, team_id, invite_id, form.token)
    return Redirect("tasks:board", team_id=team_id).flash("invite.accepted")
