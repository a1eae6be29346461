"""Studios, timetables, and one lesson as I see it."""

from __future__ import annotations

from datetime import date

import msgspec

from sekkei.web import Operations
from sekkei_systems.lessons.api.shapes import (
    Identifier,
    LessonOut,
    StudioOut,
    TieOut,
    lesson_out,
    tie_out,
)
from sekkei_systems.lessons.design import TieKind
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.service.access import Access, Member
from sekkei_systems.lessons.service.lists import Lists
from sekkei_systems.lessons.service.timetable import Timetable

operations = Operations()


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


@operations.get("/studios", summary="All studios", tag="timetable")
async def studios(member: Member, access: Access) -> StudiosOut:
    return StudiosOut([StudioOut(studio.code, studio.name) for studio in access.studios])


@operations.get("/studios/{studio}/lessons", summary="A studio's lessons between two days", tag="timetable")
async def timetable(
    member: Member, access: Access, timetable: Timetable, sellers: Sellers, studio: Identifier, query: Between
) -> LessonsOut:
    found = await timetable.between(access.studio(studio).code, query.first, query.last)
    return LessonsOut([lesson_out(lesson, sellers) for lesson in found])


@operations.get("/lessons/{lesson:path}", summary="One lesson, what I have to do with it, my place", tag="timetable")
async def lesson(member: Member, sellers: Sellers, lists: Lists, at: Slot) -> LessonView:
    view = await lists.view(member, at)
    overlaps = [] if TieKind.BOOKING in view.ties else await lists.overlaps(member, view.lesson)
    return LessonView(
        lesson=lesson_out(view.lesson, sellers),
        mine=[tie_out(tie) for tie in view.ties.values()],
        waiting=view.waiting,
        position=view.position,
        overlaps=[lesson_out(one, sellers) for one in overlaps],
    )
