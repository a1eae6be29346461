"""A free place for somebody who waits and wants it without being asked, so that nobody races for a link at midnight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sekkei.design import Action, Database
from sekkei.runtime import days
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import Changed, Refusal
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, UserLesson, contact
from sekkei_systems.lessons.rules.notices import Notices, reaches
from sekkei_systems.lessons.rules.quiet import quiet_pause
from sekkei_systems.lessons.rules.selling import Sellers
from sekkei_systems.lessons.rules.slots import slot_of
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.bookings import Bookings

GONE = (refusals.Full, refusals.Held, refusals.Closed, refusals.LessonOver, refusals.AlreadyRegistered, Changed)


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
        except GONE:
            raise NoPlace from None
        except Refusal:
            return False  # no ticket, the week is full, or they wish it no longer: they hear of the place and decide
        return True
