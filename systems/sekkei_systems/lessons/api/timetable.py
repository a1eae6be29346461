"""Studios, timetables, and one lesson as I see it."""

from __future__ import annotations

from datetime import date

import msgspec
from starlette.requests import Request

from sekkei.runtime.system import Context
from sekkei.web import Api, User
from sekkei_systems.lessons.api.shapes import (
    Identifier,
    LessonName,
    LessonOut,
    StudioOut,
    TieOut,
    lesson_out,
    tie_out,
)
from sekkei_systems.lessons.design import TieKind
from sekkei_systems.lessons.rules.slots import parse_slot
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import member_of


class LessonView(msgspec.Struct):
    """A lesson as I see it."""

    lesson: LessonOut
    mine: list[TieOut]
    waiting: int
    position: int | None
    """My place in the queue, from 1."""
    overlaps: list[LessonOut]
    """What I have booked that takes place at the same time."""


class StudiosOut(msgspec.Struct):
    items: list[StudioOut]


class LessonsOut(msgspec.Struct):
    items: list[LessonOut]


class Between(msgspec.Struct, rename={"first": "from", "last": "to"}):
    first: date
    last: date


def declare(api: Api, service: Service, context: Context) -> None:
    @api.get("/studios", summary="All studios", tag="timetable")
    async def studios(request: Request, user: User) -> StudiosOut:
        return StudiosOut([StudioOut(studio.code, studio.name) for studio in service.access.studios])

    @api.get("/studios/{studio}/lessons", summary="A studio's lessons between two days", tag="timetable")
    async def timetable(request: Request, user: User, studio: Identifier, query: Between) -> LessonsOut:
        found = await service.timetable.between(service.access.studio(studio).code, query.first, query.last)
        return LessonsOut([lesson_out(lesson) for lesson in found])

    @api.get("/lessons/{lesson:path}", summary="One lesson, what I have to do with it, my place", tag="timetable")
    async def lesson(request: Request, user: User, lesson: LessonName) -> LessonView:
        view = await service.lists.view(member_of(user), parse_slot(lesson))
        overlaps = [] if TieKind.BOOKING in view.ties else await service.lists.overlaps(member_of(user), view.lesson)
        return LessonView(
            lesson=lesson_out(view.lesson),
            mine=[tie_out(tie) for tie in view.ties.values()],
            waiting=view.waiting,
            position=view.position,
            overlaps=[lesson_out(one) for one in overlaps],
        )
