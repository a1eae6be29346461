"""My list and my history."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime import days
from sekkei.runtime.system import Context
from sekkei.web import Pages, page, require_user
from sekkei_systems.lessons.design import Status, TieKind
from sekkei_systems.lessons.pages.view import desk_of
from sekkei_systems.lessons.rules.slots import slot_of
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import member_of


def declare(pages: Pages, service: Service, context: Context) -> None:
    @pages.get("/mine", name="mine")
    async def mine(request: Request) -> Response:
        user = require_user(request)
        wanted = request.query_params.get("type", "")
        kind = TieKind(wanted) if wanted in [one.value for one in TieKind] else None
        everything = await service.lists.all(member_of(user), first=days.today(context.clock))
        now = days.now(context.clock)
        active = [tie for tie in everything if tie.status is Status.ACTIVE and tie.starts_at > now]
        shown = [tie for tie in active if kind is None or tie.kind is kind]
        return page(
            request,
            "lessons/mine.html",
            ties=shown,
            counts={one: sum(tie.kind is one for tie in active) for one in TieKind},
            total=len(active),
            positions=await service.lists.positions([tie for tie in shown if tie.kind is TieKind.WAITLIST]),
            kind=kind,
            kinds=[TieKind.BOOKING, TieKind.WAITLIST, TieKind.FAVORITE],
            names=service.access.names,
            slot_of=slot_of,
            desk=desk_of(request, service),
        )

    @pages.get("/history", name="history")
    async def history(request: Request) -> Response:
        user = require_user(request)
        return page(
            request,
            "lessons/history.html",
            ties=(await service.lists.all(member_of(user), TieKind.HISTORY))[::-1],
            found=await service.lists.statistics(member_of(user)),
            names=service.access.names,
            desk=desk_of(request, service),
        )
