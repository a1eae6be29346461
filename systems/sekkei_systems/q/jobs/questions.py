"""The question of the day: planned at midnight, published at its minute, asked again after a month."""

from __future__ import annotations

from datetime import datetime, timedelta

from sekkei.runtime.jobs import Payload, Progress
from sekkei.runtime.system import Context
from sekkei_systems import days
from sekkei_systems.q.service import Service


class Questions:
    def __init__(self, context: Context, service: Service) -> None:
        self._context = context
        self._db = context.db
        self._clock = context.clock
        self._service = service

    async def plan(self, payload: Payload) -> None:
        """Tomorrow's row; and today's, should it be missing."""
        today = days.today(self._clock)
        await self._service.planning.plan(today)
        await self._service.planning.plan(today + timedelta(days=1))

    async def publish(self, payload: Payload) -> datetime | None:
        published = await self._service.planning.publish_due()
        if isinstance(published, datetime):
            return published
        if published.by_us:
            self._context.live.publish("q/today", "published", {"day": published.question.day.isoformat()})
        return None

    async def begin_reuse(self, payload: Payload) -> None:
        await self._context.jobs.start("reuse", {}, id=f"reuse/{days.today(self._clock)}")

    async def reuse(self, payload: Payload, cursor: str | None) -> Progress:
        freed, following = await self._service.planning.reuse(cursor)
        return Progress(freed, following)
