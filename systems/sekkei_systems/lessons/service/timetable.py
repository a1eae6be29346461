"""The timetable itself: lessons come in, change and are called off. Who may ask for that is decided in `service`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from msgspec import UNSET

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, TransactionFailed, replace
from sekkei.runtime.refusals import Changed, Refusal
from sekkei_systems import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, lesson, lessons, timetable
from sekkei_systems.lessons.rules.places import CAPACITY_MAX
from sekkei_systems.lessons.rules.slots import FIRST_DAY, LAST_DAY, LENGTH_MAX, Slot, length_of, slot_of, span
from sekkei_systems.lessons.rules.timetable import READERS, LessonDraft, text_in

DAYS_MAX = 31
LESSON_KEPT = timedelta(days=90)


@dataclass
class Timetable:
    """What stands in it is what studios said last; what is booked stays booked."""

    db: Database
    clock: Clock

    async def between(self, studio_code: str, first: date, last: date) -> list[Lesson]:
        if last < first:
            return []
        if (last - first).days >= DAYS_MAX:
            last = first + timedelta(days=DAYS_MAX - 1)
        return await self.db.all(timetable(studio_code, first, last))

    async def find(self, slot: Slot) -> Lesson | None:
        return await self.db.get(lesson(slot.studio_code, slot.lesson_date, slot.start_time))

    async def get(self, slot: Slot) -> Lesson:
        found = await self.find(slot)
        if found is None:
            raise refusals.NoSuchLesson()
        return found

    async def upcoming(self, slot: Slot) -> Lesson:
        """One that has not begun."""
        found = await self.get(slot)
        if slot.starts_at <= self._now():
            raise refusals.LessonOver()
        return found

    def check(self, draft: LessonDraft, there: Lesson | None) -> Lesson:
        """The lesson as it would be; refuses what may not stand in the timetable where `there` stands now."""
        wanted = draft.fresh(self._now()) if there is None else draft.onto(there)
        check_lesson(wanted)
        if draft.slot.starts_at <= self._now():
            raise refusals.LessonOver()
        if there is None:
            return wanted
        if draft.lesson_id and there.lesson_id and draft.lesson_id != there.lesson_id:
            raise refusals.SlotTaken(name=there.lesson_name)
        if there.called_off and draft.is_open is True and draft.called_off is UNSET:
            raise refusals.CalledOff()
        return wanted

    async def add(self, draft: LessonDraft) -> Lesson:
        """A new lesson; a studio has one at a time."""
        wanted = self.check(draft, None)
        made = replace(wanted, booked=0, booked_here=0, ttl=draft.slot.starts_at + LESSON_KEPT)
        try:
            return await self.db.write(lessons.create(made), once=True)
        except ConditionFailed:
            there = await self.find(draft.slot)
            raise refusals.SlotTaken(name=there.lesson_name if there else "") from None

    async def change(self, draft: LessonDraft, *beside: Action[Any, Any]) -> Lesson:
        """What is said of the lesson in this slot; the rest stays. `beside` is written with it.

        Everybody was told when it was called off, so it stays so until somebody says that it takes place after all.
        """
        slot, wanted = draft.slot, self.check(draft, await self.get(draft.slot))
        update = lessons.update(slot.studio_code, slot.lesson_date, slot.start_time)
        update = update.set(Lesson.updated_at, self._now()).when(Lesson.studio_code.exists())
        if draft.brings_back:
            update = update.remove(Lesson.called_off_words)
        for name in draft.said.keys() | ({"is_open"} if draft.called_off is not UNSET else set()):
            update = update.set(getattr(Lesson, name), getattr(wanted, name))
        if draft.is_open is True and draft.called_off is UNSET:  # nor may it have been called off since it was read
            update = update.when(~Lesson.called_off.is_(True))
        try:
            if not beside:
                return await self.db.write(update)
            await self.db.transact(update, *beside)
        except (ConditionFailed, TransactionFailed):
            raise refusals.NoSuchLesson() if await self.find(slot) is None else refusals.CalledOff() from None
        return await self.get(slot)

    async def running(self, slot: Slot) -> Lesson:
        """One that has not ended: people come to the door late."""
        found = await self.get(slot)
        if span(found)[1] <= self._now():
            raise refusals.LessonOver()
        return found

    async def call_off(self, slot: Slot, words: str | None = None, *beside: Action[Any, Any]) -> Lesson:
        """It does not take place. Those concerned are told, and their bookings end, as a reaction to this."""
        found = await self.upcoming(slot)
        if found.moving_to is not None:
            raise Changed()
        return await self.change(LessonDraft(slot, called_off=True, called_off_words=words), *beside)

    def _now(self) -> datetime:
        return days.now(self.clock)


def check_lesson(wanted: Lesson) -> None:
    if wanted.capacity is not None and not 0 <= wanted.capacity <= CAPACITY_MAX:
        raise refusals.BadLesson(field="capacity")
    for name in READERS:
        if (text := getattr(wanted, name)) is not None:
            text_in(name, text)
    if not FIRST_DAY <= wanted.lesson_date <= LAST_DAY:
        raise refusals.BadLesson(field="lesson_date")
    if wanted.end_time is not None and length_of(wanted) > LENGTH_MAX:
        raise refusals.EndBeforeStart(field="end_time")


# Lessons that vanish from a studio's feed. A feed may be wrong for a while, so one that is missing is called off only
# when it has been missing for a grace period; a lesson that the feed never listed is the desk's own.


_GRACE = timedelta(hours=3)
_DAYS_AHEAD = timedelta(days=14)
"""How far a feed is asked for."""


@dataclass
class Listed:
    db: Database
    clock: Clock
    timetable: Timetable

    async def compare(self, studio_code: str, listed: Collection[Slot]) -> list[Slot]:
        """Note what a feed lists and what it has left out; returns what was called off."""
        today, now = days.today(self.clock), days.now(self.clock)
        ended = []
        for one in await self.db.all(timetable(studio_code, today, today + _DAYS_AHEAD).consistent()):
            if slot_of(one) in listed:
                await self._note(one, listed=True, missing_since=None)
            elif one.listed and not one.called_off and slot_of(one).starts_at > now:
                if one.missing_since is not None and one.missing_since <= now - _GRACE:
                    ended += await self._call_off(slot_of(one))
                else:
                    await self._note(one, listed=True, missing_since=one.missing_since or now)
        return ended

    async def _call_off(self, slot: Slot) -> list[Slot]:
        try:
            await self.timetable.call_off(slot)
        except Refusal:  # it is being moved, or has begun meanwhile: the next time says what is left of it
            return []
        return [slot]

    async def _note(self, lesson: Lesson, *, listed: bool, missing_since: datetime | None) -> None:
        if (lesson.listed, lesson.missing_since) == (listed, missing_since):
            return
        update = lessons.update(lesson.studio_code, lesson.lesson_date, lesson.start_time).set(Lesson.listed, listed)
        if missing_since is None:
            update = update.remove(Lesson.missing_since)
        else:
            update = update.set(Lesson.missing_since, missing_since)
        try:
            await self.db.write(update.when(Lesson.studio_code.exists()))
        except ConditionFailed:
            return


# Takes a timetable that was read from a file or feed into the store.


@dataclass(slots=True)
class Taken:
    """What became of a timetable."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    refused: list[str] = field(default_factory=list)


async def take_in(timetable: Timetable, found: Iterable[LessonDraft], *, dry: bool = False) -> Taken:
    """Put lessons into the timetable. May be repeated; what is booked stays booked, what is not said stays as it is."""
    taken = Taken()
    for draft in found:
        there = await timetable.find(draft.slot)
        if there is not None and draft.onto(there) == there:
            taken.unchanged += 1
            continue
        try:
            if dry:
                timetable.check(draft, there)
            elif there is None:
                await timetable.add(draft)
            else:
                await timetable.change(draft)
        except Refusal as refusal:
            taken.refused.append(f"{draft.slot}: {refusal.text('en')}")
            continue
        taken.added += there is None
        taken.changed += there is not None
    return taken
