"""Finding people by addresses that one knows, where both want it.

Whoever wants to be found is in a table under a keyed hash of their address: a copy of the table tells nobody's. Whoever
asks must want to be found too, sends hashes instead of addresses, and so few a day that nothing can be tried out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, TransactionFailed
from sekkei.runtime.settings import Settings
from sekkei_systems import days
from sekkei_systems.q.design.models import User
from sekkei_systems.q.design.models_growth import Contact
from sekkei_systems.q.design.tables import users
from sekkei_systems.q.design.tables_growth import contacts
from sekkei_systems.q.refusals import FindableNeeded, TooManyContacts
from sekkei_systems.q.service.access import Member
from sekkei_systems.q.service.graph import Card, Graph

AT_ONCE = 50
A_DAY = 200


def hashed(address: str) -> str:
    """As a client hashes an address before it asks."""
    return hashlib.sha256(address.strip().lower().encode()).hexdigest()


@dataclass
class Contacts:
    db: Database
    clock: Clock
    graph: Graph
    settings: Settings

    def __post_init__(self) -> None:
        self.signer = self.settings.secrets.signer("q-contacts")

    def keys(self, email: str) -> list[str]:
        """The keys under which an address is found, the current one first."""
        return self.signer.marks(hashed(email))

    async def be_findable(self, member: Member, findable: bool) -> None:
        """Both in one transaction: what the settings show is what is so."""
        keys = self.keys(member.user.email)
        rows: list[Action[Any, Any]] = [contacts.delete(key) for key in keys]
        if findable:
            rows[0] = contacts.put(Contact(address=keys[0], user_id=member.id))
        update = users.update(member.id).set(User.findable, findable).set(User.updated_at, days.now(self.clock))
        await self.db.transact(update, *rows)

    async def find(self, member: Member, hashes: Sequence[str]) -> list[Card]:
        """Those of them who want to be found, as far as sight shows them."""
        if not member.user.findable:
            raise FindableNeeded()
        wanted = list(dict.fromkeys(hashes))[:AT_ONCE]
        await self._spend(member, len(wanted))
        keys = [key for one in wanted for key in self.signer.marks(one)]
        rows = await self.db.get_many(contacts(key).consistent() for key in keys)
        ids = [one.user_id for one in rows if one is not None and one.user_id != member.id]
        return list(await self.graph.cards(member.id, ids))

    async def _spend(self, member: Member, count: int) -> None:
        """So many a day, counted where it cannot be forgotten."""
        today = days.today(self.clock)
        spent = users.update(member.id).add(User.contacts_asked, count).keeping_version()
        spent = spent.when(User.contacts_day == today, User.contacts_asked <= A_DAY - count)
        first = users.update(member.id).set(User.contacts_day, today).set(User.contacts_asked, count).keeping_version()
        for attempt in (spent, first.when((User.contacts_day < today) | User.contacts_day.absent())):
            try:
                await self.db.transact(attempt)
                return
            except TransactionFailed:
                continue
        raise TooManyContacts()
