"""Signing in without a browser: a code by mail for a token of one's own."""

from __future__ import annotations

from starlette.requests import Request

from sekkei.runtime.refusals import Gone, say
from sekkei.web import Api, Rate, Shell, User, t
from sekkei.web.accounts import TOKEN_PREFIX, digest, email_of, split
from sekkei.web.limits import address
from systems.q.api.shapes import AskCode, GiveCode, SignedIn, Ticket
from systems.q.refusals import NotJoined
from systems.q.service import Service

PER_ADDRESS = Rate.per_minute(20)
PER_EMAIL = Rate.per_hour(10)
UNGUARDED = frozenset({"api.ask_for_code", "api.sign_in"})
"""These two set no cookie, so that another page's request gains nothing; and an app has no token of ours yet."""

TOKEN_NAME = "Q."
DEVICES_MAX = 10
"""Signing in on one more ends the oldest."""


class NotByToken(Gone):
    code = "not-by-token"
    words = say("このサインインはトークンによるものではありません。", "You did not sign in with a token.")


def declare(api: Api, service: Service) -> None:
    @api.post("/sign-in/code", summary="Mail a code to sign in with", status=201, tag="sign-in")
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

    @api.post("/sign-in", summary="A token for the mailed code", tag="sign-in")
    async def sign_in(request: Request, body: GiveCode) -> SignedIn:
        shell: Shell = request.app.state.shell
        shell.limits.take(PER_ADDRESS, "code-answer", address(request))
        account, _ = await shell.accounts.answer(body.challenge, body.code)
        await _forget_oldest(shell, account.id)
        token = await shell.accounts.make_token(account.id, TOKEN_NAME)
        try:
            await service.access.row(account.id)
        except NotJoined:
            return SignedIn(token=token, user_id=account.id, has_joined=False)
        return SignedIn(token=token, user_id=account.id, has_joined=True)

    @api.delete("/sign-in", summary="Give the token up", tag="sign-in")
    async def sign_out(request: Request, user: User) -> None:
        if user.via != "token":
            raise NotByToken()
        shell: Shell = request.app.state.shell
        given = request.headers["authorization"].partition(" ")[2].strip()
        await shell.accounts.delete_token(user.id, digest(split(given.removeprefix(TOKEN_PREFIX))[1]))


async def _forget_oldest(shell: Shell, account_id: str) -> None:
    ours = [one for one in await shell.accounts.tokens(account_id) if one.name == TOKEN_NAME]
    for one in ours[: max(0, len(ours) - DEVICES_MAX + 1)]:
        await shell.accounts.delete_token(account_id, one.hash)
