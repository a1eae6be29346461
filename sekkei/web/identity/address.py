"""Another e-mail address for an account: a code to the new one and a code to the old one, and both must come back.

Whoever finds a session open cannot carry the account away without the old mailbox, and nobody can claim an address
that is not theirs. An address that somebody else has is not told apart until both codes are right.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed
from sekkei.kit.signing import OneTimeCode
from sekkei.kit.typed import Line, Token
from sekkei.runtime import days
from sekkei.runtime.refusals import Conflict, Invalid
from sekkei.runtime.settings import Secrets
from sekkei.web.forms import Form, form, refill
from sekkei.web.identity.accounts import CodeOver, WrongCode, email_of
from sekkei.web.identity.design import Account, AddressChange, accounts, address_changes
from sekkei.web.identity.proof import must_be_sure
from sekkei.web.identity.users import in_person
from sekkei.web.limits import Rate, limit
from sekkei.web.rendering import flash, page, redirect
from sekkei.web.texts import t

if TYPE_CHECKING:
    from sekkei.web.shell import Shell

MAILS = Rate.per_hour(10)
Short = Annotated[Token, Meta(max_length=300)]


class AddressTaken(Conflict):
    """Another account has it."""


class SameAddress(Invalid):
    """It is the account's already."""


class Addresses:
    """Changes of address that wait for their codes."""

    def __init__(self, db: Database, clock: Clock, keys: Secrets) -> None:
        self._db, self._clock = db, clock
        self._codes = OneTimeCode(keys.signer("changes of address"))

    async def ask(self, account: Account, email: str) -> tuple[str, str | None]:
        """The codes for the new address and for the old one, if there is one."""
        if email == account.email:
            raise SameAddress(field="email")
        new, old = self._codes.make(), self._codes.make() if account.email else None
        wanted = AddressChange(
            account_id=account.id,
            email=email,
            code_hash=self._codes.mark(new, account.id, email),
            old_code_hash=self._codes.mark(old, account.id, account.email or "") if old else None,
            expires=days.now(self._clock) + OneTimeCode.LIFE,
        )
        await self._db.write(address_changes.put(wanted))
        return new, old

    async def waiting(self, account_id: str) -> AddressChange | None:
        found = await self._db.get(address_changes(account_id).consistent())
        return found if found and found.expires > days.now(self._clock) else None

    async def confirm(self, account: Account, code: str, old_code: str) -> str:
        """The new address, once both codes are right; tries are counted before they are compared."""
        new, old = self._codes.read(code), self._codes.read(old_code)
        if new is None or (old is None and account.email):
            raise WrongCode(field="code" if new is None else "old_code")
        row, now = address_changes.update(account.id), days.now(self._clock)
        change = await self._codes.tried(self._db, row, AddressChange.attempts, AddressChange.expires, now)
        if change is None:
            raise CodeOver()
        if not self._codes.matches(change.code_hash, new, account.id, change.email):
            raise WrongCode(field="code")
        mark, owner = change.old_code_hash, (account.id, account.email or "")
        if mark and not self._codes.matches(mark, old or "", *owner):
            raise WrongCode(field="old_code")
        update = accounts.update(account.id).set(Account.email, change.email).when(Account.email == account.email)
        try:
            await self._db.transact(update, address_changes.delete(account.id))
        except TransactionFailed as failed:
            raise AddressTaken() from failed
        return change.email


class NewAddress(Struct):
    email: Annotated[str, Line(300)]


class Codes(Struct):
    code: Annotated[str, Line(300)]
    old_code: Annotated[str, Line(300, 0)] = ""


def routes() -> list[Route]:
    return [
        Route("/account/email", show, methods=["GET"], name="email"),
        Route("/account/email", ask, methods=["POST"]),
        Route("/account/email/confirm", confirm, methods=["POST"]),
    ]


def _shell(request: Request) -> Shell:
    shell: Shell = request.app.state.shell
    return shell


async def show(request: Request) -> Response:
    return await _page(request, Form())


async def _page(request: Request, filled: Form, status: int = 200) -> Response:
    waiting = await _shell(request).email_changes.waiting(in_person(request).id)
    return page(request, "email.html", status, form=filled, waiting=waiting)


async def _account(request: Request) -> Account:
    account = await _shell(request).accounts.get(in_person(request).id)
    assert account is not None
    return account


async def ask(request: Request) -> Response:
    must_be_sure(request)
    limit(request, MAILS, "email")
    account, shell = await _account(request), _shell(request)
    try:
        email = email_of((await form(request, NewAddress)).email)
        code, old_code = await shell.email_changes.ask(account, email)
    except Invalid as wrong:
        return await _page(request, refill(request, wrong), 422)
    await _mail(request, email, "account.email.mail", code, email)
    if old_code and account.email:
        await _mail(request, account.email, "account.email.mail.old", old_code, email)
    return redirect(request, "/account/email")


async def _mail(request: Request, to: str, text: str, code: str, email: str) -> None:
    message = {
        "subject": t(request, "account.email.mail.subject", code=code),
        "text": t(request, text, code=code, email=email),
    }
    id, owner = f"address/{secrets.token_urlsafe(12)}", in_person(request).id
    await _shell(request).outbox.put("mail", to, message, id=id, people=[owner])


async def confirm(request: Request) -> Response:
    account, shell = await _account(request), _shell(request)
    try:
        given = await form(request, Codes)
        await shell.email_changes.confirm(account, given.code, given.old_code)
    except (Invalid, CodeOver, AddressTaken) as wrong:
        return await _page(request, refill(request, wrong), wrong.status)
    flash(request, t(request, "account.saved"))
    return redirect(request, "/account")
