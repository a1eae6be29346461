"""Whom the desk means by a mail address: whose account has it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sekkei.design import Database
from sekkei.runtime.system import Context
from sekkei.web.identity.accounts import email_of
from sekkei.web.identity.design import Account, emails
from sekkei.web.identity.design import design as identity
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Contact
from sekkei_systems.lessons.service.contacts import Contacts

AccountOf = Callable[[str], Awaitable[Account | None]]


def account_of_mail(context: Context) -> AccountOf:
    """Looks into the accounts that people sign in with."""
    db: Database = identity.open(context.store, env=context.settings.env, clock=context.clock)

    async def found(email: str) -> Account | None:
        return await db.holder(emails, Account.email == email)

    return found


class Members:
    def __init__(self, contacts: Contacts, account_of: AccountOf) -> None:
        self._contacts = contacts
        self._account_of = account_of

    async def by_mail(self, email: str) -> Contact:
        """Refuses an address that no account has; who has never been here gets a contact."""
        account = await self._account_of(email_of(email))
        if account is None:
            raise refusals.NoSuchMember(field="email")
        return await self._contacts.ensure(account.id, account.name, account.email or "")
