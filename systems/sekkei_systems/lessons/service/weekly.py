"""A studio's weekly schedule: templates, days without them, holidays, and the lessons that are made of it.

A day is made once (`madeUntil`): a lesson that was moved, changed or called off since is not made again. Cut off
anywhere, it goes on; what stands in a slot already is left alone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, Update, replace
from sekkei_systems import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    DeskVerb,
    Holiday,
    WeeklyLesson,
    holidays,
    holidays_between,
    weekly_lessons,
    weekly_of,
)
from sekkei_systems.lessons.rules.places import NAME_MAX
from sekkei_systems.lessons.rules.slots import FIRST_DAY, LAST_DAY, Slot
from sekkei_systems.lessons.rules.weekly import MADE_BY, WeeklyFields, days_gained, days_to_make, draft_on, takes_place
from sekkei_systems.lessons.service.access import Staff
from sekkei_systems.lessons.service.acts import Acts
from sekkei_systems.lessons.service.restoring import Restoring
from sekkei_systems.lessons.service.timetable import Timetable, check_lesson

_AHEAD = timedelta(days=28)
"""How far lessons are made; booking windows decide from when they can be booked."""


@dataclass
class Weekly:
    db: Database
    clock: Clock
    timetable: Timetable
    acts: Acts
    restoring: Restoring

    async def all(self, studio_code: str) -> list[WeeklyLesson]:
        return await self.db.all(weekly_of(studio_code).consistent())

    async def save(self, staff: Staff, wanted: WeeklyLesson) -> WeeklyLesson:
        """New, or in place of what was there; days that were made already stay as they are. Days that it gains among
        those are made first: cut off in between, they are gained again."""
        assert wanted.studio_code == staff.managing().studio.code
        there = await self.db.get(weekly_lessons.ref_of(wanted).consistent())
        if there is not None:
            wanted = replace(wanted, made_until=there.made_until, skipped=there.skipped)
        return await self._save(there, wanted)

    async def enter(self, staff: Staff, weekday: int, start: time, entered: WeeklyFields[Any]) -> WeeklyLesson:
        """Save what was entered; what was not stays as it is in the template that is there."""
        code, now = staff.managing().studio.code, days.now(self.clock)
        there = await self.db.get(weekly_lessons(code, weekday, start).consistent())
        if there is not None:
            return await self._save(there, replace(there, **entered.said, updated_at=now))
        made = WeeklyLesson(studio_code=code, weekday=weekday, start_time=start, **entered.said, updated_at=now)
        return await self._save(None, made)

    async def _save(self, there: WeeklyLesson | None, wanted: WeeklyLesson) -> WeeklyLesson:
        _check(wanted)
        if there is not None:
            await self._gain(there, wanted)
        await self.db.write(weekly_lessons.put(wanted))
        await self.make(wanted.studio_code)
        return wanted

    async def _gain(self, there: WeeklyLesson, wanted: WeeklyLesson) -> None:
        gained = days_gained(there, wanted, days.today(self.clock))
        closed = await self.holidays(wanted.studio_code, gained[0], gained[-1]) if gained else []
        for day in gained:
            if day not in {one.day for one in closed}:
                await self._make(wanted, day)

    async def remove(self, staff: Staff, weekday: int, start_time: time) -> None:
        """No more of them; those that were made stay."""
        key = staff.managing().studio.code, weekday, start_time
        if await self.db.get(weekly_lessons(*key).consistent()) is None:
            raise refusals.NoSuchWeekly()
        await self.db.write(weekly_lessons.delete(*key))  # without a condition, so that it bears being sent twice

    async def skip(self, staff: Staff, weekday: int, start_time: time, day: date) -> None:
        """Not on this day; one that was made is called off."""
        update = self._of(staff, weekday, start_time, day).add(WeeklyLesson.skipped, [day.isoformat()])
        await self._there(update)
        await self._call_off(Slot(staff.studio.code, day, start_time), None)

    async def hold(self, staff: Staff, weekday: int, start_time: time, day: date) -> None:
        """On this day after all: one that was called off for it comes back with everybody, else it is made."""
        update = self._of(staff, weekday, start_time, day).discard(WeeklyLesson.skipped, [day.isoformat()])
        weekly = await self._there(update)
        closed = {one.day for one in await self.holidays(weekly.studio_code, day, day)}
        await self._take_place(weekly, day, closed, words=None)

    def _of(self, staff: Staff, weekday: int, start_time: time, day: date) -> Update[WeeklyLesson]:
        update = weekly_lessons.update(staff.managing().studio.code, weekday, start_time)
        if day.weekday() != weekday or not days.today(self.clock) <= day <= LAST_DAY:
            raise refusals.BadDay(field="day")
        return update

    async def _there(self, update: Update[WeeklyLesson]) -> WeeklyLesson:
        try:
            return await self.db.write(update.when(WeeklyLesson.studio_code.exists()))
        except ConditionFailed:
            raise refusals.NoSuchWeekly() from None

    async def _take_place(self, weekly: WeeklyLesson, day: date, closed: Collection[date], words: str | None) -> None:
        """One of the days behind `made_until`. What was called off with these words comes back, unless the desk did."""
        if weekly.made_until is None or day > weekly.made_until or not takes_place(weekly, closed, day):
            return
        slot = Slot(weekly.studio_code, day, weekly.start_time)
        found = await self.timetable.find(slot)
        if found is None:
            await self._make(weekly, day)
        elif found.called_off and (found.made_by, found.called_off_words) == (MADE_BY, words):
            acts = await self.acts.of(slot)
            if not any(act.verb is DeskVerb.CALLED_OFF and act.undone_at is None for act in acts):
                with contextlib.suppress(refusals.LessonOver):
                    await self.restoring.bring_back(slot)

    async def holidays(self, studio_code: str, first: date, last: date) -> list[Holiday]:
        return await self.db.all(holidays_between(studio_code, first, last).consistent())

    async def close(self, staff: Staff, day: date, name: str) -> None:
        """A holiday; weekly lessons of that day that were made are called off, with its name."""
        if not 1 <= len(name.strip()) <= NAME_MAX:
            raise refusals.BadWords(field="name", limit=NAME_MAX)
        if not days.today(self.clock) <= day <= LAST_DAY:
            raise refusals.BadDay(field="day")
        code = staff.managing().studio.code
        await self.db.write(holidays.put(Holiday(studio_code=code, day=day, name=name.strip())))
        for weekly in await self.all(code):
            if day.weekday() == weekly.weekday:
                await self._call_off(Slot(code, day, weekly.start_time), name.strip())

    async def open(self, staff: Staff, day: date) -> None:
        """No holiday after all: what it called off comes back with everybody, what was not made is made now."""
        code = staff.managing().studio.code
        there = await self.db.get(holidays(code, day).consistent())
        for weekly in await self.all(code) if there is not None and day >= days.today(self.clock) else ():
            await self._take_place(weekly, day, (), words=there.name if there else None)
        await self.db.write(holidays.delete(code, day))  # last: cut off before, it can be asked for again

    async def make(self, studio_code: str) -> int:
        """The lessons of the next weeks; returns how many are new."""
        today = days.today(self.clock)
        last, made = today + _AHEAD, 0
        every = await self.all(studio_code)
        closed = {one.day for one in await self.holidays(studio_code, today, last)} if every else set()
        for weekly in every:
            if weekly.made_until is None or weekly.made_until < last:
                for day in days_to_make(weekly, closed, today, last):
                    made += await self._make(weekly, day)
                await self._made(weekly, last)
        return made

    async def _make(self, weekly: WeeklyLesson, day: date) -> int:
        with contextlib.suppress(refusals.SlotTaken, refusals.LessonOver):
            await self.timetable.add(draft_on(weekly, day))
            return 1
        return 0

    async def _made(self, weekly: WeeklyLesson, last: date) -> None:
        update = weekly_lessons.update(weekly.studio_code, weekly.weekday, weekly.start_time)
        update = update.set(WeeklyLesson.made_until, last)
        with contextlib.suppress(ConditionFailed):  # changed meanwhile: whoever did makes it
            await self.db.write(update.when(WeeklyLesson.updated_at == weekly.updated_at))

    async def _call_off(self, slot: Slot, words: str | None) -> None:
        found = await self.timetable.find(slot)
        if found is not None and found.made_by == MADE_BY and not found.called_off:
            with contextlib.suppress(refusals.LessonOver):
                await self.timetable.call_off(slot, words)


def _check(wanted: WeeklyLesson) -> None:
    check_lesson(draft_on(wanted, FIRST_DAY).fresh(wanted.updated_at))
    if not 0 <= wanted.weekday <= 6:
        raise refusals.BadLesson(field="weekday")
    if wanted.last_day is not None and wanted.last_day < wanted.first_day:
        raise refusals.BadDay(field="last_day")
