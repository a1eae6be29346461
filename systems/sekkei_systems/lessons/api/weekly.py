"""A studio's weekly schedule and its holidays."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import msgspec
from msgspec import Meta

from sekkei.kit.typed import Line
from sekkei.web import Operations
from sekkei_systems.lessons.api.shapes import Identifier, TimeOfDay
from sekkei_systems.lessons.design import WeeklyLesson
from sekkei_systems.lessons.rules.places import NAME_MAX
from sekkei_systems.lessons.rules.slots import time_in
from sekkei_systems.lessons.rules.timetable import texts_of
from sekkei_systems.lessons.rules.weekly import WeeklyFields
from sekkei_systems.lessons.service.access import Access, Member
from sekkei_systems.lessons.service.weekly import Weekly

operations = Operations()
_Weekday = Annotated[int, Meta(ge=0, le=6, description="0 is Monday")]


class WeeklyIn(WeeklyFields[TimeOfDay], frozen=True):
    """What is left out stays as it was."""


class WeeklyOut(WeeklyFields[TimeOfDay], kw_only=True, frozen=True, rename="camel"):
    weekday: int
    start: str
    skipped: list[date]
    made_until: date | None


class ScheduleOut(msgspec.Struct):
    items: list[WeeklyOut]


class HolidayIn(msgspec.Struct):
    name: Annotated[str, Line(NAME_MAX)]


@operations.get("/studios/{studio}/weekly", summary="What a studio does every week", tag="studios")
async def schedule(member: Member, access: Access, weekly: Weekly, studio: Identifier) -> ScheduleOut:
    return ScheduleOut([_weekly_out(one) for one in await weekly.all((await access.staff(member, studio)).studio.code)])


@operations.put("/studios/{studio}/weekly/{weekday}/{start}", summary="A lesson of every week", tag="studios")
async def save(
    member: Member,
    access: Access,
    weekly: Weekly,
    studio: Identifier,
    weekday: _Weekday,
    start: TimeOfDay,
    body: WeeklyIn,
) -> WeeklyOut:
    staff = await access.staff(member, studio)
    return _weekly_out(await weekly.enter(staff, weekday, time_in(start, "start"), body))


@operations.delete("/studios/{studio}/weekly/{weekday}/{start}", summary="No more of them", tag="studios")
async def remove(
    member: Member, access: Access, weekly: Weekly, studio: Identifier, weekday: _Weekday, start: TimeOfDay
) -> None:
    await weekly.remove(await access.staff(member, studio), weekday, time_in(start, "start"))


@operations.put(
    "/studios/{studio}/weekly/{weekday}/{start}/skipped/{day}", summary="Not on this day", status=204, tag="studios"
)
async def skip(
    member: Member, access: Access, weekly: Weekly, studio: Identifier, weekday: _Weekday, start: TimeOfDay, day: date
) -> None:
    await weekly.skip(await access.staff(member, studio), weekday, time_in(start, "start"), day)


@operations.delete(
    "/studios/{studio}/weekly/{weekday}/{start}/skipped/{day}", summary="On this day after all", tag="studios"
)
async def hold(
    member: Member, access: Access, weekly: Weekly, studio: Identifier, weekday: _Weekday, start: TimeOfDay, day: date
) -> None:
    await weekly.hold(await access.staff(member, studio), weekday, time_in(start, "start"), day)


@operations.put("/studios/{studio}/holidays/{day}", summary="Closed on a day", status=204, tag="studios")
async def close(member: Member, access: Access, weekly: Weekly, studio: Identifier, day: date, body: HolidayIn) -> None:
    await weekly.close(await access.staff(member, studio), day, body.name)


@operations.delete("/studios/{studio}/holidays/{day}", summary="Open after all", tag="studios")
async def reopen(member: Member, access: Access, weekly: Weekly, studio: Identifier, day: date) -> None:
    await weekly.open(await access.staff(member, studio), day)


def _weekly_out(found: WeeklyLesson) -> WeeklyOut:
    return WeeklyOut(
        weekday=found.weekday,
        start=f"{found.start_time:%H:%M}",
        **texts_of(found),
        first_day=found.first_day,
        last_day=found.last_day,
        skipped=sorted(date.fromisoformat(day) for day in found.skipped),
        made_until=found.made_until,
    )
