"""Whom the desk means by a mail address. A pointer says whose it was last; their contact decides."""

from __future__ import annotations

import contextlib

from sekkei.design import ConditionFailed, Database
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Contact, MailHolder, contact, contacts, mail_holders


class Members:
    def __init__(self, db: Database) -> None:
        self._db = db
        self.is_done = False
        """Every contact was noted when this process looked; new ones are noted when they are written."""

    async def note(self, person: Contact) -> None:
        if person.email:
            await self._db.write(mail_holders.put(MailHolder(email=person.email, user_id=person.user_id)))

    async def by_mail(self, email: str) -> Contact:
        """Refuses an address that belongs to nobody who has been here."""
        pointer = await self._db.get(mail_holders(email.strip().lower()).consistent())
        found = await self._db.get(contact(pointer.user_id)) if pointer is not None else None
        if found is None or (found.email or "").lower() != email.strip().lower():
            raise refusals.NoSuchMember(field="email")
        return found

    async def note_all(self) -> None:
        """Contacts that an older version wrote; cut off anywhere, it is begun anew."""
        async for person in self._db.each(contacts.scan().consistent()):
            if person.email:
                pointer = MailHolder(email=person.email, user_id=person.user_id)
                with contextlib.suppress(ConditionFailed):
                    await self._db.write(mail_holders.create(pointer))
        self.is_done = True
