"""The timetable of a studio on one day."""

from __future__ import annotations

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from sekkei.runtime import days
from sekkei.runtime.system import Context
from sekkei.web import Pages, page, require_user, sse
from sekkei_systems.lessons.design import Status, TieKind
from sekkei_systems.lessons.pages.view import day_in, desk_of, live_at
from sekkei_systems.lessons.reactions import topic
from sekkei_systems.lessons.rules.places import free_places
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import member_of

DAYS_SHOWN = 14
NEXT_SHOWN = 4


def declare(pages: Pages, service: Service, context: Context) -> None:
    @pages.get("/", name="timetable")
    async def timetable(request: Request) -> Response:
        user = require_user(request)
        today = days.today(context.clock)
        studio = service.access.studio(request.query_params.get("studio") or service.access.studios[0].code)
        day = day_in(request, today)
        live = live_at(request, context, studio.code)
        lessons = await service.timetable.between(studio.code, day, day)
        mine = await service.lists.all(member_of(user), first=min(day, today))
        active = [tie for tie in mine if tie.status is Status.ACTIVE]
        ties: dict[Slot, list[TieKind]] = {}
        for tie in active:
            ties.setdefault(slot_of(tie), []).append(tie.kind)
        now = days.now(context.clock)
        upcoming = [tie for tie in active if tie.kind is not TieKind.FAVORITE and tie.starts_at > now]
        return page(
            request,
            "lessons/timetable.html",
            studio=studio,
            studios=service.access.studios,
            live=live,
            day=day,
            shown_days=[today + timedelta(days=number) for number in range(DAYS_SHOWN)],
            lessons=lessons,
            ties=ties,
            slot_of=slot_of,
            free=free_places,
            over=lambda lesson: slot_of(lesson).starts_at <= now,
            upcoming=upcoming[:NEXT_SHOWN],
            names=service.access.names,
            today=today,
            desk=desk_of(request, service),
        )

    @pages.get("/studios/{code}/live", name="live")
    async def listen(request: Request) -> Response:
        require_user(request)
        return sse(request, context.live, topic(service.access.studio(request.path_params["code"]).code))
