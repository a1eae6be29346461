"""The question of the day: planned at midnight, published at its minute, asked again after a month."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sekkei.clock import Clock
from sekkei.runtime.jobs import Jobs, Payload, Progress
from sekkei.runtime.live import Live
from sekkei_systems import days
from sekkei_systems.q.service.questions import Planning


@dataclass
class Questions:
    clock: Clock
    jobs: Jobs
    live: Live
    planning: Planning

    async def plan(self, payload: Payload) -> None:
        """Tomorrow's row; and today's, should it be missing."""
        today = days.today(self.clock)
        await self.planning.plan(today)
        await self.planning.plan(today + timedelta(days=1))

    async def publish(self, payload: Payload) -> datetime | None:
        published = await self.planning.publish_due()
        if isinstance(published, datetime):
            return published
        if published.by_us:
            self.live.publish("q/today", "published", {"day": published.question.day.isoformat()})
        return None

    async def begin_reuse(self, payload: Payload) -> None:
        await self.jobs.start("reuse", {}, id=f"reuse/{days.today(self.clock)}")

    async def reuse(self, payload: Payload, cursor: str | None) -> Progress:
        freed, following = await self.planning.reuse(cursor)
        return Progress(freed, following)
