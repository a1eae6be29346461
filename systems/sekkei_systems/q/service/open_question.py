"""The question that is open now."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei_systems import days
from sekkei_systems.q.design.models import DailyQuestion
from sekkei_systems.q.design.tables import daily_questions
from sekkei_systems.q.refusals import NoQuestion

LOOK_BACK_DAYS = 8
"""A question stays open until the next one is out, be it after days without a worker."""


@dataclass
class OpenQuestion:
    db: Database
    clock: Clock
    _latest: DailyQuestion | None = field(init=False, default=None)

    async def get(self) -> DailyQuestion:
        found = await self.find()
        if found is None:
            raise NoQuestion()
        return found

    async def find(self) -> DailyQuestion | None:
        """The latest one that was published; after midnight that may be yesterday's.

        What is published stays as it is, so it is remembered: once today's is out, nobody reads its row again, however
        many people answer in that minute.
        """
        today = days.today(self.clock)
        known = self._latest if self._latest is not None and self._latest.day <= today else None
        back = LOOK_BACK_DAYS if known is None else min(LOOK_BACK_DAYS, (today - known.day).days)
        refs = [daily_questions(today - timedelta(days=number)).consistent() for number in range(back)]
        later = (one for one in await self.db.get_many(refs) if one is not None and one.published_at is not None)
        self._latest = next(later, known)
        return self._latest
