"""Where a link that invites leads: to Q. for those who are signed in, and for others to what Q. is and who invites."""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request

from sekkei.web import Html, Pages, Rate, Redirect, User, limit
from sekkei_systems.q.service.finding import Invites

OPENED = Rate.per_minute(30)
pages = Pages()


@pages.get("/i/{token}", name="invite")
async def invite(request: Request, user: User | None, invites: Invites, token: str) -> Html | Redirect:
    limit(request, OPENED, "q-invite-page")
    inside = f"/q/#/invite/{quote(token, safe='')}"
    if user is not None:
        return Redirect(inside)
    inviter = await invites.inviter(token)
    enter = f"/sign-in?next={quote(inside if inviter else '/q/', safe='')}"
    return Html("q/landing.html", enter=enter, inviter=inviter, invited=True)
