"""Waiting for a place."""

from __future__ import annotations

from sekkei.runtime.idempotency import Idempotency
from sekkei.web import Operations
from sekkei_systems.lessons.api.once import LessonRef, Repeatable, once
from sekkei_systems.lessons.api.shapes import Identifier, TieOut, tie_out
from sekkei_systems.lessons.design import Contact
from sekkei_systems.lessons.rules.slots import Slot, parse_slot
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.waitlist import Waitlist

operations = Operations()


@operations.post("/me/waitlist", summary="Wait for a place", status=201, tag="waitlist")
async def wait(
    member: Member, waitlist: Waitlist, person: Contact, idempotency: Idempotency, body: LessonRef, headers: Repeatable
) -> TieOut:
    asked = f"waitlist {parse_slot(body.lesson)}"
    return await once(idempotency, member, headers.key, asked, waitlist.join, parse_slot(body.lesson))


@operations.get("/me/waitlist/{waitlist_id}", summary="My entry of that id", tag="waitlist")
async def waitlist_entry(member: Member, waitlist: Waitlist, waitlist_id: Identifier) -> TieOut:
    return tie_out(await waitlist.entry(member, waitlist_id))


@operations.delete("/me/waitlist/{lesson:path}", summary="Wait no longer", tag="waitlist")
async def leave(member: Member, waitlist: Waitlist, at: Slot) -> None:
    await waitlist.leave(member, at)
