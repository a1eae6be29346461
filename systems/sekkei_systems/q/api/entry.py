"""Signing in without a browser: by a mailed code or a password, with tokens that are renewed."""

from __future__ import annotations

from starlette.requests import Request

from sekkei.web import Operations, Rate, Shell, User, t
from sekkei.web.identity.accounts import email_of
from sekkei.web.identity.app_sessions import Pair
from sekkei.web.identity.design import Account
from sekkei.web.limits import address
from sekkei_systems.q.api.shapes import AskCode, GiveCode, GivePassword, Refresh, SignedIn, Ticket
from sekkei_systems.q.refusals import Banned, NotByApp, NotJoined
from sekkei_systems.q.service.access import Access
from sekkei_systems.q.service.notices import Devices

PER_ADDRESS = Rate.per_minute(20)
PER_EMAIL = Rate.per_hour(10)
APP = "q"
operations = Operations()
"""Those of `webhook=True` set no cookie, so that another page's request gains nothing; and an app has no token yet."""


@operations.post("/sign-in/code", summary="Mail a code to sign in with", status=201, tag="sign-in", webhook=True)
async def ask_for_code(request: Request, body: AskCode) -> Ticket:
    """The answer is the same whether the address is known or not; a new account is made when the code comes."""
    shell: Shell = request.app.state.shell
    email = email_of(body.email)
    shell.limits.take(PER_ADDRESS, "code", address(request))
    shell.limits.take(PER_EMAIL, "code", email)
    id, code = await shell.accounts.challenge(email, name=body.name.strip())
    message = {
        "subject": t(request, "sign-in.mail.subject", code=code),
        "text": t(request, "sign-in.mail.body", code=code),
    }
    await shell.outbox.put("mail", email, message, id=f"code/{id}")
    return Ticket(challenge=id)


@operations.post("/sign-in", summary="Sign in with the mailed code", tag="sign-in", webhook=True)
async def sign_in(request: Request, access: Access, devices: Devices, body: GiveCode) -> SignedIn:
    """The access token is good for 15 minutes, the refresh token once, within 60 days."""
    shell: Shell = request.app.state.shell
    shell.limits.take(PER_ADDRESS, "code-answer", address(request))
    account, _ = await shell.accounts.answer(body.challenge, body.code)
    return await _begin(shell, access, devices, account, body.device_token)


@operations.post("/sign-in/password", summary="Sign in with a password", tag="sign-in", webhook=True)
async def sign_in_with_password(request: Request, access: Access, devices: Devices, body: GivePassword) -> SignedIn:
    """For those who have set one on their account page."""
    shell: Shell = request.app.state.shell
    shell.limits.take(PER_ADDRESS, "sign-in", address(request))
    shell.limits.take(PER_EMAIL, "sign-in", email_of(body.email))
    account = await shell.accounts.with_password(body.email, body.password)
    return await _begin(shell, access, devices, account, body.device_token)


@operations.post("/sign-in/refresh", summary="New tokens for the refresh token", tag="sign-in", webhook=True)
async def refresh(request: Request, access: Access, body: Refresh) -> SignedIn:
    """A refresh token that comes a second time ends the sign-in: somebody has a copy of it."""
    shell: Shell = request.app.state.shell
    shell.limits.take(PER_ADDRESS, "refresh", address(request))
    account, pair = await shell.apps.refresh(body.refresh_token)
    try:
        joined = await _has_joined(access, account.id)
    except Banned:
        await shell.apps.end_of(pair.access)
        raise
    return _signed_in(pair, account.id, joined)


@operations.delete("/sign-in", summary="Sign out", tag="sign-in")
async def sign_out(request: Request, user: User) -> None:
    if user.via != "app":
        raise NotByApp()
    shell: Shell = request.app.state.shell
    await shell.apps.end_of(request.headers["authorization"].partition(" ")[2].strip())


async def _begin(shell: Shell, access: Access, devices: Devices, account: Account, device: str | None) -> SignedIn:
    joined = await _has_joined(access, account.id)
    if device is not None:
        await devices.change_hands(account.id, device)
    return _signed_in(await shell.apps.begin(account, APP), account.id, joined)


async def _has_joined(access: Access, account_id: str) -> bool:
    """Raises for somebody who is banned: there is nothing to sign in for."""
    try:
        user = (await access.joined(account_id)).user
    except NotJoined:
        return False
    if user.is_banned:
        raise Banned()
    return True


def _signed_in(pair: Pair, user_id: str, has_joined: bool) -> SignedIn:
    return SignedIn(pair.access, pair.expires_in, pair.refresh, user_id, has_joined)
