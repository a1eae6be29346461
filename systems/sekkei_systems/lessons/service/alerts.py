"""Word about lessons one has to do with: a reminder before it begins, a change of instructor, a lesson called off.

What is told of whom is written in the transaction that puts the notice into the outbox. The work may be repeated: it
starts from what the items say, and who has been told no longer differs from the timetable.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.outbox import Outbox
from sekkei_systems.lessons.design import (
    Contact,
    Lesson,
    Status,
    TieKind,
    UserLesson,
    active_between,
    change_status,
    contact,
    copies_of,
    lesson,
    lessons,
    of_studio_on,
    refresh,
    user_lessons,
)
from sekkei_systems.lessons.rules.notices import Messages, Notices, quiet_pause
from sekkei_systems.lessons.rules.places import is_available
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.service.passes import Entitlements
from sekkei_systems.lessons.service.reservations import Reservations
from sekkei_systems.lessons.service.rulebook import Rulebook
from sekkei_systems.lessons.service.ties import all_active

_TOLD_OF_CHANGES = (TieKind.FAVORITE, TieKind.BOOKING)
_LOOKED_AHEAD = timedelta(days=1)
"""For the next lesson of which somebody is to be reminded."""
log = logging.getLogger("sekkei.lessons.alerts")


@dataclass
class Alerts:
    """Reminders and changes."""

    db: Database
    clock: Clock
    outbox: Outbox
    notices: Notices
    entitlements: Entitlements
    rulebook: Rulebook
    reservations: Reservations

    async def nobody_reminded_before(self) -> datetime:
        """When the first of the lessons that people have ties to is soon, by the rules of the most careful studio."""
        now = days.now(self.clock)
        longest = await self.rulebook.longest_reminder(self.notices.studios)
        first = await self.db.first(active_between(now, now + longest + _LOOKED_AHEAD))
        return now + _LOOKED_AHEAD if first is None else first.starts_at - longest

    async def remind(self) -> int:
        """Whoever has booked a lesson that begins soon, or likes one that can still be booked; once for each tie."""
        now = days.now(self.clock)
        longest = await self.rulebook.longest_reminder(self.notices.studios)
        soon = await self.db.all(active_between(now, now + longest))
        fresh = [tie for tie in await self._as_they_are(soon) if await self._is_soon(tie, now)]
        bookings = [tie for tie in fresh if tie.kind is TieKind.BOOKING]
        booked = {(tie.user_id, slot_of(tie)) for tie in bookings}
        liked = [tie for tie in fresh if tie.kind is TieKind.FAVORITE and (tie.user_id, slot_of(tie)) not in booked]
        untold = [tie for tie in (*bookings, *await self._bookable(liked)) if tie.reminded_at is None]
        return sum([await self._remind(tie, now) for tie in untold])

    async def _is_soon(self, tie: UserLesson, now: datetime) -> bool:
        policy = await self.rulebook.policy(tie.studio_code)
        return now < tie.starts_at <= now + policy.remind_before

    async def _bookable(self, liked: list[UserLesson]) -> list[UserLesson]:
        """Of favourites those whose lessons have places left."""
        slots = {slot_of(tie): lesson(tie.studio_code, tie.lesson_date, tie.start_time) for tie in liked}
        found = await self.db.get_many(slots.values())
        free = {slot_of(one) for one in found if one is not None and is_available(one)}
        return [tie for tie in liked if slot_of(tie) in free]

    async def _remind(self, tie: UserLesson, now: datetime) -> int:
        person = await self.db.get(contact(tie.user_id))
        mark = (
            user_lessons.update(tie.user_id, tie.studio_code, tie.lesson_date, tie.start_time, tie.kind)
            .set(UserLesson.reminded_at, now)
            .when(UserLesson.status == Status.ACTIVE, UserLesson.reminded_at.absent())
        )
        about = tie.reservation_id or f"{tie.kind.value}/{tie.user_id}/{tie.created_at.isoformat()}"
        messages = self.notices.reminder(person, tie)
        if not messages:
            return 0  # whoever can be reached later is reminded then
        return await self._tell([mark], person, messages, f"reminder/{slot_of(tie)}/{about}", tie)

    async def lesson_changed(self, slot: Slot) -> int:
        """Bring everybody's copies of a lesson up to date, and tell them; returns how many users it concerned."""
        now = days.now(self.clock)
        current = await self.db.get(lesson(slot.studio_code, slot.lesson_date, slot.start_time))
        if current is None or slot.starts_at <= now:
            return 0
        listed = await self.db.all(of_studio_on(slot.studio_code, slot.lesson_date))
        done = 0
        for ties in await all_active(self.db, listed, slot):
            concerned = [tie for tie in ties if _differs(tie, current)]
            done += await self._bring_up_to_date(concerned, current, now) if concerned else 0
        return done

    async def _bring_up_to_date(self, ties: list[UserLesson], current: Lesson, now: datetime) -> int:
        """All ties of one user to the lesson, with one notice."""
        first = ties[0]
        person = await self.db.get(contact(first.user_id))
        actions: list[Action[Any, Any]] = []
        messages: Messages = {}
        if current.called_off:
            ended = (change_status(tie, Status.CANCELLED, now) for tie in ties)
            actions += [one.set(UserLesson.ended_with_lesson, True) for one in ended]
            booking = next((tie for tie in ties if tie.kind is TieKind.BOOKING), None)
            actions += await self._still_off(booking, current)
            actions += await self.entitlements.returned(booking) if booking is not None else []
            messages = self.notices.called_off(person, current)
        else:
            actions += [refresh(tie, current, now) for tie in ties]
            if any(tie.kind in _TOLD_OF_CHANGES for tie in ties):
                messages = self.notices.changed(person, first, current)
        # The state that is left behind names the change: done again, it would be another state.
        state = hashlib.sha256("".join(f"{tie.kind}{tie.updated_at.isoformat()}" for tie in ties).encode()).hexdigest()
        reason = f"change/{slot_of(first)}/{first.user_id}/{state[:16]}"
        return await self._tell(actions, person, messages, reason, first)

    async def _still_off(self, booking: UserLesson | None, current: Lesson) -> list[Action[Any, Any]]:
        """A condition: nobody has brought the lesson back meanwhile. Whoever has booked gives the place back."""
        key, off = (current.studio_code, current.lesson_date, current.start_time), Lesson.called_off.is_(True)
        if booking is None:
            return [lessons.must_exist(*key).when(off)]
        place, there = await self.reservations.cancelling(booking, await self.db.get(lesson(*key)))
        return [place.when(off), *([there] if there is not None else [])]

    async def _tell(
        self, actions: list[Action[Any, Any]], person: Contact | None, bodies: Messages, reason: str, tie: UserLesson
    ) -> int:
        pause = quiet_pause(person, days.now(self.clock), tie.starts_at)
        messages = [
            self.outbox.message(kind, str(body["to"]), body, id=f"{reason}/{kind}", after=pause)
            for kind, body in bodies.items()
        ]
        try:
            await self.db.transact(*actions, *messages)
        except TransactionFailed as failed:
            # Somebody changed it meanwhile, or another worker was quicker; the next look decides anew.
            log.info("left for the next look", extra={"user": tie.user_id, "reason": str(failed)})
            return 0
        return 1

    async def _as_they_are(self, ties: Iterable[UserLesson]) -> list[UserLesson]:
        """Active ones out of an index that may be behind, read from the table itself."""
        refs = [user_lessons.ref_of(tie).consistent() for tie in ties if tie.status is Status.ACTIVE]
        return [tie for tie in await self.db.get_many(refs) if tie is not None and tie.status is Status.ACTIVE]


def _differs(tie: UserLesson, current: Lesson) -> bool:
    return current.called_off or copies_of(tie) != copies_of(current)
