"""Whom the desk means by a mail address: whose account has it."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.clock import Clock
from sekkei.runtime.settings import Settings
from sekkei.store import Store
from sekkei.web.identity.accounts import email_of
from sekkei.web.identity.design import Account, emails
from sekkei.web.identity.design import design as identity
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Contact
from sekkei_systems.lessons.service.contacts import Contacts


@dataclass
class Members:
    contacts: Contacts
    store: Store
    settings: Settings
    clock: Clock

    def __post_init__(self) -> None:
        self._accounts = identity.open(self.store, env=self.settings.env, clock=self.clock)

    async def by_mail(self, email: str) -> Contact:
        """Refuses an address that no account has; who has never been here gets a contact."""
        account = await self._accounts.holder(emails, Account.email == email_of(email))
        if account is None:
            raise refusals.NoSuchMember(field="email")
        return await self.contacts.ensure(account.id, account.name, account.email or "")
