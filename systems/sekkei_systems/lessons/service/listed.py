"""Lessons that vanish from a studio's feed. A feed may be wrong for a while, so one that is missing is called off only
when it has been missing for a grace period; a lesson that the feed never listed is the desk's own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.runtime.refusals import Refusal
from sekkei_systems import days
from sekkei_systems.lessons.design import Lesson, lessons, timetable
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.service.timetable import Timetable

GRACE = timedelta(hours=3)
DAYS_AHEAD = timedelta(days=14)
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
        for lesson in await self.db.all(timetable(studio_code, today, today + DAYS_AHEAD).consistent()):
            if slot_of(lesson) in listed:
                await self._note(lesson, listed=True, missing_since=None)
            elif lesson.listed and not lesson.called_off and slot_of(lesson).starts_at > now:
                if lesson.missing_since is not None and lesson.missing_since <= now - GRACE:
                    ended += await self._call_off(slot_of(lesson))
                else:
                    await self._note(lesson, listed=True, missing_since=lesson.missing_since or now)
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
