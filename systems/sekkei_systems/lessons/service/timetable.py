"""The timetable itself: lessons come in, change and are called off. Who may ask for that is decided in `service`."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, Field, replace
from sekkei.runtime import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, lesson, lessons, timetable
from sekkei_systems.lessons.rules.places import CAPACITY_MAX, NAME_LENGTH_MAX
from sekkei_systems.lessons.rules.slots import FIRST_DAY, LAST_DAY, Slot, slot_of

DAYS_MAX = 31
LESSON_KEPT = timedelta(days=90)


class Timetable:
    """What stands in it is what studios said last; what is booked stays booked."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def between(self, studio_code: str, first: date, last: date) -> list[Lesson]:
        if last < first:
            return []
        if (last - first).days >= DAYS_MAX:
            last = first + timedelta(days=DAYS_MAX - 1)
        return await self._db.all(timetable(studio_code, first, last))

    async def find(self, slot: Slot) -> Lesson | None:
        return await self._db.get(lesson(slot.studio_code, slot.lesson_date, slot.start_time))

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

    def check(self, found: Lesson, there: Lesson | None, *, bring_back: bool = False) -> None:
        """Refuses what may not stand in the timetable where `there` stands now."""
        if found.capacity is not None and not 0 <= found.capacity <= CAPACITY_MAX:
            raise refusals.BadLesson(field="capacity")
        for field, text in (("lesson_name", found.lesson_name), ("instructor", found.instructor)):
            if not text.strip() or len(text) > NAME_LENGTH_MAX:
                raise refusals.BadLesson(field=field)
        if not FIRST_DAY <= found.lesson_date <= LAST_DAY:
            raise refusals.BadLesson(field="lesson_date")
        if slot_of(found).starts_at <= self._now():
            raise refusals.LessonOver()
        if there is not None and found.lesson_id and there.lesson_id and found.lesson_id != there.lesson_id:
            raise refusals.SlotTaken(name=there.lesson_name)
        if there is not None and there.called_off and found.is_open and not (found.called_off or bring_back):
            raise refusals.CalledOff()

    async def add(self, found: Lesson) -> Lesson:
        """A new lesson; a studio has one at a time."""
        self.check(found, None)
        is_open = found.is_open and not found.called_off
        made = replace(found, is_open=is_open, booked=0, booked_here=0, ttl=slot_of(found).starts_at + LESSON_KEPT)
        try:
            return await self._db.write(lessons.create(made))
        except ConditionFailed:
            there = await self.find(slot_of(found))
            if there == made:  # the answer to the first try was lost
                return made
            raise refusals.SlotTaken(name=there.lesson_name if there else "") from None

    async def change(self, found: Lesson, *, bring_back: bool = False) -> Lesson:
        """What the lesson in this slot is from now on.

        Everybody was told when it was called off, so it stays so until somebody wants to `bring_back` just that.
        """
        there = await self.get(slot_of(found))
        self.check(found, there, bring_back=bring_back)
        called_off = found.called_off or (there.called_off and not bring_back)
        update = (
            lessons.update(found.studio_code, found.lesson_date, found.start_time)
            .set(Lesson.lesson_name, found.lesson_name)
            .set(Lesson.instructor, found.instructor)
            .set(Lesson.is_open, found.is_open and not called_off)
            .set(Lesson.called_off, called_off)
            .set(Lesson.updated_at, self._now())
        )
        changes: list[tuple[Field[Lesson, Any], Any]] = [
            (Lesson.capacity, found.capacity),
            (Lesson.end_time, found.end_time),
            (Lesson.program, found.program or there.program),
            (Lesson.lesson_id, found.lesson_id or there.lesson_id),
        ]
        for attribute, value in changes:
            update = update.remove(attribute) if value is None else update.set(attribute, value)
        update = update.when(Lesson.studio_code.exists())
        if not (called_off or bring_back):  # nor may it have been called off since it was read
            update = update.when(~Lesson.called_off.is_(True))
        try:
            return await self._db.write(update)
        except ConditionFailed:
            raise refusals.NoSuchLesson() if await self.find(slot_of(found)) is None else refusals.CalledOff() from None

    async def save(self, found: Lesson) -> Lesson:
        """Add or change: what a studio's own feed or file says of a slot."""
        return await (self.add(found) if await self.find(slot_of(found)) is None else self.change(found))

    async def call_off(self, slot: Slot) -> Lesson:
        """It does not take place. Those concerned are told, and their bookings end, as a reaction to this."""
        return await self.change(replace(await self.upcoming(slot), called_off=True))

    def _now(self) -> datetime:
        return days.now(self._clock)
