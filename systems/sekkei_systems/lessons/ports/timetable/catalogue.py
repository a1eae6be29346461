"""Our own timetable as a provider."""

from __future__ import annotations

from datetime import date

from sekkei.design import Database
from sekkei_systems.lessons.design import Lesson, timetable
from sekkei_systems.lessons.rules.drafts import LessonDraft, draft_of
from sekkei_systems.lessons.rules.places import Availability, availability_of


class Catalogue:
    """Our own timetable with its own counter."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def list(self, studio_code: str, first: date, last: date) -> list[LessonDraft] | None:
        return [draft_of(lesson) for lesson in await self._db.all(timetable(studio_code, first, last))]

    async def availability(self, lesson: Lesson) -> Availability | None:
        return availability_of(lesson)
