"""Signing in and out.

By e-mail address and password, by a code that is mailed, or, in a demo on one's own machine, as somebody of the demo
data. Whoever signs in gets a session of their own: one that the browser had before is never carried on.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote, unquote

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sekkei.kit.signing import OneTimeCode
from sekkei.kit.typed import Line, NameLine, Token
from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.refusals import Invalid, NotAllowed, Refusal
from sekkei.web.forms import Form, form, refill
from sekkei.web.identity.accounts import SESSION_LIFE, CodeOver, email_of
from sekkei.web.identity.design import Account
from sekkei.web.identity.users import User
from sekkei.web.limits import Rate, address
from sekkei.web.middleware import SESSION_COOKIE
from sekkei.web.rendering import flash, local_path, page, redirect
from sekkei.web.texts import t

if TYPE_CHECKING:
    from sekkei.web.shell import Shell

CHALLENGE_COOKIE = "sekkei_challenge"
_DEVICE_COOKIE = "sekkei_device"
_DEVICE_SECONDS = 365 * 24 * 3600
PER_ADDRESS = Rate.per_minute(20)
"""Of what turns out wrong; whoever signs in gives theirs back, for others behind the same address."""
_MAILS_PER_ADDRESS = Rate.per_minute(60)
PER_EMAIL = Rate.per_hour(10)

Short = Annotated[Token, Meta(max_length=300)]


class NoDemo(NotAllowed):
    """Only the machine that runs the demo signs in with one click."""


class WithPassword(Struct):
    email: Annotated[str, Line(300)]
    password: Short
    next: Short = "/"


class WithCode(Struct):
    email: Annotated[str, Line(300)]
    next: Short = "/"


class SignUp(Struct):
    email: Annotated[str, Line(300)]
    name: Annotated[str, NameLine(300)]
    password: Short = ""
    next: Short = "/"


class Code(Struct):
    code: Annotated[str, Line(300)]


class DemoPerson(Struct):
    person: Short
    next: Short = "/"


def routes() -> list[Route]:
    return [
        Route("/sign-in", show_sign_in, methods=["GET"], name="sign-in"),
        Route("/sign-in", sign_in_with_password, methods=["POST"]),
        Route("/sign-in/code", show_code, methods=["GET"]),
        Route("/sign-in/mail", mail_code, methods=["POST"]),
        Route("/sign-in/code", sign_in_with_code, methods=["POST"]),
        Route("/sign-in/demo", sign_in_as_demo_person, methods=["POST"]),
        Route("/sign-up", show_sign_up, methods=["GET"], name="sign-up"),
        Route("/sign-up", sign_up, methods=["POST"]),
        Route("/sign-out", sign_out, methods=["POST"]),
    ]


def _shell(request: Request) -> Shell:
    shell: Shell = request.app.state.shell
    return shell


async def begin_session(request: Request, account: Account) -> None:
    """A fresh session; the one that the browser had is over."""
    shell = _shell(request)
    await _end_session(request)
    agent = request.headers.get("user-agent", "")
    cookie = await shell.accounts.begin_session(account, agent)
    request.state.set_cookies.append((SESSION_COOKIE, cookie, int(SESSION_LIFE.total_seconds())))
    if account.email:
        _know_device(request, account.email)
    flash(request, t(request, "sign-in.welcome", name=account.name))


def _know_device(request: Request, email: str) -> None:
    """This browser has been theirs: it keeps tries of its own, whatever strangers try elsewhere."""
    if _device(request, email):
        return
    nonce = secrets.token_urlsafe(12)
    mark = _shell(request).device_signer.mark(nonce, email)
    request.state.set_cookies.append((_DEVICE_COOKIE, f"{nonce}.{mark}", _DEVICE_SECONDS))


def _device(request: Request, email: str) -> str:
    """The browser's number, if somebody signed in to this address with it before; else nothing."""
    nonce, _, mark = request.cookies.get(_DEVICE_COOKIE, "").partition(".")
    return nonce if nonce and _shell(request).device_signer.matches(mark, nonce, email) else ""


def _counted_with(request: Request, email: str) -> tuple[str, ...]:
    return email, _device(request, email)


async def _end_session(request: Request) -> None:
    if request.state.session_hash is not None:
        await _shell(request).accounts.end_session(request.state.user.id, request.state.session_hash)


async def show_sign_in(request: Request) -> Response:
    """`email` fills in the address, such as the one that was invited; for another than one's own the page is shown to
    whoever is signed in, too."""
    next, email = local_path(request.query_params.get("next")), _address(request)
    user: User | None = request.state.user
    if user is not None and email in ("", user.email):
        return redirect(request, next)
    return _sign_in_page(request, Form({"next": next, "email": email}))


def _address(request: Request) -> str:
    return request.query_params.get("email", "")[:254]


def _sign_in_page(request: Request, filled: Form, status: int = 200) -> Response:
    people = DEMO_PEOPLE if _shell(request).demo_allowed(request) else ()
    came_from = local_path(filled.values.get("next"))
    return page(request, "sign_in.html", status, form=filled, people=people, came_from=came_from)


async def sign_in_with_password(request: Request) -> Response:
    shell = _shell(request)
    shell.limits.take(PER_ADDRESS, "sign-in", address(request))
    try:
        given = await form(request, WithPassword)
        shell.limits.take(PER_EMAIL, "sign-in", *_counted_with(request, email_of(given.email)))
        account = await shell.accounts.with_password(given.email, given.password)
    except Invalid as wrong:
        return _sign_in_page(request, refill(request, wrong), 422)
    shell.limits.give_back(PER_ADDRESS, "sign-in", address(request))
    await begin_session(request, account)
    return redirect(request, local_path(given.next))


async def mail_code(request: Request) -> Response:
    try:
        given = await form(request, WithCode)
        return await _challenge(request, given.email, local_path(given.next))
    except Invalid as wrong:
        return _sign_in_page(request, refill(request, wrong), 422)


async def show_sign_up(request: Request) -> Response:
    filled = {"next": local_path(request.query_params.get("next")), "email": _address(request)}
    return _sign_up_page(request, Form(filled))


def _sign_up_page(request: Request, filled: Form, status: int = 200) -> Response:
    return page(request, "sign_up.html", status, form=filled, came_from=local_path(filled.values.get("next")))


async def sign_up(request: Request) -> Response:
    """The address is proven first; an account is made only when the code comes back."""
    try:
        given = await form(request, SignUp)
        return await _challenge(request, given.email, local_path(given.next), given.name, given.password)
    except Invalid as wrong:
        return _sign_up_page(request, refill(request, wrong), 422)


async def _challenge(request: Request, email: str, next: str, name: str = "", password: str = "") -> Response:
    """The same answer whether the address is known here or not."""
    shell = _shell(request)
    email = email_of(email)
    shell.limits.take(_MAILS_PER_ADDRESS, "code", address(request))
    shell.limits.take(PER_EMAIL, "code", *_counted_with(request, email))
    id, code = await shell.accounts.challenge(email, name=name, password=password, next=next)
    message = {
        "subject": t(request, "sign-in.mail.subject", code=code),
        "text": t(request, "sign-in.mail.body", code=code),
    }
    await shell.outbox.put("mail", email, message, id=f"code/{id}")
    # Quoted: an address may have letters that no header can carry.
    life = int(OneTimeCode.LIFE.total_seconds())
    request.state.set_cookies.append((CHALLENGE_COOKIE, f"{id}:{quote(email, safe='@')}", life))
    return redirect(request, "/sign-in/code")


def _asked(request: Request) -> tuple[str, str]:
    """The challenge that this browser is to answer, and the address that the code went to."""
    id, _, email = request.cookies.get(CHALLENGE_COOKIE, "").partition(":")
    return id, unquote(email)


async def show_code(request: Request) -> Response:
    id, email = _asked(request)
    if not id:
        return redirect(request, "/sign-in")
    return _code_page(request, email, Form())


def _code_page(request: Request, email: str, filled: Form, status: int = 200) -> Response:
    return page(request, "sign_in_code.html", status, form=filled, email=email)


async def sign_in_with_code(request: Request) -> Response:
    shell = _shell(request)
    shell.limits.take(PER_ADDRESS, "code-answer", address(request))
    id, email = _asked(request)
    if not id:
        return redirect(request, "/sign-in")
    try:
        given = await form(request, Code)
        account, next = await shell.accounts.answer(id, given.code)
    except (Invalid, CodeOver) as wrong:
        return _code_page(request, email, refill(request, wrong), wrong.status)
    shell.limits.give_back(PER_ADDRESS, "code-answer", address(request))
    request.state.set_cookies.append((CHALLENGE_COOKIE, "", 0))
    await begin_session(request, account)
    return redirect(request, local_path(next))


async def sign_in_as_demo_person(request: Request) -> Response:
    shell = _shell(request)
    if not shell.demo_allowed(request):
        raise NoDemo()
    given = await form(request, DemoPerson)
    person = next((one for one in DEMO_PEOPLE if one.id == given.person), None)
    if person is None:
        raise Refusal("no-such-person", 404)
    await begin_session(request, await shell.accounts.ensure(person))
    return redirect(request, local_path(given.next))


async def sign_out(request: Request) -> Response:
    await _end_session(request)
    return signed_out(request)


def signed_out(request: Request, words: str = "") -> Response:
    request.state.set_cookies.append((SESSION_COOKIE, "", 0))
    flash(request, words or t(request, "sign-in.bye"))
    response = redirect(request, "/")
    response.headers["Clear-Site-Data"] = '"cache", "storage"'  # what was kept for them on this device goes too
    return response
