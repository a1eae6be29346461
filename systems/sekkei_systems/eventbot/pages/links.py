"""The guilds that an account looks after, and how it comes by them: a link that Discord shows."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from msgspec import Meta, Struct
from starlette.requests import Request

from sekkei.kit.typed import Token
from sekkei.web import Html, Pages, Redirect, User
from sekkei_systems.eventbot.pages.discord import SignIn
from sekkei_systems.eventbot.pages.view import Simulated
from sekkei_systems.eventbot.service.access import Actor
from sekkei_systems.eventbot.service.guilds import Guilds

pages = Pages()


class LinkQuery(Struct):
    token: Token = ""


class LinkForm(Struct):
    token: Annotated[Token, Meta(max_length=6000)]


@pages.get("/", name="home")
async def home(request: Request, guilds: Guilds, simulated: Simulated, sign_in: SignIn) -> Html | Redirect:
    """Strangers can sign in by Discord here, where that is set up."""
    if request.state.user is None:
        if sign_in.oauth is None:
            return Redirect(f"/sign-in?{urlencode({'next': '/eventbot/'})}")
        return Html("eventbot/guilds.html", links=[], simulated=simulated.yes, sign_in=True, known=False)
    links = await guilds.links(request.state.user.id)
    if len(links) == 1:
        return Redirect("eventbot:guild", guild_id=links[0].guild_id)
    by_discord = sign_in.oauth is not None
    return Html("eventbot/guilds.html", links=links, simulated=simulated.yes, sign_in=by_discord, known=True)


@pages.get("/link", name="link")
async def show_link(user: User, query: LinkQuery, simulated: Simulated) -> Html:
    """The link from Discord asks once more, so that following it changes nothing by itself."""
    return Html("eventbot/link.html", token=query.token, simulated=simulated.yes)


@pages.post("/link")
async def accept_link(user: User, guilds: Guilds, form: LinkForm) -> Redirect:
    link = await guilds.accept_link(user.id, form.token)
    return Redirect("eventbot:guild", guild_id=link.guild_id).flash("link.done", name=link.user_name)


@pages.post("/guilds/{guild_id}/unlink")
async def unlink(user: User, actor: Actor, guilds: Guilds) -> Redirect:
    await guilds.unlink(user.id, actor.guild_id)
    return Redirect("eventbot:home")
