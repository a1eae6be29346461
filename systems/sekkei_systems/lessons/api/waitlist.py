"""Waiting for a place."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import date
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from sekkei.runtime.idempotency import Also, Idempotency
from sekkei.web import Answer, Operations
from sekkei.web.once import Repeatable, with_effect
from sekkei_systems.lessons.api.shapes import Identifier, LessonRef, TieOut, tie_out
from sekkei_systems.lessons.design import Contact, UserLesson
from sekkei_systems.lessons.rules.slots import Slot, parse_slot
from sekkei_systems.lessons.rules.wishes import Wishes
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.waitlist import Waitlist

operations = Operations()


@operations.post("/me/waitlist", summary="Wait for a place", status=201, tag="waitlist")
async def wait(
    member: Member, waitlist: Waitlist, person: Contact, idempotency: Idempotency, body: LessonRef, headers: Repeatable
) -> Answer[TieOut]:
    slot, row = parse_slot(body.lesson), headers.row("lessons", "", member.user_id)

    def make(also: Also[UserLesson]) -> Awaitable[UserLesson]:
        return waitlist.join(member, slot, also)

    made = await with_effect(idempotency, row, ("waitlist", str(slot)), make, tie_out, TieOut)
    return Answer(made.answer, headers=made.headers)


@operations.get("/me/waitlist/{waitlist_id}", summary="My entry of that id", tag="waitlist")
async def waitlist_entry(member: Member, waitlist: Waitlist, waitlist_id: Identifier) -> TieOut:
    return tie_out(await waitlist.entry(member, waitlist_id))


class WishesIn(msgspec.Struct, rename="camel"):
    """What is left out stays as it is; null ends it."""

    book_hours: Annotated[int, Meta(ge=0, le=336)] | UnsetType | None = UNSET
    """Book a free place for me without asking, until so many hours before the start."""
    paused_until: date | UnsetType | None = UNSET
    """Tell me nothing until this day."""


@operations.put("/me/waitlist/{lesson:path}", summary="How I wait: booked for me, or paused", tag="waitlist")
async def prefer(member: Member, waitlist: Waitlist, at: Slot, body: WishesIn) -> TieOut:
    return tie_out(await waitlist.prefer(member, at, Wishes(body.book_hours, body.paused_until)))


@operations.delete("/me/waitlist/{lesson:path}", summary="Wait no longer", tag="waitlist")
async def leave(member: Member, waitlist: Waitlist, at: Slot) -> None:
    await waitlist.leave(member, at)
