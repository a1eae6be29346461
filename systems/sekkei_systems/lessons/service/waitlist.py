"""Waiting for a place in a full lesson."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from msgspec import UnsetType

from sekkei.design import Action, ConditionFailed, Database
from sekkei.runtime import days
from sekkei.runtime.idempotency import Also, nothing
from sekkei.runtime.identifiers import uuid7
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import Changed, Refusal
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, Status, TieKind, UserLesson, contact, of_waitlist_id
from sekkei_systems.lessons.rules.notices import Notices, quiet_pause, reaches
from sekkei_systems.lessons.rules.places import free_places, is_available
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.rules.waitlist import Wishes
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.bookings import Bookings
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


# A free place for somebody who waits and wants it without being asked, so that nobody races for a link at midnight.


_GONE = (refusals.Full, refusals.Held, refusals.Closed, refusals.LessonOver, refusals.AlreadyRegistered, Changed)


class NoPlace(Exception):
    """There is nothing left to book."""


@dataclass
class AutoBooking:
    db: Database
    bookings: Bookings
    sellers: Sellers
    outbox: Outbox
    notices: Notices

    async def book(self, tie: UserLesson, lesson: Lesson) -> bool:
        """Book and tell them, in one transaction. False when they may not book, or could not know of it: they are
        told or passed over like everybody else. Raises NoPlace."""
        await self.sellers.fresh()
        person = await self.db.get(contact(tie.user_id))
        if not self.sellers.sells_here(lesson) or not reaches(person, "opening"):
            return False
        pause = quiet_pause(person, days.now(self.bookings.ties.clock), tie.starts_at)

        def told(booking: UserLesson) -> list[Action[Any, Any]]:
            bodies = self.notices.booked_from_queue(person, booking)
            reason = f"auto/{booking.reservation_id}"
            return [
                self.outbox.message(kind, str(body["to"]), body, id=f"{reason}/{kind}", after=pause)
                for kind, body in bodies.items()
            ]

        try:
            await self.bookings.book(Member(tie.user_id), slot_of(tie), told=told, as_wished=True)
        except _GONE:
            raise NoPlace from None
        except Refusal:
            return False  # no ticket, the week is full, or they wish it no longer: they hear of the place and decide
        return True
