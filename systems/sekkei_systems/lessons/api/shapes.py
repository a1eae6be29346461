"""Lessons and ties as the API shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from sekkei.kit.typed import Token
from sekkei.web import User
from sekkei_systems.lessons.design import Contact, Lesson, UserLesson, copies_of
from sekkei_systems.lessons.rules.places import free_places
from sekkei_systems.lessons.rules.slots import Slot, parse_slot, slot_of, span
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.rules.timetable import spelt, values_of
from sekkei_systems.lessons.service.access import Access, Member, Staff
from sekkei_systems.lessons.service.contacts import Contacts

LessonName = Annotated[Token, Meta(max_length=60, description="studio/date/time, such as gnz/2025-07-30/19:30")]
Identifier = Annotated[Token, Meta(min_length=1, max_length=64)]
TimeOfDay = Annotated[str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
"""A time of the day: 09:30."""


class LessonRef(msgspec.Struct):
    lesson: LessonName


class StudioOut(msgspec.Struct):
    code: str
    name: str


class LessonOut(msgspec.Struct, rename=spelt):
    lesson: LessonName
    lesson_name: str
    instructor: str
    starts_at: datetime
    ends_at: datetime | None
    """None when the studio does not say."""
    capacity: int | None
    """None: no limit."""
    free: int | None
    is_open: bool
    called_off: bool
    program: str | None = None
    sells_here: bool = True
    """False: booked on the studio's own page, and only watched here."""
    booking_url: str | None = None
    """That page, when it is known."""


class TieOut(msgspec.Struct, rename=spelt):
    lesson: LessonName
    lesson_name: str
    instructor: str
    starts_at: datetime
    type: Literal["favorite", "waitlist", "booking", "history"]
    status: Literal["active", "completed", "cancelled", "expired"]
    notes: str | None = None
    waitlist_id: str | None = None
    reservation_id: str | None = None
    offer_until: datetime | None = None
    auto_book_until: datetime | None = None
    """A free place is booked for me until then."""
    paused_until: datetime | None = None


def lesson_out(found: Lesson, sellers: Sellers) -> LessonOut:
    slot, sells_here = slot_of(found), sellers.sells_here(found)
    return LessonOut(
        lesson=str(slot),
        **{name: value for name, value in values_of(found).items() if name != "end_time"},
        starts_at=slot.starts_at,
        ends_at=span(found)[1] if found.end_time else None,
        free=free_places(found),
        is_open=found.is_open,
        called_off=found.called_off,
        sells_here=sells_here,
        booking_url=None if sells_here else sellers.page(found),
    )


def tie_out(tie: UserLesson) -> TieOut:
    return TieOut(
        lesson=str(slot_of(tie)),
        **copies_of(tie),
        starts_at=tie.starts_at,
        type=tie.kind.value,
        status=tie.status.value,
        notes=tie.notes,
        waitlist_id=tie.waitlist_id,
        reservation_id=tie.reservation_id,
        offer_until=tie.offer_until,
        auto_book_until=tie.auto_book_until,
        paused_until=tie.paused_until,
    )


async def contact_of(user: User, contacts: Contacts) -> Contact:
    """Whoever registers for something is to hear of it, even if they never said how."""
    return await contacts.ensure(user.id, user.name, user.email if user.verified else "")


def slot_named(lesson: LessonName) -> Slot:
    return parse_slot(lesson)


async def staff_of_lesson(member: Member, access: Access, at: Slot) -> Staff:
    return await access.staff(member, at.studio_code)
