"""What happens by the clock: the monitor's pass, reminders, and what becomes of ties when their lesson has begun."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, TransactionFailed, replace
from sekkei.runtime.jobs import Job, Progress
from sekkei.runtime.schedules import Schedules
from sekkei.runtime.system import ScheduledJob
from sekkei_systems import days
from sekkei_systems.lessons.design import (
    Status,
    TieKind,
    UserLesson,
    active_before,
    change_status,
    complete_booking,
    lesson,
    timetable,
    user_lessons,
    watched_on,
)
from sekkei_systems.lessons.rules.drafts import LessonDraft
from sekkei_systems.lessons.rules.slots import LAST_DAY, Slot, parse_slot, slot_of
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.listings import take_in
from sekkei_systems.lessons.service.timetable import LESSON_KEPT

RECURRING = {
    "monitor": "* * * * *",
    "expire": "*/5 * * * *",
    "remind": "*/10 * * * *",
    "refresh": "5 * * * *",
    "count": "*/10 * * * *",
    "weekly": "20 * * * *",
}
DAYS_AHEAD = timedelta(days=14)
NEAR = timedelta(hours=2)
"""So close to the start a lesson is looked at more often than once a minute."""
NEAR_SECONDS = (20, 40)
LOOKED_AHEAD = timedelta(days=1)
"""For the next lesson that begins."""
ENDED_AT_ONCE = 25
ONCE = ("moves",)
"""What brings rows of an earlier version up to date."""
PAGE = 100

log = logging.getLogger("sekkei.lessons.jobs")


class LessonJobs:
    """The scheduled jobs of this system, by name."""

    def __init__(self, service: Service, db: Database, clock: Clock, schedules: Schedules) -> None:
        self._db = db
        self._clock = clock
        self._schedules = schedules
        self._service = service

    def definitions(self) -> dict[str, Job]:
        return {"moves": Job([("lessons", self.resume_moves)])}

    def scheduled(self) -> dict[str, ScheduledJob]:
        return {
            "monitor": self.monitor,
            "near": self.near,
            "expire": self.expire,
            "remind": self.remind,
            "changed": self.changed,
            "refresh": self.refresh,
            "count": self.count,
            "settle": self.settle,
            "move": self.move,
            "weekly": self.weekly,
            "restore": self.restore,
            "message": self.message,
            "searches": self.searches,
        }

    async def remind(self, payload: Mapping[str, Any]) -> datetime | None:
        before = await self._service.alerts.nobody_reminded_before()
        if before > days.now(self._clock):
            return before
        await self._service.alerts.remind()
        return None

    async def changed(self, payload: Mapping[str, Any]) -> None:
        await self._service.alerts.lesson_changed(parse_slot(str(payload["slot"])))

    async def searches(self, payload: Mapping[str, Any]) -> None:
        await self._service.searches.tell(str(payload["user"]))

    async def monitor(self, payload: Mapping[str, Any]) -> datetime | None:
        """All that is waited for; and, as cron knows minutes only, what begins soon again in between."""
        now = days.now(self._clock)
        if await self._is_something_near(now):
            for seconds in NEAR_SECONDS:
                at = now + timedelta(seconds=seconds)
                await self._schedules.put(f"lessons/near/{seconds}", "near", {}, at=at)
        return (await self._service.monitor.look_at_all()).nothing_before

    async def _is_something_near(self, now: datetime) -> bool:
        """Whether anybody waits for a lesson that begins soon, at the latest of the times in between."""
        last = now + NEAR + timedelta(seconds=max(NEAR_SECONDS))
        for day in sorted({days.day_of(now), days.day_of(last)}):
            if any(now < tie.starts_at <= last for tie in await self._db.all(watched_on(day))):
                return True
        return False

    async def near(self, payload: Mapping[str, Any]) -> None:
        await self._service.monitor.run(NEAR)

    async def expire(self, payload: Mapping[str, Any]) -> datetime | None:
        """Favourites and waitlists of lessons that have begun expire; bookings become history."""
        now = days.now(self._clock)
        first = await self._db.first(active_before(now + LOOKED_AHEAD))
        begins_at = now + LOOKED_AHEAD if first is None else first.starts_at
        if begins_at >= now:
            return begins_at
        listed: list[UserLesson] = []
        async for tie in self._db.each(active_before(now)):
            listed.append(tie)
            if len(listed) == ENDED_AT_ONCE:
                await self._end_all(listed, now)
                listed = []
        await self._end_all(listed, now)
        return None

    async def _end_all(self, listed: list[UserLesson], now: datetime) -> None:
        # The index may be behind: what is decided is decided on the items themselves.
        found = await self._db.get_many(user_lessons.ref_of(tie).consistent() for tie in listed)
        active = [tie for tie in found if tie is not None and tie.status is Status.ACTIVE and tie.starts_at < now]
        moved = await self._being_moved({slot_of(tie) for tie in active})
        await asyncio.gather(*(self._end(tie, now) for tie in active if slot_of(tie) not in moved))

    async def _being_moved(self, slots: set[Slot]) -> set[Slot]:
        """Lessons that take place at another time: a move that was cut off takes over whoever is still here."""
        refs = [lesson(slot.studio_code, slot.lesson_date, slot.start_time) for slot in sorted(slots)]
        return {slot_of(one) for one in await self._db.get_many(refs) if one is not None and one.moving_to is not None}

    async def _end(self, tie: UserLesson, now: datetime) -> None:
        try:
            if tie.kind is TieKind.BOOKING:
                # In one transaction with the booking's end, which is when its time to live begins.
                history = replace(
                    tie, kind=TieKind.HISTORY, status=Status.COMPLETED, created_at=now, updated_at=now, ttl=None
                )
                await self._db.transact(complete_booking(tie, history, now))
            else:
                await self._db.write(change_status(tie, Status.EXPIRED, now))
        except (ConditionFailed, TransactionFailed):
            return  # somebody changed it meanwhile; the next pass looks again

    async def settle(self, payload: Mapping[str, Any]) -> None:
        await self._service.reservations.settle(str(payload["reservation"]))

    async def move(self, payload: Mapping[str, Any]) -> None:
        await self._service.moves.settle(parse_slot(str(payload["slot"])))

    async def resume_moves(self, payload: Mapping[str, Any], cursor: str | None) -> Progress:
        """Until 0.2 a move could lead to a slot that was gone, and was given up. One page of one studio at a time."""
        codes = sorted(studio.code for studio in self._service.access.studios)
        code, _, after = (cursor or min(codes, default="")).partition(" ")
        if not code:
            return Progress(0)
        first = days.today(self._clock) - LESSON_KEPT
        page = await self._db.page(timetable(code, first, LAST_DAY), size=PAGE, after=after or None)
        moving = [slot_of(one) for one in page if one.moving_to is not None]
        for slot in moving:
            await self._service.moves.resume(slot)
        if page.cursor is not None:
            return Progress(len(moving), f"{code} {page.cursor}")
        return Progress(len(moving), min((one for one in codes if one > code), default=None))

    async def weekly(self, payload: Mapping[str, Any]) -> None:
        """The lessons of the next weeks, out of every studio's weekly schedule."""
        for studio in self._service.access.studios:
            await self._service.weekly.make(studio.code)

    async def restore(self, payload: Mapping[str, Any]) -> None:
        await self._service.restoring.settle(parse_slot(str(payload["slot"])))

    async def message(self, payload: Mapping[str, Any]) -> None:
        await self._service.class_messages.finish(parse_slot(str(payload["slot"])), str(payload["act"]))

    async def count(self, payload: Mapping[str, Any]) -> None:
        """Own bookings of lessons that an older version stored; nothing more once all are counted."""
        if not self._service.counts.is_done:
            await self._service.counts.count_all(studio.code for studio in self._service.access.studios)

    async def refresh(self, payload: Mapping[str, Any]) -> None:
        """The timetables of the studios' own feeds, for the days that are shown."""
        await self._service.sellers.fresh()
        for studio in self._service.access.studios:
            feed = self._service.provider.feed(studio.code)
            today = days.today(self._clock)
            found = await feed.list(studio.code, today, today + DAYS_AHEAD) if feed else None
            if found is not None:
                await self._take_in(studio.code, found)

    async def _take_in(self, studio_code: str, found: list[LessonDraft]) -> None:
        timetable, today = self._service.timetable, days.today(self._clock)
        there = await timetable.between(studio_code, today, today + DAYS_AHEAD)
        # Everybody was told that it is off: only the desk takes that back, no feed that has not heard of it yet.
        off = {slot_of(one) for one in there if one.called_off}
        coming = [one for one in found if one.slot not in off and one.slot.starts_at > days.now(self._clock)]
        taken = await take_in(timetable, coming)
        if taken.refused:
            log.warning("lessons of a feed were refused", extra={"studio": studio_code, "why": taken.refused[:5]})
        ended = await self._service.listed.compare(studio_code, {draft.slot for draft in found})
        if ended:
            log.warning("lessons that a feed no longer lists were called off", extra={"slots": list(map(str, ended))})
