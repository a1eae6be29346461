"""Own bookings of rows that an older version wrote, counted once: it kept one number for both sides.

Cut off anywhere, it goes on with the rows that are left. A row that has just changed is left for the next time, because
the index that bookings are counted by may be behind.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei_systems import days
from sekkei_systems.lessons.design import (
    Lesson,
    Status,
    TieKind,
    lessons,
    of_studio_on,
    timetable,
    user_lessons,
)
from sekkei_systems.lessons.rules.slots import LAST_DAY, slot_of

SETTLED_AFTER = timedelta(minutes=1)


class Counts:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self.is_done = False
        """Every row was counted when this process looked; new rows are counted from the start."""

    async def count_all(self, studio_codes: Iterable[str]) -> int:
        """All upcoming lessons of these studios; returns how many are left for the next time."""
        today, left = days.today(self._clock), 0
        for code in studio_codes:
            async for lesson in self._db.each(timetable(code, today, LAST_DAY)):
                if lesson.booked_here is None:
                    left += (await self.counted(lesson)).booked_here is None
        self.is_done = left == 0
        return left

    async def counted(self, lesson: Lesson) -> Lesson:
        """The lesson with its own bookings counted, if that can be done now."""
        if lesson.booked_here is not None or lesson.updated_at > days.now(self._clock) - SETTLED_AFTER:
            return lesson
        here = await self._bookings(lesson)
        update = lessons.update(lesson.studio_code, lesson.lesson_date, lesson.start_time)
        update = update.set(Lesson.booked_here, here).set(Lesson.booked, max(lesson.booked, here))
        same = (Lesson.booked == lesson.booked, Lesson.updated_at == lesson.updated_at)
        try:
            return await self._db.write(update.when(Lesson.booked_here.absent(), *same))
        except ConditionFailed:  # somebody booked meanwhile, or it was counted: the answer to a first try may be lost
            key = (lesson.studio_code, lesson.lesson_date, lesson.start_time)
            return await self._db.get(lessons(*key).consistent()) or lesson

    async def _bookings(self, lesson: Lesson) -> int:
        ties = await self._db.all(of_studio_on(lesson.studio_code, lesson.lesson_date))
        listed = [tie for tie in ties if slot_of(tie) == slot_of(lesson) and tie.kind is TieKind.BOOKING]
        fresh = await self._db.get_many(user_lessons.ref_of(tie).consistent() for tie in listed)
        return sum(tie is not None and tie.status is Status.ACTIVE for tie in fresh)
