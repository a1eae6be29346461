"""The timetable itself: lessons come in, change and are called off. Who may ask for that is decided in `service`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from msgspec import UNSET

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, TransactionFailed, replace
from sekkei.runtime import days
from sekkei.runtime.refusals import Changed
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, lesson, lessons, timetable
from sekkei_systems.lessons.rules.drafts import READERS, LessonDraft, text_in
from sekkei_systems.lessons.rules.places import CAPACITY_MAX
from sekkei_systems.lessons.rules.slots import FIRST_DAY, LAST_DAY, LENGTH_MAX, Slot, length_of, span

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
