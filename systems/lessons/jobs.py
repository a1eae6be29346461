"""What happens by the clock: the monitor's pass, reminders, and what becomes of ties when their lesson has begun."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta
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
from systems.lessons.providers import Feed
from systems.lessons.rules import parse_slot
from systems.lessons.service import Service
from systems.lessons.studios import Studio
from systems.lessons.timetable_files import Unreadable, read, take_in

RECURRING = {"monitor": "* * * * *", "expire": "*/5 * * * *", "remind": "*/10 * * * *", "refresh": "5 * * * *"}
DAYS_AHEAD = timedelta(days=14)

log = logging.getLogger("sekkei.lessons.jobs")


class LessonJobs:
    """The scheduled jobs of this system, by name."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        monitor: Monitor,
        alerts: Alerts,
        service: Service,
        studios: Sequence[Studio] = (),
        feed: Feed | None = None,
    ) -> None:
        self._db = db
        self._clock = clock
        self._monitor = monitor
        self._alerts = alerts
        self._service = service
        self._studios = studios
        self._feed = feed

    def scheduled(self) -> dict[str, ScheduledJob]:
        return {
            "monitor": self.monitor,
            "expire": self.expire,
            "remind": self.remind,
            "changed": self.changed,
            "refresh": self.refresh,
        }

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

    async def refresh(self, payload: Mapping[str, Any]) -> None:
        """The timetables of the studios' own feed, for the days that are shown."""
        if self._feed is None:
            return
        today = days.today(self._clock)
        for studio in self._studios:
            content = await self._feed.list(studio.code, today, today + DAYS_AHEAD)
            if content is None:
                continue
            try:
                found = read("feed.json", content, self._studios, days.now(self._clock))
            except Unreadable as error:
                log.warning("the feed cannot be read", extra={"studio": studio.code, "error": str(error)})
                continue
            # A feed speaks for the studio that it was asked about.
            own = [lesson for lesson in found.lessons if lesson.studio_code == studio.code]
            taken = await take_in(self._service, own)
            problems = [*found.problems, *taken.refused]
            if problems:
                log.warning("lessons of the feed were refused", extra={"studio": studio.code, "problems": problems[:5]})

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
