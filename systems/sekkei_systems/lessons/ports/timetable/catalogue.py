"""Our own timetable as a provider."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sekkei.design import Database
from sekkei_systems.lessons.design import Lesson, timetable
from sekkei_systems.lessons.rules.drafts import LessonDraft, draft_of
from sekkei_systems.lessons.rules.places import Availability, availability_of


@dataclass
class Catalogue:
    """Our own timetable with its own counter."""

    db: Database

    async def list(self, studio_code: str, first: date, last: date) -> list[LessonDraft] | None:
        return [draft_of(lesson) for lesson in await self.db.all(timetable(studio_code, first, last))]

    async def availability(self, lesson: Lesson) -> Availability | None:
        return availability_of(lesson)
