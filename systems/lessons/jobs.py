"""What happens by the clock: the monitor's pass, reminders, and what becomes of ties when their lesson has begun."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, TransactionFailed, replace
from sekkei.runtime import days
from sekkei.runtime.system import ScheduledJob
from systems.lessons.alerts import Alerts
from systems.lessons.design import (
    Kind,
    Status,
    UserLesson,
    active_before,
    change_status,
    complete_booking,
    user_lesson,
)
from systems.lessons.monitor import Monitor
from systems.lessons.rules import parse_slot

RECURRING = {"monitor": "* * * * *", "expire": "*/5 * * * *", "remind": "*/10 * * * *"}


class LessonJobs:
    """The scheduled jobs of this system, by name."""

    def __init__(self, db: Database, clock: Clock, monitor: Monitor, alerts: Alerts) -> None:
        self._db = db
        self._clock = clock
        self._monitor = monitor
        self._alerts = alerts

    def scheduled(self) -> dict[str, ScheduledJob]:
        return {"monitor": self.monitor, "expire": self.expire, "remind": self.remind, "changed": self.changed}

    async def remind(self, payload: Mapping[str, Any]) -> None:
        await self._alerts.remind()

    async def changed(self, payload: Mapping[str, Any]) -> None:
        await self._alerts.lesson_changed(parse_slot(str(payload["slot"])))

    async def monitor(self, payload: Mapping[str, Any]) -> None:
        await self._monitor.run()

    async def expire(self, payload: Mapping[str, Any]) -> None:
        """Favourites and waitlists of lessons that have begun expire; bookings become history."""
        now = days.now(self._clock)
        async for tie in self._db.each(active_before(now)):
            # The index may be behind: what is decided is decided on the item itself.
            fresh = await self._db.get(
                user_lesson(tie.user_id, tie.studio_code, tie.lesson_date, tie.start_time, tie.kind)
            )
            if fresh is not None and fresh.status is Status.ACTIVE and fresh.starts_at < now:
                await self._end(fresh)

    async def _end(self, tie: UserLesson) -> None:
        now = days.now(self._clock)
        try:
            if tie.kind is Kind.BOOKING:
                history = replace(
                    tie, kind=Kind.HISTORY, status=Status.COMPLETED, created_at=now, updated_at=now, ttl=None
                )
                await self._db.transact(complete_booking(tie, history, now))
            else:
                await self._db.write(change_status(tie, Status.EXPIRED, now))
        except (ConditionFailed, TransactionFailed):
            return  # somebody changed it meanwhile; the next pass looks again
