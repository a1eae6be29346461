"""Waiting for a place."""

from __future__ import annotations

from starlette.requests import Request

from sekkei.runtime.system import Context
from sekkei.web import Api, User
from sekkei_systems.lessons.api.once import LessonRef, Repeatable, once
from sekkei_systems.lessons.api.shapes import Identifier, LessonName, TieOut, known, tie_out
from sekkei_systems.lessons.rules.slots import parse_slot
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import member_of


def declare(api: Api, service: Service, context: Context) -> None:
    @api.post("/me/waitlist", summary="Wait for a place", status=201, tag="waitlist")
    async def wait(request: Request, user: User, body: LessonRef, headers: Repeatable) -> TieOut:
        await known(service.contacts, user)
        asked = f"waitlist {parse_slot(body.lesson)}"
        return await once(context.idempotency, user, headers.key, asked, service.waitlist.join, parse_slot(body.lesson))

    @api.get("/me/waitlist/{waitlist_id}", summary="My entry of that id", tag="waitlist")
    async def waitlist_entry(request: Request, user: User, waitlist_id: Identifier) -> TieOut:
        return tie_out(await service.waitlist.entry(member_of(user), waitlist_id))

    @api.delete("/me/waitlist/{lesson:path}", summary="Wait no longer", tag="waitlist")
    async def leave(request: Request, user: User, lesson: LessonName) -> None:
        await service.waitlist.leave(member_of(user), parse_slot(lesson))
