"""Pages of signing in with a provider: away, back, and tying an identity to an account that is there already.

A new identity becomes an account of its own, or that of its verified address if nothing but mailed codes opens that
one. An account with a password, a passkey or an authenticator app is tied to it only by whoever signs in there.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import urlencode

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from sekkei.kit.signing import BadToken
from sekkei.kit.text import name_line
from sekkei.kit.typed import Token
from sekkei.runtime.refusals import NotThere, Refusal
from sekkei.web.forms import form
from sekkei.web.identity.accounts import NAME_CHARACTERS_MAX, email_of
from sekkei.web.identity.design import Account
from sekkei.web.identity.notices import tell_address
from sekkei.web.identity.openid import Arrival, BadOpenId, Begun
from sekkei.web.identity.proof import must_be_sure
from sekkei.web.identity.sign_in import begin_session
from sekkei.web.identity.users import User, in_person
from sekkei.web.limits import Rate, address
from sekkei.web.rendering import flash, local_path, page, redirect
from sekkei.web.shell import Shell
from sekkei.web.texts import t

_BEGUN_COOKIE = "sekkei_openid"
_LINK_COOKIE = "sekkei_openid_link"
_AWAY_SECONDS = 600
PER_ADDRESS = Rate.per_minute(60)
Short = Annotated[Token, Meta(max_length=300)]


class NoVerifiedAddress(Refusal):
    """The provider does not vouch for an e-mail address."""

    status = 403


class LastWayIn(Refusal):
    """Without it nobody could sign in to the account."""

    status = 409


class IdentityHash(Struct):
    hash: Short


def routes() -> list[Route]:
    return [
        Route("/sign-in/openid", begin, methods=["GET"]),
        Route("/sign-in/openid/back", back, methods=["GET"]),
        Route("/sign-in/openid/link", show_link, methods=["GET"]),
        Route("/sign-in/openid/link", link, methods=["POST"]),
        Route("/account/identities/delete", unlink, methods=["POST"]),
    ]


def _shell(request: Request) -> Shell:
    shell: Shell = request.app.state.shell
    return shell


# What a browser keeps while it is away: signed, and good for ten minutes


def _keep(request: Request, cookie: str, content: dict[str, Any]) -> None:
    shell = _shell(request)
    token = shell.openid_signer.sign([cookie, content], until=int(shell.clock.now()) + _AWAY_SECONDS)
    request.state.set_cookies.append((cookie, token, _AWAY_SECONDS))


def _kept(request: Request, cookie: str) -> dict[str, Any]:
    """Raises BadOpenId; whatever is right or wrong with it, it is gone then."""
    shell, token = _shell(request), request.cookies.get(cookie, "")
    request.state.set_cookies.append((cookie, "", 0))
    try:
        kept_as, content = shell.openid_signer.read(token, shell.clock.now())
    except BadToken:
        raise BadOpenId() from None
    if kept_as != cookie:
        raise BadOpenId()
    kept: dict[str, Any] = content
    return kept


# Away and back


async def begin(request: Request) -> Response:
    shell = _shell(request)
    if not shell.openid.possible:
        raise NotThere()
    shell.limits.take(PER_ADDRESS, "openid", address(request))
    url, begun = await shell.openid.begin(local_path(request.query_params.get("next")))
    _keep(request, _BEGUN_COOKIE, asdict(begun))
    return RedirectResponse(url, 303)


async def back(request: Request) -> Response:
    shell, said = _shell(request), request.query_params
    if not shell.openid.possible:
        raise NotThere()
    shell.limits.take(PER_ADDRESS, "openid", address(request))
    begun = Begun(**_kept(request, _BEGUN_COOKIE))
    if "error" in said:  # they said no, or the provider did
        flash(request, t(request, "sign-in.openid.no", name=shell.openid.name))
        return redirect(request, "/sign-in")
    arrival = await shell.openid.arrive(begun, said.get("state", ""), said.get("code", ""), said.get("iss"))
    return await _arrived(request, arrival, begun.next)


async def _arrived(request: Request, arrival: Arrival, next: str) -> Response:
    accounts = _shell(request).accounts
    known = await accounts.identities.known(arrival.issuer, arrival.subject)
    account = await accounts.get(known.account_id) if known else None
    if account is not None:
        await begin_session(request, account)
        return redirect(request, next)
    user: User | None = request.state.user
    if user is not None:
        return _ask_to_link(request, arrival, next)
    if arrival.email is None:
        raise NoVerifiedAddress()
    holder = await accounts.by_email(email_of(arrival.email))
    if holder is not None and await _is_guarded(request, holder):
        return _ask_to_link(request, arrival, next, email=holder.email or "")
    return await _taken_in(request, arrival, holder, next)


async def _is_guarded(request: Request, account: Account) -> bool:
    """More than a mailed code opens it; so a mailbox alone, as the provider knows it, does not."""
    if account.password is not None or account.totp is not None:
        return True
    return bool(await _shell(request).passkeys.of(account.id))


async def _taken_in(request: Request, arrival: Arrival, holder: Account | None, next: str) -> Response:
    accounts = _shell(request).accounts
    email = arrival.email or ""
    name = name_line(arrival.name)[:NAME_CHARACTERS_MAX] or email.partition("@")[0]
    account = holder or await accounts.create(email, name)
    known = await accounts.identities.known(arrival.issuer, arrival.subject)
    owner = await accounts.identities.link(account.id, arrival.issuer, arrival.subject, known)
    account = await accounts.get(owner) or account
    if holder is not None:
        await tell_address(request, account.id, account.email or "", "identity")
    await begin_session(request, account)
    return redirect(request, next)


# Tying an identity to an account


def _ask_to_link(request: Request, arrival: Arrival, next: str, email: str = "") -> Response:
    _keep(request, _LINK_COOKIE, {"issuer": arrival.issuer, "subject": arrival.subject, "next": next})
    if not email:
        return redirect(request, "/sign-in/openid/link")
    flash(request, t(request, "sign-in.openid.prove", email=email))
    return redirect(request, f"/sign-in?{urlencode({'email': email, 'next': '/sign-in/openid/link'})}")


async def show_link(request: Request) -> Response:
    in_person(request)
    must_be_sure(request)
    return page(request, "openid_link.html", name=_shell(request).openid.name)


async def link(request: Request) -> Response:
    user, accounts = in_person(request), _shell(request).accounts
    must_be_sure(request)
    kept = _kept(request, _LINK_COOKIE)
    known = await accounts.identities.known(kept["issuer"], kept["subject"])
    gone = known is not None and await accounts.get(known.account_id) is None
    owner = await accounts.identities.link(user.id, kept["issuer"], kept["subject"], known if gone else None)
    if owner != user.id:
        raise BadOpenId()
    await tell_address(request, user.id, user.email, "identity")
    flash(request, t(request, "account.saved"))
    return redirect(request, local_path(kept["next"]))


async def unlink(request: Request) -> Response:
    user = in_person(request)
    must_be_sure(request)
    if not user.email:
        raise LastWayIn()
    await _shell(request).accounts.identities.unlink(user.id, (await form(request, IdentityHash)).hash)
    await tell_address(request, user.id, user.email, "identity-gone")
    flash(request, t(request, "account.saved"))
    return redirect(request, "/account")
