"""Waiting for a place in a full lesson."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from msgspec import UnsetType

from sekkei.design import ConditionFailed
from sekkei.runtime.idempotency import Also, nothing
from sekkei.runtime.identifiers import uuid7
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Status, TieKind, UserLesson, of_waitlist_id
from sekkei_systems.lessons.rules.places import free_places, is_available
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.wishes import Wishes
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.ties import Ties
from sekkei_systems.lessons.service.timetable import Timetable


@dataclass
class Waitlist:
    ties: Ties
    timetable: Timetable

    async def join(self, member: Member, slot: Slot, also: Also[UserLesson] = nothing) -> UserLesson:
        lesson, user_id = await self.timetable.upcoming(slot), member.user_id
        if not lesson.is_open:
            raise refusals.Closed()
        if is_available(lesson):
            free, offers = free_places(lesson), await self.ties.offers_to_others(slot, user_id)
            if free is None or free > offers:
                raise refusals.NotFull()
        booked = await self.ties.db.get(self.ties.ref(user_id, slot, TieKind.BOOKING))
        if booked is not None and booked.status is Status.ACTIVE:
            raise refusals.AlreadyRegistered()
        waiting = self.ties.made(
            user_id,
            lesson,
            TieKind.WAITLIST,
            waitlist_id=f"wl_{secrets.token_hex(8)}",
            notification_sent=False,
            queue_key=uuid7(self.ties.clock),
        )
        not_booked = self.ties.as_seen(user_id, slot, TieKind.BOOKING, booked)
        return await self.ties.register(waiting, lesson, also, not_booked)

    async def leave(self, member: Member, slot: Slot) -> None:
        await self.ties.end(await self.ties.active(member.user_id, slot, TieKind.WAITLIST), Status.CANCELLED)

    async def prefer(self, member: Member, slot: Slot, wanted: Wishes) -> UserLesson:
        """How an entry is watched; what is not said stays as it is."""
        update = self.ties.update(member.user_id, slot, TieKind.WAITLIST).set(UserLesson.updated_at, self.ties.now())
        fields = (
            (UserLesson.auto_book_until, wanted.auto_book_until(slot)),
            (
                UserLesson.paused_until,
                wanted.resumes(slot, self.ties.now()),
            ),
        )
        for field, value in fields:
            if value is None:
                update = update.remove(field)
            elif not isinstance(value, UnsetType):
                update = update.set(field, value)
        try:
            return await self.ties.db.write(update.when(UserLesson.status == Status.ACTIVE))
        except ConditionFailed:
            raise refusals.NoSuchTie() from None

    async def entry(self, member: Member, waitlist_id: str) -> UserLesson:
        """The user's own entry of that id."""
        return await self.ties.own(member.user_id, await self.ties.db.all(of_waitlist_id(waitlist_id)))
