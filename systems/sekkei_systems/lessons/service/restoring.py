"""A lesson that was called off by mistake takes place after all: what had ended with it goes on.

Bookings come back before anybody else may book. What a studio's own system sells is given back there already, so those
who had booked there are told to book again.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from sekkei.design import Action, Field, TransactionFailed, replace
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import Changed
from sekkei.runtime.schedules import Schedules
from sekkei_systems.lessons.design import (
    Lesson,
    Status,
    TieKind,
    UserLesson,
    contact,
    of_studio_on,
    restore_place,
    user_lessons,
)
from sekkei_systems.lessons.rules.drafts import LessonDraft
from sekkei_systems.lessons.rules.notices import Notices
from sekkei_systems.lessons.rules.quiet import quiet_pause
from sekkei_systems.lessons.rules.selling import Sellers
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.rules.ties import ttl_of
from sekkei_systems.lessons.service.entitlements import Entitled, Entitlements
from sekkei_systems.lessons.service.ties import Ties
from sekkei_systems.lessons.service.timetable import Timetable

LOOK_AGAIN = timedelta(minutes=1)
log = logging.getLogger("sekkei.lessons.restoring")


class Restoring:
    def __init__(
        self,
        ties: Ties,
        timetable: Timetable,
        sellers: Sellers,
        outbox: Outbox,
        notices: Notices,
        schedules: Schedules,
        entitlements: Entitlements,
    ) -> None:
        self._ties = ties
        self._timetable = timetable
        self._sellers = sellers
        self._outbox = outbox
        self._notices = notices
        self._schedules = schedules
        self._entitlements = entitlements

    async def bring_back(self, slot: Slot) -> int:
        """Returns how many ties go on."""
        found = await self._timetable.upcoming(slot)
        if not found.called_off:
            raise Changed()
        await self._timetable.change(LessonDraft(slot, called_off=False, is_open=False))
        at = self._ties.now() + LOOK_AGAIN
        await self._schedules.put(f"lessons/restore/{slot}", "restore", {"slot": str(slot)}, at=at)
        done = await self.restore(slot)
        await self._timetable.change(LessonDraft(slot, is_open=True))
        return done

    async def restore(self, slot: Slot) -> int:
        """May be repeated: what goes on no longer says that it ended with the lesson."""
        await self._sellers.fresh()
        current = await self._timetable.find(slot)
        if current is None or current.called_off or slot.starts_at <= self._ties.now():
            return 0
        ended = [tie for tie in await self._ended(slot) if self._may_go_on(tie, current)]
        return sum([await self._restore(tie, current) for tie in ended])

    def _may_go_on(self, tie: UserLesson, current: Lesson) -> bool:
        return tie.kind is not TieKind.BOOKING or self._sellers.holds(current)

    async def _ended(self, slot: Slot) -> list[UserLesson]:
        listed = await self._ties.db.all(of_studio_on(slot.studio_code, slot.lesson_date))
        refs = [user_lessons.ref_of(tie).consistent() for tie in listed if slot_of(tie) == slot]
        found = [tie for tie in await self._ties.db.get_many(refs) if tie is not None]
        return [tie for tie in found if tie.ended_with_lesson and tie.status is Status.CANCELLED]

    async def _restore(self, tie: UserLesson, current: Lesson) -> int:
        """Tickets that came back are taken again; where there are none any more, it was the studio's mistake."""
        entitled = Entitled(replace(tie, pass_id=None, ticket_taken=None, week_counted=None))
        if tie.kind is TieKind.BOOKING and not tie.guest_name:
            entitled = await self._entitlements.entitled(entitled.booking, by_desk=True)
        now = self._ties.now()
        actions = [self._going_on(entitled.booking, now), *entitled.actions, *await self._messages(tie, now)]
        if tie.kind is TieKind.BOOKING:
            actions.append(restore_place(current, now))
        try:
            await self._ties.db.transact(*actions)
        except TransactionFailed as failed:
            log.info("not restored", extra={"user": tie.user_id, "reason": str(failed)})
            return 0
        return 1

    def _going_on(self, tie: UserLesson, now: datetime) -> Action[Any, Any]:
        """`tie` has what it takes now."""
        update = self._ties.update(tie.user_id, slot_of(tie), tie.kind).set(UserLesson.status, Status.ACTIVE)
        update = update.set(UserLesson.updated_at, now).remove(UserLesson.ended_with_lesson).knowing(tie)
        taken: list[tuple[Field[UserLesson, Any], object]] = [
            (UserLesson.pass_id, tie.pass_id),
            (UserLesson.ticket_taken, tie.ticket_taken),
            (UserLesson.week_counted, tie.week_counted),
        ]
        for field, value in taken:
            update = update.remove(field) if value is None else update.set(field, value)
        ttl = ttl_of(tie.kind, tie.starts_at)
        update = update.remove(UserLesson.ttl) if ttl is None else update.set(UserLesson.ttl, ttl)
        return update.when(UserLesson.status == Status.CANCELLED, UserLesson.ended_with_lesson.is_(True))

    async def _messages(self, tie: UserLesson, now: datetime) -> list[Action[Any, Any]]:
        person = await self._ties.db.get(contact(tie.user_id))
        bodies = self._notices.brought_back(person, tie)
        reason = f"back/{slot_of(tie)}/{tie.user_id}/{tie.kind.value}/{tie.updated_at.timestamp():.3f}"
        pause = quiet_pause(person, now, tie.starts_at)
        return [
            self._outbox.message(kind, str(body["to"]), body, id=f"{reason}/{kind}", after=pause)
            for kind, body in bodies.items()
        ]
