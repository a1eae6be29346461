"""The account page: name, password, personal tokens, and where one is signed in."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sekkei.kit.typed import Line, NameLine, Token
from sekkei.runtime.refusals import Invalid
from sekkei.web.forms import Form, form, refill
from sekkei.web.identity.notices import tell
from sekkei.web.identity.proof import must_be_sure
from sekkei.web.identity.scopes import Access, scope_of
from sekkei.web.identity.sign_in import begin_session, signed_out
from sekkei.web.identity.users import in_person
from sekkei.web.rendering import flash, page, redirect
from sekkei.web.shell import Shell
from sekkei.web.texts import t

DAYS = ("7", "30", "90", "365")
Short = Annotated[Token, Meta(max_length=300)]


class NoSuchSystem(Invalid):
    """Not one that is served here."""


class Name(Struct):
    name: Annotated[str, NameLine(300)]


class NewPassword(Struct):
    password: Short


class NewToken(Struct):
    name: Annotated[str, Line(300)]
    access: Access = "write"
    systems: list[Short] = []
    days: Literal["7", "30", "90", "365"] = "90"


class TokenHash(Struct):
    hash: Short


class AppId(Struct):
    id: Short


def routes() -> list[Route]:
    return [
        Route("/account", show_account, methods=["GET"], name="account"),
        Route("/account/name", rename, methods=["POST"]),
        Route("/account/password", set_password, methods=["POST"]),
        Route("/account/sign-out-everywhere", sign_out_everywhere, methods=["POST"]),
        Route("/account/sessions/end", end_session, methods=["POST"]),
        Route("/account/apps/end", end_app, methods=["POST"]),
        Route("/account/tokens", make_token, methods=["POST"]),
        Route("/account/tokens/delete", delete_token, methods=["POST"]),
    ]


def _shell(request: Request) -> Shell:
    shell: Shell = request.app.state.shell
    return shell


async def show_account(request: Request) -> Response:
    return await _account_page(request)


async def _account_page(request: Request, status: int = 200, **values: Any) -> Response:
    user = in_person(request)
    accounts, passkeys = _shell(request).accounts, _shell(request).passkeys
    shown: dict[str, Any] = {
        "profile": Form({"name": user.name}),
        "password_form": Form(),
        "token_form": Form({"days": "90", "access": "read"}),
        "new_token": None,
        "sessions": await accounts.sessions(user.id),
        "apps": await _shell(request).apps.of(user.id),
        "passkeys": await passkeys.of(user.id) if passkeys.possible else [],
        "tokens": await accounts.tokens(user.id),
        "identities": await accounts.identities.of(user.id),
        "days": DAYS,
        "this_session": request.state.session_hash,
        **values,
    }
    return page(request, "account.html", status, **shown)


async def rename(request: Request) -> Response:
    user = in_person(request)
    try:
        await _shell(request).accounts.rename(user.id, (await form(request, Name)).name)
    except Invalid as wrong:
        return await _account_page(request, 422, profile=refill(request, wrong))
    flash(request, t(request, "account.saved"))
    return redirect(request, "/account")


async def set_password(request: Request) -> Response:
    """A new password ends every other session. It is a proof itself, so it needs one."""
    user = in_person(request)
    must_be_sure(request)
    accounts = _shell(request).accounts
    try:
        wanted = (await form(request, NewPassword)).password
        await accounts.set_password(user.id, wanted, user.email, user.name)
    except Invalid as wrong:
        return await _account_page(request, 422, password_form=refill(request, wrong))
    await accounts.end_all_sessions(user.id)
    await tell(request, user, "password")
    account = await accounts.get(user.id)
    assert account is not None
    await begin_session(request, account)
    return redirect(request, "/account")


async def sign_out_everywhere(request: Request) -> Response:
    await _shell(request).accounts.end_all_sessions(in_person(request).id)
    return signed_out(request)


async def make_token(request: Request) -> Response:
    """It outlives the session, so it needs a proof."""
    user = in_person(request)
    must_be_sure(request)
    try:
        wanted = await form(request, NewToken)
        scope = scope_of(wanted.access, _chosen(request, wanted.systems))
        life = timedelta(days=int(wanted.days))
        made = await _shell(request).accounts.make_token(user.id, wanted.name, scope, life)
    except Invalid as wrong:
        return await _account_page(request, 422, token_form=refill(request, wrong))
    await tell(request, user, "token")
    return await _account_page(request, new_token=made)


def _chosen(request: Request, names: list[str]) -> list[str]:
    """Of the systems that are served; none chosen, or all of them, means all."""
    served = _shell(request).deployment.systems
    if any(name not in served for name in names):
        raise NoSuchSystem(field="systems")
    return names if set(names) != set(served) else []


async def delete_token(request: Request) -> Response:
    user = in_person(request)
    await _shell(request).accounts.delete_token(user.id, (await form(request, TokenHash)).hash)
    return redirect(request, "/account")


async def end_session(request: Request) -> Response:
    """One browser of one's own; whoever ends the one in hand is signed out."""
    user = in_person(request)
    hash = (await form(request, TokenHash)).hash
    await _shell(request).accounts.end_session(user.id, hash)
    return signed_out(request) if hash == request.state.session_hash else _ended(request)


async def end_app(request: Request) -> Response:
    user = in_person(request)
    await _shell(request).apps.end(user.id, (await form(request, AppId)).id)
    return _ended(request)


def _ended(request: Request) -> Response:
    flash(request, t(request, "account.session.ended"))
    return redirect(request, "/account")
