"""Who waits and could not be told: contacts out of the old system, and those for whom there are none."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.runtime import days
from sekkei_systems.lessons.design import (
    Contact,
    Status,
    TieKind,
    UserLesson,
    contact,
    contacts,
    lesson,
    of_kind_between,
)
from sekkei_systems.lessons.rules.notices import reaches
from sekkei_systems.lessons.rules.slots import LAST_DAY
from sekkei_systems.lessons_migration.comparing import entries
from sekkei_systems.lessons_migration.configuration import OldTable
from sekkei_systems.lessons_migration.mapping import Row
from sekkei_systems.lessons_migration.old_rows import OldRows
from sekkei_systems.lessons_migration.places import identity, place_of, source_of
from sekkei_systems.lessons_migration.report import Report

AT_ONCE = 100
NAME_LENGTH_MAX = 50
_FIELDS = {"mail": "email", "line": "line_user_id", "push": "push_token", "webhook": "webhook_url"}


class OldContacts:
    """The contacts table of the old system, as the mapping names it."""

    def __init__(self, db: Database, clock: Clock, old: OldTable) -> None:
        self._db = db
        self._clock = clock
        self._old = old

    async def bring(self, report: Report) -> None:
        """Contacts of those who wait and have none here. What somebody has set up here stays."""
        names = self._old.contacts
        if not names:
            return
        rows = OldRows(self._db.store, names["table"], self._clock)
        async for found in entries(self._db, moved_from=self._old.table):
            ties = [tie for tie in found if tie.status is Status.ACTIVE and tie.starts_at > days.now(self._clock)]
            users = {self._old.user_of(tie.user_id) for tie in ties}
            known = await self._db.get_many(contact(self._old.account_of(user)) for user in sorted(users))
            missing = users - {self._old.user_of(one.user_id) for one in known if one is not None}
            there = await rows.get({names["user"]: user} for user in sorted(missing))
            for user in sorted(missing):
                row = there.get(identity({names["user"]: user}))
                if row is not None and await self._create(user, row):
                    report.contacts += 1

    async def list_silent(self, report: Report) -> None:
        """Those of the old table who wait and could not be told, and those whose lesson is not in the timetable."""
        async for ties in self._waiting():
            people = await self._db.get_many(contact(tie.user_id) for tie in ties)
            refs = [lesson(tie.studio_code, tie.lesson_date, tie.start_time) for tie in ties]
            for tie, person, there in zip(ties, people, await self._db.get_many(refs), strict=True):
                if not reaches(person, "opening"):
                    report.silent.add(place=str(place_of(tie)), why="no contact" if person is None else "not reachable")
                if there is None:
                    report.unlisted.add(place=str(place_of(tie)))

    async def _waiting(self) -> AsyncIterator[list[UserLesson]]:
        """Entries of the old table that still wait, some at a time."""
        now, some = days.now(self._clock), []
        async for tie in self._db.each(of_kind_between(TieKind.WAITLIST, days.day_of(now), LAST_DAY)):
            waits = tie.status is Status.ACTIVE and tie.starts_at > now
            if waits and source_of(tie, self._old.table) is not None:
                some.append(tie)
            if len(some) == AT_ONCE:
                yield some
                some = []
        if some:
            yield some

    async def _create(self, user: str, row: Row) -> bool:
        made = contact_of(self._old.account_of(user), row, self._old)
        try:
            await self._db.write(contacts.create(made))
        except ConditionFailed:
            return False
        return True


def contact_of(account: str, row: Row, old: OldTable) -> Contact:
    """All addresses that the old system had; it had proven them, or nobody had."""
    names = old.contacts

    def text(name: str) -> str | None:
        value = row.get(names[name]) if name in names else None
        return value.strip() or None if isinstance(value, str) else None

    addresses: dict[str, Any] = {field: text(channel) for channel, field in _FIELDS.items()}
    channels = frozenset(channel for channel, field in _FIELDS.items() if addresses[field])
    name = (text("name") or account)[:NAME_LENGTH_MAX]
    language = "en" if text("language") == "en" else "ja"
    return Contact(user_id=account, name=name, channels=channels, language=language, **addresses)
