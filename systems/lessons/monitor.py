"""The monitor: sees when a full lesson gets a free place, and tells those who wait for it, once per opening.

An opening is numbered: the lesson's `episode` goes up when it turns from full to available, by a conditional write, so
that of several monitors one counts it. Who has been told of which opening stands in each waitlist entry, written in the
transaction that puts the notice into the outbox: a monitor that dies in between has told nobody and marked nobody.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, TransactionFailed, Update
from sekkei.runtime import days
from sekkei.runtime.outbox import Outbox
from systems.lessons.design import (
    Contact,
    Lesson,
    Status,
    UserLesson,
    contact,
    lesson,
    lessons,
    queue_of,
    user_lesson,
    user_lessons,
    watched_on,
)
from systems.lessons.providers import Availability, Provider
from systems.lessons.rules import Fairness, Policy, Slot, quiet_pause, slot_of, to_tell

HORIZON = timedelta(days=14)
TOLD_AT_ONCE = 25

log = logging.getLogger("sekkei.lessons.monitor")

Notice = Callable[[Contact | None, UserLesson, Lesson], Mapping[str, Mapping[str, Any]]]
"""The notice by message kind (mail, line, push, webhook), for the channels a user wants."""


class Monitor:
    """One pass looks at every lesson that somebody waits for within the horizon."""

    def __init__(
        self, db: Database, clock: Clock, outbox: Outbox, provider: Provider, policy: Policy, notice: Notice
    ) -> None:
        self._db = db
        self._clock = clock
        self._outbox = outbox
        self._provider = provider
        self._policy = policy
        self._notice = notice

    async def run(self, horizon: timedelta = HORIZON) -> int:
        """Returns how many notices were written. Reads grow with those who wait, not with all ties."""
        now = days.now(self._clock)
        told = 0
        day = days.day_of(now)
        while day <= days.day_of(now + horizon):
            waiting = await self._db.all(watched_on(day))
            for slot, ties in groupby(waiting, key=slot_of):
                if slot.starts_at > now:
                    told += await self._look_at(slot, list(ties), now)
            day += timedelta(days=1)
        return told

    async def look_at(self, slot: Slot) -> int:
        """One lesson now: a place was given back, or its studio says that something changed."""
        now = days.now(self._clock)
        if slot.starts_at <= now:
            return 0
        queue = await self._db.all(queue_of(slot.studio_code, slot.lesson_date, slot.start_time))
        return await self._look_at(slot, queue, now) if queue else 0

    async def pushed(self, slot: Slot, found: Availability) -> int:
        """A studio says how many places are free, without being asked."""
        now = days.now(self._clock)
        queue = await self._db.all(queue_of(slot.studio_code, slot.lesson_date, slot.start_time))
        return await self._act_on(slot, queue, found, now) if slot.starts_at > now else 0

    async def _look_at(self, slot: Slot, queue: list[UserLesson], now: datetime) -> int:
        found = await self._provider.availability(slot)
        if found is None:
            return 0
        return await self._act_on(slot, queue, found, now)

    async def _act_on(self, slot: Slot, queue: list[UserLesson], found: Availability, now: datetime) -> int:
        current = await self._counted(slot, found, now)
        if current is None:
            return 0
        if not found.has_room:
            await self._arm_again(queue, current)
            return 0
        if slot.starts_at - now < self._policy.stop_before:
            return 0
        mode = self._policy.mode(slot.starts_at, now)
        if mode is Fairness.FIRST_IN_LINE:
            queue = await self._as_they_are(queue)
        chosen = to_tell(queue, current.episode, found.available, mode, now)
        told = 0
        for start in range(0, len(chosen), TOLD_AT_ONCE):
            some = chosen[start : start + TOLD_AT_ONCE]
            told += sum(await asyncio.gather(*(self._tell(tie, current, mode, now) for tie in some)))
        return told

    async def _as_they_are(self, queue: list[UserLesson]) -> list[UserLesson]:
        """The index may be behind, and who holds an offer decides who is next."""
        refs = [user_lesson(tie.user_id, tie.studio_code, tie.lesson_date, tie.start_time, tie.kind) for tie in queue]
        return [tie for tie in await self._db.get_many(refs) if tie is not None and tie.status is Status.ACTIVE]

    async def _counted(self, slot: Slot, found: Availability, now: datetime) -> Lesson | None:
        """The lesson with the opening counted, by whoever sees it first."""
        ref = lesson(slot.studio_code, slot.lesson_date, slot.start_time)
        current = await self._db.get(ref)
        if current is None or current.was_available == found.has_room:
            return current
        update = lessons.update(slot.studio_code, slot.lesson_date, slot.start_time)
        update = update.set(Lesson.was_available, found.has_room).set(Lesson.updated_at, now)
        if found.has_room:
            update = update.add(Lesson.episode, 1)
        try:
            return await self._db.write(update.when(Lesson.was_available.is_(current.was_available)))
        except ConditionFailed:
            return await self._db.get(ref)

    async def _arm_again(self, queue: list[UserLesson], current: Lesson) -> None:
        """Full again: whoever was told and did not book is told of the next opening."""
        for tie in queue:
            if tie.notification_sent:
                update = self._update(tie).set(UserLesson.notification_sent, False).remove(UserLesson.offer_until)
                try:
                    await self._db.write(update.when(UserLesson.status == Status.ACTIVE))
                except ConditionFailed:
                    continue

    async def _tell(self, tie: UserLesson, current: Lesson, mode: Fairness, now: datetime) -> int:
        """Mark one entry as told and write its notices, in one transaction. 0 when another monitor was quicker."""
        # The index may be behind: what is decided is decided on the item itself.
        fresh = await self._db.get(user_lesson(tie.user_id, tie.studio_code, tie.lesson_date, tie.start_time, tie.kind))
        if fresh is None or fresh.status is not Status.ACTIVE:
            return 0
        if fresh.notification_sent and fresh.notify_episode >= current.episode:
            return 0
        claim = (
            self._update(fresh)
            .set(UserLesson.notification_sent, True)
            .set(UserLesson.notified_at, now)
            .set(UserLesson.notify_episode, current.episode)
            .add(UserLesson.notify_count, 1)
            .when(UserLesson.status == Status.ACTIVE, UserLesson.notify_count == fresh.notify_count)
        )
        if mode is Fairness.FIRST_IN_LINE:
            claim = claim.set(UserLesson.offer_until, now + self._policy.hold)
        person = await self._db.get(contact(tie.user_id))
        messages = [
            self._outbox.message(
                kind, str(body.get("to", tie.user_id)), body, id=f"{_reason(fresh, current)}/{kind}", after=pause
            )
            for kind, body in self._notice(person, fresh, current).items()
            for pause in [quiet_pause(person, now, fresh.starts_at)]
        ]
        try:
            await self._db.transact(claim, *messages)
        except TransactionFailed as failed:
            log.info("another monitor was quicker", extra={"user": tie.user_id, "reason": str(failed)})
            return 0
        return 1

    def _update(self, tie: UserLesson) -> Update[UserLesson]:
        return user_lessons.update(tie.user_id, tie.studio_code, tie.lesson_date, tie.start_time, tie.kind)


def _reason(tie: UserLesson, current: Lesson) -> str:
    return f"opening/{slot_of(tie)}/{tie.user_id}/{current.episode}/{tie.notify_count}"
