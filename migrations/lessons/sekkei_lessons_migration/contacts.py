"""Who waits and could not be told: contacts out of the old system, and those for whom there are none."""

from __future__ import annotations

import contextlib
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.runtime import days
from sekkei_lessons_migration.configuration import OldTable
from sekkei_lessons_migration.mapping import Row
from sekkei_lessons_migration.old_rows import OldRows
from sekkei_lessons_migration.places import identity, place_of
from sekkei_lessons_migration.report import Report
from sekkei_lessons_migration.together import together
from sekkei_systems.lessons.design import (
    Contact,
    Status,
    UserLesson,
    contact,
    contacts,
    lesson,
)
from sekkei_systems.lessons.rules.notices import reaches
from sekkei_systems.lessons.rules.slots import Slot, slot_of

NAME_LENGTH_MAX = 50
_FIELDS = {"mail": "email", "line": "line_user_id", "push": "push_token", "webhook": "webhook_url"}


class OldContacts:
    """The contacts table of the old system, as the mapping names it. One pass over the entries, some at a time."""

    def __init__(self, db: Database, clock: Clock, old: OldTable) -> None:
        self._db = db
        self._clock = clock
        self._old = old
        self._seen: set[str] = set()
        """Of the old system: their contacts have been brought, or there are none."""
        self._silent: dict[str, str | None] = {}
        """Why somebody could not be told; None when they could."""
        self._listed: dict[Slot, bool] = {}

    async def bring(self, some: list[UserLesson], report: Report) -> None:
        """Contacts of those among them who wait and have none here. What somebody has set up here stays."""
        names = self._old.contacts
        if not names:
            return
        users = {self._old.user_of(tie.user_id) for tie in self._waiting(some)} - self._seen
        self._seen |= users
        known = await self._db.get_many(contact(self._old.account_of(user)) for user in sorted(users))
        missing = users - {self._old.user_of(one.user_id) for one in known if one is not None}
        rows = OldRows(self._db.store, names["table"], self._clock)
        there = await rows.get({names["user"]: user} for user in sorted(missing))
        found = [(user, there.get(identity({names["user"]: user}))) for user in sorted(missing)]
        await together(self._create(user, row, report) for user, row in found if row is not None)

    async def list_silent(self, some: list[UserLesson], report: Report) -> None:
        """Those among them who wait and could not be told, and those whose lesson is not in the timetable."""
        ties = self._waiting(some)
        await self._look_up(ties)
        for tie in ties:
            why = self._silent[tie.user_id]
            if why is not None:
                report.silent.add(place=str(place_of(tie)), why=why)
            if not self._listed[slot_of(tie)]:
                report.unlisted.add(place=str(place_of(tie)))

    async def _look_up(self, ties: list[UserLesson]) -> None:
        """People and lessons that were not met before: most wait for several lessons, and with others."""
        users = sorted({tie.user_id for tie in ties} - self._silent.keys())
        for user, person in zip(users, await self._db.get_many(map(contact, users)), strict=True):
            why = "no contact" if person is None else "not reachable"
            self._silent[user] = None if reaches(person, "opening") else why
        slots = sorted({slot_of(tie) for tie in ties} - self._listed.keys())
        refs = [lesson(slot.studio_code, slot.lesson_date, slot.start_time) for slot in slots]
        for slot, there in zip(slots, await self._db.get_many(refs), strict=True):
            self._listed[slot] = there is not None

    def _waiting(self, some: list[UserLesson]) -> list[UserLesson]:
        now = days.now(self._clock)
        return [tie for tie in some if tie.status is Status.ACTIVE and tie.starts_at > now]

    async def _create(self, user: str, row: Row, report: Report) -> None:
        made = contact_of(self._old.account_of(user), row, self._old)
        with contextlib.suppress(ConditionFailed):
            await self._db.write(contacts.create(made))
            report.contacts += 1


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
