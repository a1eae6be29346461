"""The guilds that an account looks after, and how it comes by them: a link that Discord shows, or sign-in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Annotated
from urllib.parse import urlencode

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sekkei.design import TransactionFailed
from sekkei.kit.signing import same
from sekkei.kit.typed import Token
from sekkei.runtime.refusals import NotThere
from sekkei.web import Html, Pages, Redirect, User
from sekkei.web import csrf as browser
from sekkei.web.identity.sign_in import begin_session
from sekkei_systems.eventbot.pages.view import Simulated
from sekkei_systems.eventbot.ports.discord.oauth import Identified, OAuth, new_secret
from sekkei_systems.eventbot.ports.discord.rest import Refused, Unavailable
from sekkei_systems.eventbot.refusals import BadSignIn, DiscordSilent, NoGuilds
from sekkei_systems.eventbot.service.access import Access, Actor
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.service.guilds import Guilds

# Sign-in by Discord, so that organisers need no mail address. Only the browser that began it is signed in.


pages = Pages()
_BEGUN_KEPT = timedelta(minutes=10)
_ISSUER = "https://discord.com"


@dataclass(frozen=True, slots=True)
class SignIn:
    """Sign-in by Discord, where it is set up."""

    oauth: OAuth | None


class Back(Struct):
    code: Token = ""
    state: Token = ""
    error: Token = ""


def _browser(request: Request) -> str:
    """What tells this browser from others; the cookie goes out with the answer."""
    browser.token(request)
    seed: str = request.state.session_hash or request.state.visitor
    return sha256(seed.encode()).hexdigest()


@pages.get("/discord/sign-in", name="discord-sign-in")
async def begin(request: Request, sign_in: SignIn, desk: Desk) -> Response:
    if sign_in.oauth is None:
        raise NotThere()
    state, verifier = new_secret(), new_secret()
    kept = {"verifier": verifier, "browser": _browser(request)}
    await desk.transact(desk.idempotency.mark(f"eventbot/oauth/{_hash(state)}", kept, _BEGUN_KEPT))
    return RedirectResponse(sign_in.oauth.address(state, verifier), 303)


@pages.get("/discord/callback", name="discord-callback")
async def callback(
    request: Request, sign_in: SignIn, desk: Desk, access: Access, guilds: Guilds, query: Back
) -> Redirect:
    if sign_in.oauth is None:
        raise NotThere()
    verifier = await _begun(request, desk, query.state)
    if query.error or not query.code:
        raise BadSignIn()
    try:
        user = await sign_in.oauth.identify(query.code, verifier)
    except Refused:
        raise BadSignIn() from None
    except Unavailable:
        raise DiscordSilent() from None
    account_id = await _account(request, user)
    links = await guilds.link_user(access, account_id, user)
    if not links:
        return Redirect("eventbot:home").flash(NoGuilds())
    if len(links) > 1:
        return Redirect("eventbot:home")
    return Redirect("eventbot:guild", guild_id=links[0].guild_id).flash("link.done", name=user.name)


async def _begun(request: Request, desk: Desk, state: str) -> str:
    """The verifier of a sign-in that this browser began, once. Raises BadSignIn."""
    key = f"eventbot/oauth/{_hash(state)}"
    found = await desk.idempotency.answer(key) if state else None
    if found is None or not same(str(found["browser"]), _browser(request)):
        raise BadSignIn()
    try:
        await desk.transact(desk.idempotency.mark(f"{key}/used", kept=_BEGUN_KEPT))
    except TransactionFailed:
        raise BadSignIn() from None
    return str(found["verifier"])


async def _account(request: Request, user: Identified) -> str:
    """Whoever is signed in stays so; others get the account of this Discord user, the first time a new one."""
    if request.state.user is not None:
        return str(request.state.user.id)
    accounts = request.app.state.shell.accounts
    found = await accounts.by_identity(_ISSUER, user.user_id, None, user.name)
    await begin_session(request, await accounts.get(found.id))
    return str(found.id)


def _hash(state: str) -> str:
    return sha256(state.encode()).hexdigest()


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
