"""Showing again that it is you, before what is hard to undo: with the authenticator app, a password or a mailed code.

A service that raises `ProofNeeded` sends people here and back. Signing in counts as well, unless the account has an
authenticator app: then only a code of that does.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sekkei.kit.typed import Line, Token
from sekkei.runtime import days, totp
from sekkei.runtime.refusals import Invalid, ProofNeeded
from sekkei.web.forms import Form, form, refill
from sekkei.web.identity.accounts import CodeOver, WrongCode
from sekkei.web.identity.notices import tell
from sekkei.web.identity.users import in_person
from sekkei.web.limits import Rate, limit
from sekkei.web.rendering import flash, local_path, page, redirect
from sekkei.web.texts import t

if TYPE_CHECKING:
    from sekkei.web.shell import Shell

GOOD_FOR = timedelta(minutes=10)
TRIES = Rate.per_minute(10)
Short = Annotated[Token, Meta(max_length=300)]


class Proof(Struct):
    password: Short = ""
    code: Annotated[str, Line(300, 0)] = ""
    challenge: Short = ""
    next: Short = "/"


class Back(Struct):
    next: Short = "/"


class Code(Struct):
    code: Annotated[str, Line(300)]


def proved_at(request: Request) -> datetime | None:
    """When whoever asks last showed who they are in this session; None for tokens, which anybody may have found."""
    found: datetime | None = request.state.proved_at
    return found


def is_recent(moment: datetime | None, now: datetime) -> bool:
    return moment is not None and now - moment <= GOOD_FOR


def require_proof(request: Request) -> None:
    """For what somebody with an authenticator app does only after having used it in this session."""
    user = in_person(request)
    if user.has_authenticator and proved_at(request) is None:
        raise ProofNeeded()


def routes() -> list[Route]:
    return [
        Route("/prove", show, methods=["GET"], name="prove"),
        Route("/prove", prove, methods=["POST"]),
        Route("/prove/mail", mail, methods=["POST"]),
        Route("/account/authenticator", offer, methods=["GET"], name="authenticator"),
        Route("/account/authenticator", confirm, methods=["POST"]),
        Route("/account/authenticator/codes", renew, methods=["POST"]),
        Route("/account/authenticator/remove", remove, methods=["POST"]),
    ]


def _shell(request: Request) -> Shell:
    shell: Shell = request.app.state.shell
    return shell


async def show(request: Request) -> Response:
    return await _page(request, Form({"next": local_path(request.query_params.get("next"))}))


async def _page(request: Request, filled: Form, status: int = 200, challenge: str = "") -> Response:
    account = await _shell(request).accounts.get(in_person(request).id)
    has_password = account is not None and account.password is not None
    return page(request, "prove.html", status, form=filled, has_password=has_password, challenge=challenge)


async def prove(request: Request) -> Response:
    user = in_person(request)
    limit(request, TRIES, "prove")
    given = Proof()
    try:
        given = await form(request, Proof)
        left = await _check(request, given)
    except (Invalid, CodeOver) as wrong:
        return await _page(request, refill(request, wrong), wrong.status, given.challenge)
    await _shell(request).accounts.prove(user.id, request.state.session_hash)
    if left is not None:
        await tell(request, user, "recovery-used", n=left)
    flash(request, t(request, "prove.done") if left is None else t(request, "prove.recovered", n=left))
    return redirect(request, local_path(given.next))


async def _check(request: Request, given: Proof) -> int | None:
    """How many recovery codes are left, when it was one."""
    user, shell = in_person(request), _shell(request)
    if user.has_authenticator:
        return await shell.authenticators.check(user.id, given.code)
    if given.challenge:
        account, _ = await shell.accounts.answer(given.challenge, given.code)
        if account.id != user.id:  # somebody else's code proves nothing of this one
            raise WrongCode(field="code")
    else:
        await shell.accounts.with_password(user.email, given.password)
    return None


async def mail(request: Request) -> Response:
    """A code to the address of the account, for those who have no password."""
    user, shell = in_person(request), _shell(request)
    limit(request, TRIES, "prove")
    next = local_path((await form(request, Back)).next)
    challenge, code = await shell.accounts.challenge(user.email)
    message = {
        "subject": t(request, "sign-in.mail.subject", code=code),
        "text": t(request, "sign-in.mail.body", code=code),
    }
    await shell.outbox.put("mail", user.email, message, id=f"code/{challenge}")
    return await _page(request, Form({"next": next}), challenge=challenge)


def must_be_sure(request: Request) -> None:
    """For what would let somebody pass for the owner from now on."""
    if not is_recent(proved_at(request), days.now(_shell(request).clock)):
        raise ProofNeeded()


# The authenticator app


async def offer(request: Request) -> Response:
    user = in_person(request)
    must_be_sure(request)
    return _offer_page(request, await _shell(request).authenticators.offer(user.id), Form())


def _offer_page(request: Request, key: bytes, filled: Form, status: int = 200) -> Response:
    import segno  # only whoever sets an app up needs it

    address = totp.address(key, t(request, "shell.name"), in_person(request).email)
    picture = segno.make(address, error="m").svg_data_uri(scale=5, border=4, dark="#000", light="#fff")
    return page(request, "authenticator.html", status, form=filled, picture=picture, key=totp.base32(key))


async def confirm(request: Request) -> Response:
    user, shell = in_person(request), _shell(request)
    must_be_sure(request)
    limit(request, TRIES, "prove")
    try:
        codes = await shell.authenticators.confirm(user.id, (await form(request, Code)).code)
    except Invalid as wrong:
        return _offer_page(request, await shell.authenticators.offered(user.id), refill(request, wrong), 422)
    await tell(request, user, "authenticator")
    return page(request, "recovery_codes.html", codes=codes)


async def renew(request: Request) -> Response:
    """New recovery codes, shown this once."""
    user = in_person(request)
    must_be_sure(request)
    codes = await _shell(request).authenticators.renew(user.id)
    await tell(request, user, "recovery-new")
    return page(request, "recovery_codes.html", codes=codes)


async def remove(request: Request) -> Response:
    user = in_person(request)
    must_be_sure(request)
    await _shell(request).authenticators.remove(user.id)
    await tell(request, user, "authenticator-gone")
    flash(request, t(request, "account.saved"))
    return redirect(request, "/account")
