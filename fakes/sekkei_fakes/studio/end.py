"""The demo's studio with a booking system of its own, in this process: nothing is opened, and nobody else is asked.

It forgets when the program ends, except what was booked from
here, which it is told again: as little as a real one does it sell such a place twice.
"""

from __future__ import annotations

import asyncio
from datetime import date, timedelta

import orjson

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei_fakes.studio.demo import CODE, DAYS, NAME, demo_studio, offer_days
from sekkei_fakes.studio.system import Refused
from sekkei_systems import days
from sekkei_systems.lessons.design import Lesson, Status, TieKind, of_studio_between
from sekkei_systems.lessons.ports.booking import StudioRefused
from sekkei_systems.lessons.ports.timetable import availability_in
from sekkei_systems.lessons.rules.places import Availability
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.rules.studios import Studio
from sekkei_systems.lessons.rules.timetable import LessonDraft, read


class LocalStudio:
    """Its timetable (`Provider`) and its places (`BookingPort`)."""

    studio = Studio(CODE, NAME)

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db, self._clock = db, clock
        self.system = demo_studio(clock)
        self._knows = False
        self._learning = asyncio.Lock()

    async def list(self, studio_code: str, first: date, last: date) -> list[LessonDraft] | None:
        await self._learned()
        offer_days(self.system, days.today(self._clock))
        listed = {"lessons": self.system.timetable(studio_code, f"{first}", f"{last}")}
        return list(read("feed.json", orjson.dumps(listed), [self.studio]).lessons)

    async def availability(self, lesson: Lesson) -> Availability | None:
        await self._learned()
        try:
            return availability_in(self.system.availability(str(slot_of(lesson))))
        except Refused:
            return None

    async def reserve(self, key: str, slot: Slot) -> None:
        await self._learned()
        try:
            self.system.reserve(key, str(slot))
        except Refused as refused:
            raise StudioRefused(refused.code) from None

    async def confirm(self, key: str) -> None:
        await self._learned()
        try:
            self.system.confirm(key)
        except Refused as refused:
            raise StudioRefused(refused.code) from None

    async def release(self, key: str) -> None:
        await self._learned()
        self.system.release(key)

    async def _learned(self) -> None:
        """What was booked from here before this program began."""
        async with self._learning:
            if self._knows:
                return
            today = days.today(self._clock)
            async for tie in self._db.each(of_studio_between(CODE, today, today + timedelta(days=DAYS))):
                booked = tie.kind is TieKind.BOOKING and tie.status is Status.ACTIVE
                if booked and tie.reservation_id is not None:
                    self.system.remember(tie.reservation_id, str(slot_of(tie)))
            self._knows = True
