"""The timetable of a studio on one day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from starlette.requests import Request

from sekkei.runtime.live import Live
from sekkei.web import Events, Html, Pages, live_url
from sekkei_systems.lessons.design import Status, TieKind, UserLesson
from sekkei_systems.lessons.pages.view import AskedDay, View
from sekkei_systems.lessons.reactions import topic
from sekkei_systems.lessons.rules.places import free_places
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.service.access import Access, Member
from sekkei_systems.lessons.service.lists import Lists
from sekkei_systems.lessons.service.timetable import Timetable

_DAYS_SHOWN = 14
_NEXT_SHOWN = 4

pages = Pages()


def live_at(request: Request, live: Live, studio_code: str) -> str:
    """Where an open page hears of changes at a studio; asked for before its data is read."""
    return live_url(request, live, topic(studio_code), f"/lessons/studios/{studio_code}/live")


@pages.get("/", name="timetable")
async def timetable(
    request: Request, view: View, access: Access, timetable: Timetable, lists: Lists, live: Live, query: AskedDay
) -> Html:
    studio, day = access.studio(query.studio or access.studios[0].code), query.day(view.today)
    listening = live_at(request, live, studio.code)
    lessons = await timetable.between(studio.code, day, day)
    mine = await lists.all(view.member, first=min(day, view.today))
    active = [tie for tie in mine if tie.status is Status.ACTIVE]
    upcoming = [tie for tie in active if tie.kind is not TieKind.FAVORITE and tie.starts_at > view.now]
    return Html(
        "lessons/timetable.html",
        view=view,
        studio=studio,
        studios=access.studios,
        live=listening,
        day=day,
        shown_days=[view.today + timedelta(days=number) for number in range(_DAYS_SHOWN)],
        lessons=lessons,
        ties=_kinds_by_slot(active),
        slot_of=slot_of,
        free=free_places,
        over=lambda lesson: slot_of(lesson).starts_at <= view.now,
        upcoming=upcoming[:_NEXT_SHOWN],
    )


def _kinds_by_slot(ties: Sequence[UserLesson]) -> dict[Slot, list[TieKind]]:
    found: dict[Slot, list[TieKind]] = {}
    for tie in ties:
        found.setdefault(slot_of(tie), []).append(tie.kind)
    return found


@pages.get("/studios/{code}/live", name="live")
async def listen(member: Member, access: Access, code: str) -> Events:
    return Events(topic(access.studio(code).code))
