"""Lessons that somebody likes, with a note."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.design import ConditionFailed
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Status, TieKind, UserLesson
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.ties import NOTE_LENGTH_MAX
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.ties import Ties
from sekkei_systems.lessons.service.timetable import Timetable


@dataclass
class Favorites:
    ties: Ties
    timetable: Timetable

    async def add(self, member: Member, slot: Slot, notes: str | None = None) -> UserLesson:
        """Not of a lesson that is called off: it would end with the next look at it."""
        lesson = await self.timetable.upcoming(slot)
        check_note(notes)
        if lesson.called_off:
            raise refusals.Closed()
        liked = self.ties.made(member.user_id, lesson, TieKind.FAVORITE, notes=notes or None)
        return await self.ties.register(liked, lesson)

    async def save(self, member: Member, slot: Slot, notes: str | None) -> UserLesson:
        """A favourite with this note, whether it was one before or not."""
        try:
            return await self.add(member, slot, notes)
        except refusals.AlreadyRegistered:
            return await self.change_note(member, slot, notes)

    async def change_note(self, member: Member, slot: Slot, notes: str | None) -> UserLesson:
        check_note(notes)
        update = self.ties.update(member.user_id, slot, TieKind.FAVORITE).set(UserLesson.updated_at, self.ties.now())
        update = update.set(UserLesson.notes, notes) if notes else update.remove(UserLesson.notes)
        try:
            return await self.ties.db.write(update.when(UserLesson.status == Status.ACTIVE))
        except ConditionFailed:
            raise refusals.NoSuchTie() from None

    async def remove(self, member: Member, slot: Slot) -> None:
        await self.ties.end(await self.ties.active(member.user_id, slot, TieKind.FAVORITE), Status.CANCELLED)


def check_note(notes: str | None) -> None:
    if notes is not None and len(notes) > NOTE_LENGTH_MAX:
        raise refusals.NoteTooLong(field="notes", limit=NOTE_LENGTH_MAX)
