"""A lesson that was called off by mistake takes place after all: what had ended with it goes on.

Bookings come back before anybody else may book. What a studio's own system sells is given back there already, so those
who had booked there are told to book again.
"""

from __future__ import annotations

import contextlib
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sekkei.design import Action, ConditionFailed, Field, TransactionFailed, replace
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import Changed
from sekkei.runtime.schedules import Schedules
from sekkei_systems.lessons.design import (
    Lesson,
    Status,
    TieKind,
    UserLesson,
    change_status,
    contact,
    lessons,
    of_studio_on,
    restore_place,
    user_lessons,
)
from sekkei_systems.lessons.rules.notices import Notices, quiet_pause
from sekkei_systems.lessons.rules.slots import Slot, slot_of, ttl_of
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.service.moves import is_arriving
from sekkei_systems.lessons.service.passes import Entitled, Entitlements
from sekkei_systems.lessons.service.ties import Ties
from sekkei_systems.lessons.service.timetable import Timetable

_LOOK_AGAIN = timedelta(minutes=1)
_EITHER = {TieKind.BOOKING: TieKind.WAITLIST, TieKind.WAITLIST: TieKind.BOOKING}
log = logging.getLogger("sekkei.lessons.restoring")


@dataclass
class Restoring:
    ties: Ties
    timetable: Timetable
    sellers: Sellers
    outbox: Outbox
    notices: Notices
    schedules: Schedules
    entitlements: Entitlements

    async def bring_back(self, slot: Slot, *beside: Action[Any, Any]) -> int:
        """Returns how many ties go on. `beside` is written with it, or nothing is."""
        await self.timetable.upcoming(slot)
        at = self.ties.now() + _LOOK_AGAIN
        await self.schedules.put(f"lessons/restore/{slot}", "restore", {"slot": str(slot)}, at=at)
        try:
            await self.ties.db.transact(self._takes_place(slot), *beside)
        except TransactionFailed:
            raise Changed() from None
        return await self.settle(slot)

    def _takes_place(self, slot: Slot) -> Action[Any, Any]:
        """Closed until everybody is back, and noted that it opens then: whoever sees to that may die before."""
        update = lessons.update(slot.studio_code, slot.lesson_date, slot.start_time).set(Lesson.called_off, False)
        update = update.set(Lesson.is_open, False).set(Lesson.opens_after, True).remove(Lesson.called_off_words)
        return update.set(Lesson.updated_at, self.ties.now()).when(Lesson.called_off.is_(True))

    async def settle(self, slot: Slot) -> int:
        """Everybody comes back, then it opens; also by the schedule. While a move is under way, that opens it."""
        done = await self.restore(slot)
        found = await self.timetable.find(slot)
        if found is not None and await is_arriving(self.timetable, found):
            return done
        update = lessons.update(slot.studio_code, slot.lesson_date, slot.start_time).set(Lesson.is_open, True)
        update = update.remove(Lesson.opens_after).set(Lesson.updated_at, self.ties.now())
        with contextlib.suppress(ConditionFailed):
            await self.ties.db.write(update.when(Lesson.opens_after.is_(True), ~Lesson.called_off.is_(True)))
        return done

    async def restore(self, slot: Slot) -> int:
        """May be repeated: what goes on no longer says that it ended with the lesson."""
        await self.sellers.fresh()
        current = await self.timetable.find(slot)
        if current is None or current.called_off or slot.starts_at <= self.ties.now():
            return 0
        return sum([await self._resume(tie, current) for tie in await self._ended(slot)])

    async def _resume(self, tie: UserLesson, current: Lesson) -> int:
        if self._may_go_on(tie, current):
            return await self._restore(tie, current)
        await self._let_book_again(tie)
        return 0

    def _may_go_on(self, tie: UserLesson, current: Lesson) -> bool:
        return tie.kind is not TieKind.BOOKING or self.sellers.holds(current)

    async def _ended(self, slot: Slot) -> list[UserLesson]:
        listed = await self.ties.db.all(of_studio_on(slot.studio_code, slot.lesson_date))
        refs = [user_lessons.ref_of(tie).consistent() for tie in listed if slot_of(tie) == slot]
        found = [tie for tie in await self.ties.db.get_many(refs) if tie is not None]
        return [tie for tie in found if tie.ended_with_lesson and tie.status is Status.CANCELLED]

    async def _restore(self, tie: UserLesson, current: Lesson) -> int:
        """Tickets that came back are taken again; where there are none any more, it was the studio's mistake."""
        entitled = Entitled(replace(tie, pass_id=None, ticket_taken=None, week_counted=None))
        if tie.kind is TieKind.BOOKING and not tie.guest_name:
            entitled = await self.entitlements.entitled(entitled.booking, by_desk=True)
        now = self.ties.now()
        status, beside = await self._beside(tie, now)
        actions = [self._going_on(entitled.booking, status, now), *beside, *entitled.actions]
        actions += await self._messages(tie, now) if status is Status.ACTIVE else []
        place = restore_place(current, now)
        try:
            await self.ties.db.transact(*actions, *([place] if tie.kind is TieKind.BOOKING else []))
        except TransactionFailed as failed:
            log.info("not restored", extra={"user": tie.user_id, "reason": str(failed)})
            there = failed.old(place) if tie.kind is TieKind.BOOKING and failed.failed(place) else None
            if there is not None and not there.called_off:  # others have its places
                await self._let_book_again(tie)
            return 0
        return 1

    async def _beside(self, tie: UserLesson, now: datetime) -> tuple[Status, list[Action[Any, Any]]]:
        """What a tie becomes, and what is written with it: nobody waits for what they have, and they may have asked for
        either themselves since."""
        user_id, slot, other = tie.user_id, slot_of(tie), _EITHER.get(tie.kind)
        if other is None:
            return Status.ACTIVE, []
        found = await self.ties.db.get(self.ties.ref(user_id, slot, other))
        if found is None or found.status is not Status.ACTIVE:
            return Status.ACTIVE, [self.ties.as_seen(user_id, slot, other, found)]
        if other is TieKind.WAITLIST:
            return Status.ACTIVE, [change_status(found, Status.COMPLETED, now).remove(UserLesson.offer_until)]
        return Status.COMPLETED, [self.ties.as_seen(user_id, slot, other, found)]

    async def _let_book_again(self, tie: UserLesson) -> None:
        """Their place is gone: they hear that the lesson takes place, once."""
        now = self.ties.now()
        update = self.ties.update(tie.user_id, slot_of(tie), tie.kind).set(UserLesson.updated_at, now)
        update = update.remove(UserLesson.ended_with_lesson).when(UserLesson.ended_with_lesson.is_(True))
        with contextlib.suppress(TransactionFailed):  # they have booked again, or another worker was quicker
            await self.ties.db.transact(update, *await self._messages(tie, now, goes_on=False))

    def _going_on(self, tie: UserLesson, status: Status, now: datetime) -> Action[Any, Any]:
        """`tie` has what it takes now."""
        update = self.ties.update(tie.user_id, slot_of(tie), tie.kind).set(UserLesson.status, status)
        update = update.set(UserLesson.updated_at, now).remove(UserLesson.ended_with_lesson).knowing(tie)
        taken: list[tuple[Field[UserLesson, Any], object]] = [
            (UserLesson.pass_id, tie.pass_id),
            (UserLesson.ticket_taken, tie.ticket_taken),
            (UserLesson.week_counted, tie.week_counted),
            (UserLesson.attended, None),
        ]
        for field, value in taken:
            update = update.remove(field) if value is None else update.set(field, value)
        ttl = ttl_of(tie.kind, tie.starts_at)
        update = update.remove(UserLesson.ttl) if ttl is None else update.set(UserLesson.ttl, ttl)
        return update.when(UserLesson.status == Status.CANCELLED, UserLesson.ended_with_lesson.is_(True))

    async def _messages(self, tie: UserLesson, now: datetime, *, goes_on: bool = True) -> list[Action[Any, Any]]:
        person = await self.ties.db.get(contact(tie.user_id))
        bodies = self.notices.brought_back(person, tie, goes_on=goes_on)
        reason = f"back/{slot_of(tie)}/{tie.user_id}/{tie.kind.value}/{tie.updated_at.timestamp():.3f}"
        pause = quiet_pause(person, now, tie.starts_at)
        return [
            self.outbox.message(kind, str(body["to"]), body, id=f"{reason}/{kind}", after=pause)
            for kind, body in bodies.items()
        ]
