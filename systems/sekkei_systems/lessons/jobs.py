"""What happens by the clock: the monitor's pass, reminders, and what becomes of ties when their lesson has begun."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, TransactionFailed, replace
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
    user_lessons,
    watched_on,
)
from sekkei_systems.lessons.rules.slots import Slot, parse_slot, slot_of
from sekkei_systems.lessons.rules.timetable import LessonDraft
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.timetable import take_in

RECURRING = {
    "monitor": "* * * * *",
    "expire": "*/5 * * * *",
    "remind": "*/10 * * * *",
    "refresh": "5 * * * *",
    "weekly": "20 * * * *",
}
_DAYS_AHEAD = timedelta(days=14)
_NEAR = timedelta(hours=2)
"""So close to the start a lesson is looked at more often than once a minute."""
_NEAR_SECONDS = (20, 40)
_LOOKED_AHEAD = timedelta(days=1)
"""For the next lesson that begins."""
_ENDED_AT_ONCE = 25

log = logging.getLogger("sekkei.lessons.jobs")


@dataclass
class LessonJobs:
    """The scheduled jobs of this system, by name."""

    service: Service
    db: Database
    clock: Clock
    schedules: Schedules

    def scheduled(self) -> dict[str, ScheduledJob]:
        return {
            "monitor": self.monitor,
            "near": self.near,
            "expire": self.expire,
            "remind": self.remind,
            "changed": self.changed,
            "refresh": self.refresh,
            "settle": self.settle,
            "move": self.move,
            "weekly": self.weekly,
            "restore": self.restore,
            "message": self.message,
            "searches": self.searches,
        }

    async def remind(self, payload: Mapping[str, Any]) -> datetime | None:
        before = await self.service.alerts.nobody_reminded_before()
        if before > days.now(self.clock):
            return before
        await self.service.alerts.remind()
        return None

    async def changed(self, payload: Mapping[str, Any]) -> None:
        await self.service.alerts.lesson_changed(parse_slot(str(payload["slot"])))

    async def searches(self, payload: Mapping[str, Any]) -> None:
        await self.service.searches.tell(str(payload["user"]))

    async def monitor(self, payload: Mapping[str, Any]) -> datetime | None:
        """All that is waited for; and, as cron knows minutes only, what begins soon again in between."""
        now = days.now(self.clock)
        if await self._is_something_near(now):
            for seconds in _NEAR_SECONDS:
                at = now + timedelta(seconds=seconds)
                await self.schedules.put(f"lessons/near/{seconds}", "near", {}, at=at)
        return (await self.service.monitor.look_at_all()).nothing_before

    async def _is_something_near(self, now: datetime) -> bool:
        """Whether anybody waits for a lesson that begins soon, at the latest of the times in between."""
        last = now + _NEAR + timedelta(seconds=max(_NEAR_SECONDS))
        for day in sorted({days.day_of(now), days.day_of(last)}):
            if any(now < tie.starts_at <= last for tie in await self.db.all(watched_on(day))):
                return True
        return False

    async def near(self, payload: Mapping[str, Any]) -> None:
        await self.service.monitor.run(_NEAR)

    async def expire(self, payload: Mapping[str, Any]) -> datetime | None:
        """Favourites and waitlists of lessons that have begun expire; bookings become history."""
        now = days.now(self.clock)
        first = await self.db.first(active_before(now + _LOOKED_AHEAD))
        begins_at = now + _LOOKED_AHEAD if first is None else first.starts_at
        if begins_at >= now:
            return begins_at
        listed: list[UserLesson] = []
        async for tie in self.db.each(active_before(now)):
            listed.append(tie)
            if len(listed) == _ENDED_AT_ONCE:
                await self._end_all(listed, now)
                listed = []
        await self._end_all(listed, now)
        return None

    async def _end_all(self, listed: list[UserLesson], now: datetime) -> None:
        # The index may be behind: what is decided is decided on the items themselves.
        found = await self.db.get_many(user_lessons.ref_of(tie).consistent() for tie in listed)
        active = [tie for tie in found if tie is not None and tie.status is Status.ACTIVE and tie.starts_at < now]
        moved = await self._being_moved({slot_of(tie) for tie in active})
        await asyncio.gather(*(self._end(tie, now) for tie in active if slot_of(tie) not in moved))

    async def _being_moved(self, slots: set[Slot]) -> set[Slot]:
        """Lessons that take place at another time: a move that was cut off takes over whoever is still here."""
        refs = [lesson(slot.studio_code, slot.lesson_date, slot.start_time) for slot in sorted(slots)]
        return {slot_of(one) for one in await self.db.get_many(refs) if one is not None and one.moving_to is not None}

    async def _end(self, tie: UserLesson, now: datetime) -> None:
        try:
            if tie.kind is TieKind.BOOKING:
                # In one transaction with the booking's end, which is when its time to live begins.
                history = replace(
                    tie, kind=TieKind.HISTORY, status=Status.COMPLETED, created_at=now, updated_at=now, ttl=None
                )
                await self.db.transact(complete_booking(tie, history, now))
            else:
                await self.db.write(change_status(tie, Status.EXPIRED, now))
        except (ConditionFailed, TransactionFailed):
            return  # somebody changed it meanwhile; the next pass looks again

    async def settle(self, payload: Mapping[str, Any]) -> None:
        await self.service.reservations.settle(str(payload["reservation"]))

    async def move(self, payload: Mapping[str, Any]) -> None:
        await self.service.moves.settle(parse_slot(str(payload["slot"])))

    async def weekly(self, payload: Mapping[str, Any]) -> None:
        """The lessons of the next weeks, out of every studio's weekly schedule."""
        for studio in self.service.access.studios:
            await self.service.weekly.make(studio.code)

    async def restore(self, payload: Mapping[str, Any]) -> None:
        await self.service.restoring.settle(parse_slot(str(payload["slot"])))

    async def message(self, payload: Mapping[str, Any]) -> None:
        await self.service.class_messages.finish(parse_slot(str(payload["slot"])), str(payload["act"]))

    async def refresh(self, payload: Mapping[str, Any]) -> None:
        """The timetables of the studios' own feeds, for the days that are shown."""
        await self.service.sellers.fresh()
        for studio in self.service.access.studios:
            feed = self.service.provider.feed(studio.code)
            today = days.today(self.clock)
            found = await feed.list(studio.code, today, today + _DAYS_AHEAD) if feed else None
            if found is not None:
                await self._take_in(studio.code, found)

    async def _take_in(self, studio_code: str, found: list[LessonDraft]) -> None:
        timetable, today = self.service.timetable, days.today(self.clock)
        there = await timetable.between(studio_code, today, today + _DAYS_AHEAD)
        # Everybody was told that it is off: only the desk takes that back, no feed that has not heard of it yet.
        off = {slot_of(one) for one in there if one.called_off}
        coming = [one for one in found if one.slot not in off and one.slot.starts_at > days.now(self.clock)]
        taken = await take_in(timetable, coming)
        if taken.refused:
            log.warning("lessons of a feed were refused", extra={"studio": studio_code, "why": taken.refused[:5]})
        ended = await self.service.listed.compare(studio_code, {draft.slot for draft in found})
        if ended:
            log.warning("lessons that a feed no longer lists were called off", extra={"slots": list(map(str, ended))})
