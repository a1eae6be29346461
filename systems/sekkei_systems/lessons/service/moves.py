"""A lesson takes place at another time: its row, its bookings, its queue and its favourites go there.

Day and time are part of every key, so a move is many writes. The lesson in the new slot is there first, closed; then
each user goes over in one transaction with the place that they take, so that places are exact at every moment; then the
new slot opens as the old one was. A move that is cut off goes on by its schedule.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sekkei.design import Action, ConditionFailed, TransactionFailed, replace
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import Changed
from sekkei.runtime.schedules import Schedules
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    DeskVerb,
    Lesson,
    Status,
    TieKind,
    UserLesson,
    arrive,
    change_status,
    contact,
    give_place_back,
    lessons,
    of_studio_on,
    register,
)
from sekkei_systems.lessons.rules.notices import Notices, quiet_pause
from sekkei_systems.lessons.rules.slots import Slot, length_of, parse_slot, slot_of, ttl_of
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.service.access import Staff
from sekkei_systems.lessons.service.acts import Acts
from sekkei_systems.lessons.service.passes import Entitlements
from sekkei_systems.lessons.service.ties import GOES_WITH_LESSON, Ties, all_active
from sekkei_systems.lessons.service.timetable import LESSON_KEPT, Timetable

_LOOK_AGAIN = timedelta(minutes=1)
"""Who registered a moment ago may not stand in the index yet."""
_TRIES = 10
log = logging.getLogger("sekkei.lessons.moves")


@dataclass
class Moves:
    ties: Ties
    timetable: Timetable
    sellers: Sellers
    acts: Acts
    outbox: Outbox
    notices: Notices
    schedules: Schedules
    entitlements: Entitlements

    async def move(self, staff: Staff, slot: Slot, to: Slot, *beside: Action[Any, Any]) -> Lesson:
        """Returns the lesson in its new slot. Everybody concerned is told. `beside` is written with its beginning."""
        staff.own(to)
        await self._plan("move", staff.own(slot))
        for _ in range(_TRIES):
            made = await self._begin(staff, slot, to, beside)
            if made is not None:
                await self.carry(slot)
                return await self.timetable.find(to) or made
        raise Changed()

    async def _begin(self, staff: Staff, slot: Slot, to: Slot, beside: Sequence[Action[Any, Any]]) -> Lesson | None:
        """The new slot is taken and the old one closed, in one step; None when somebody booked or cancelled
        meanwhile."""
        there = await self._movable(slot)
        if to.starts_at <= self.ties.now():
            raise refusals.LessonOver()
        made = self._elsewhere(there, to)
        created, act = lessons.create(made), self.acts.act(staff, slot, DeskVerb.MOVED, target=str(to))
        try:
            await self.ties.db.transact(created, self._closing(there, to), self.acts.noted(act), *beside)
        except TransactionFailed as failed:
            if failed.failed(created):
                taken = await self.timetable.find(to)
                raise refusals.SlotTaken(name=taken.lesson_name if taken else "") from None
            return None
        return made

    async def _movable(self, slot: Slot) -> Lesson:
        await self.sellers.fresh()
        there = await self.timetable.upcoming(slot)
        if there.called_off:
            raise refusals.CalledOff()
        if not self.sellers.holds(there):
            raise refusals.BookedElsewhere()
        is_arriving = there.opens_after is not None
        if there.moving_to is not None or is_arriving:
            raise Changed()
        return there

    def _elsewhere(self, there: Lesson, to: Slot) -> Lesson:
        """The lesson in the new slot, closed, with what was booked elsewhere; own bookings come one by one."""
        end = (to.starts_at + length_of(there)).time() if there.end_time else None
        return replace(
            there,
            lesson_date=to.lesson_date,
            start_time=to.start_time,
            end_time=end,
            booked=there.booked - there.booked_here,
            booked_here=0,
            is_open=False,
            opens_after=there.is_open,
            moved_from=str(slot_of(there)),
            updated_at=self.ties.now(),
            ttl=to.starts_at + LESSON_KEPT,
        )

    def _closing(self, there: Lesson, to: Slot) -> Action[Any, Any]:
        here = there.booked_here
        update = lessons.update(there.studio_code, there.lesson_date, there.start_time)
        update = update.set(Lesson.is_open, False).set(Lesson.moving_to, str(to)).set(Lesson.booked, here)
        update = update.set(Lesson.updated_at, self.ties.now()).when(Lesson.moving_to.absent())
        same = (Lesson.booked == there.booked, Lesson.booked_here == here, ~Lesson.called_off.is_(True))
        return update.when(*same)

    async def carry(self, slot: Slot) -> int:
        """Take everybody over who is still there; returns how many. Opens the new slot when all bookings are over."""
        old = await self.timetable.find(slot)
        if old is None or old.moving_to is None:
            return 0
        new = await self._goal(old)
        if new is None:
            await self._end(old)
            return 0
        listed = await self.ties.db.all(of_studio_on(slot.studio_code, slot.lesson_date))
        left = await all_active(self.ties.db, listed, slot)
        for ties in left:
            await self._take_over(ties, old, new)
        if left and new.called_off:  # everybody else has been told
            await self._plan("changed", slot_of(new))
        old = await self.timetable.find(slot)
        if old is not None and old.booked_here == 0:
            await self._open(new)
        return len(left)

    async def _goal(self, old: Lesson) -> Lesson | None:
        """Where it takes place; None when another lesson, or none, is there."""
        found = await self.timetable.find(parse_slot(old.moving_to or ""))
        return found if found is not None and found.moved_from == str(slot_of(old)) else None

    async def _end(self, old: Lesson) -> None:
        """It takes place nowhere: whoever is still here hears that it is off."""
        log.warning("a lesson was moved to where it is not", extra={"slot": str(slot_of(old)), "to": old.moving_to})
        update = lessons.update(old.studio_code, old.lesson_date, old.start_time).remove(Lesson.moving_to)
        update = update.set(Lesson.called_off, True).set(Lesson.is_open, False)
        update = update.set(Lesson.updated_at, self.ties.now())
        with contextlib.suppress(ConditionFailed):
            await self.ties.db.write(update.when(Lesson.moving_to == old.moving_to))

    async def settle(self, slot: Slot) -> None:
        """By the schedule: when nobody is left, nor on the way to it, the old slot is free again, else it is looked at
        again."""
        carried, old = await self.carry(slot), await self.timetable.find(slot)
        if old is None or old.moving_to is None:
            return
        if carried or old.booked_here or await is_arriving(self.timetable, old):
            await self._plan("move", slot)
            return
        gone = lessons.delete(slot.studio_code, slot.lesson_date, slot.start_time)
        with contextlib.suppress(ConditionFailed):
            await self.ties.db.write(gone.when(Lesson.moving_to == old.moving_to, Lesson.booked_here == 0))

    async def _take_over(self, ties: Sequence[UserLesson], old: Lesson, new: Lesson) -> None:
        """All that one user has to do with the lesson, at once: they hear once what becomes of it there."""
        now, user_id, to = self.ties.now(), ties[0].user_id, slot_of(new)
        found = await self.ties.db.get_many(self.ties.ref(user_id, to, kind) for kind in GOES_WITH_LESSON)
        there = {tie.kind: tie for tie in found if tie is not None}
        has = {kind for kind, tie in there.items() if tie.status is Status.ACTIVE}
        if TieKind.BOOKING in has.union(tie.kind for tie in ties):
            has.add(TieKind.WAITLIST)  # nobody waits for what they have
        actions: list[Action[Any, Any]] = [change_status(tie, Status.CANCELLED, now) for tie in ties]
        for tie in ties:
            if tie.kind is TieKind.BOOKING:
                actions += [give_place_back(old, now), arrive(new, now), *await self.entitlements.forgiven(tie)]
            elif tie.kind in has:
                continue  # so this one is over
            elif tie.kind is TieKind.WAITLIST:
                actions.append(self.ties.as_seen(user_id, to, TieKind.BOOKING, there.get(TieKind.BOOKING)))
            actions += [register(self._moved(tie, new, now)), *await self._messages(tie, new, now)]
        try:
            await self.ties.db.transact(*actions)
        except TransactionFailed as failed:  # they changed it themselves meanwhile; the schedule looks again
            log.info("left for the next look", extra={"user": user_id, "reason": str(failed)})

    def _moved(self, tie: UserLesson, new: Lesson, now: datetime) -> UserLesson:
        to, until = slot_of(new), tie.auto_book_until
        return replace(
            tie,
            lesson_date=to.lesson_date,
            start_time=to.start_time,
            auto_book_until=until + (to.starts_at - tie.starts_at) if until else None,
            updated_at=now,
            reminded_at=None,
            attended=None,
            ttl=ttl_of(tie.kind, to.starts_at),
        )

    async def _messages(self, tie: UserLesson, new: Lesson, now: datetime) -> list[Action[Any, Any]]:
        person = await self.ties.db.get(contact(tie.user_id))
        bodies = self.notices.moved(person, tie, new)
        reason = f"moved/{slot_of(tie)}/{tie.user_id}/{tie.kind.value}/{tie.updated_at.timestamp():.3f}"
        pause = quiet_pause(person, now, tie.starts_at)
        return [
            self.outbox.message(kind, str(body["to"]), body, id=f"{reason}/{kind}", after=pause)
            for kind, body in bodies.items()
        ]

    async def _open(self, new: Lesson) -> None:
        """As the old one was. One that was off when it was read, and is back, opens with everybody who had booked."""
        if new.opens_after is None:
            return
        update = lessons.update(new.studio_code, new.lesson_date, new.start_time)
        update = update.set(Lesson.is_open, new.opens_after).remove(Lesson.opens_after)
        as_read = Lesson.opens_after == new.opens_after
        with contextlib.suppress(ConditionFailed):
            await self.ties.db.write(update.when(as_read, ~Lesson.called_off.is_(True)))

    async def _plan(self, job: str, slot: Slot) -> None:
        at = self.ties.now() + _LOOK_AGAIN
        await self.schedules.put(f"lessons/{job}/{slot}", job, {"slot": str(slot)}, at=at)


async def is_arriving(timetable: Timetable, found: Lesson) -> bool:
    """Whether the move that brought a lesson here goes on: somebody may be on the way."""
    before = await timetable.find(parse_slot(found.moved_from)) if found.moved_from else None
    return before is not None and before.moving_to == str(slot_of(found))
