from __future__ import annotations

from datetime import date, time

import pytest

from sekkei.design import replace
from sekkei.runtime.settings import Settings
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Role
from sekkei_systems.lessons.rules.timetable import draft_of
from sekkei_systems.lessons.service.access import Access, Member, StaffList, staff_of
from tests.systems.lessons.rules.test_weekly import WEDNESDAYS
from tests.systems.lessons.service.test_rulebook import rules
from tests.systems.lessons.world import LESSON, STAFF, STUDIOS, World


async def test_only_those_who_run_a_studio_see_and_change_it(world: World) -> None:
    found = await world.lesson(capacity=3)
    other = replace(found, start_time=time(9, 0))
    access = Access(STUDIOS, StaffList({"gnz": frozenset({"a@x"}), "sby": frozenset({"b@x"})}), world.service.roster)
    strangers = [Member("b", "b@x"), Member("c", ""), Member("a@x", "someone@else")]
    for stranger in strangers:
        with pytest.raises(refusals.NotStaff):
            await access.staff(stranger, "gnz")
    desk, elsewhere = world.service.desk, await access.staff(strangers[0], "sby")
    for attempt in (
        desk.roll(elsewhere, LESSON),
        desk.add(elsewhere, draft_of(other)),
        desk.change(elsewhere, draft_of(replace(found, instructor="Mako"))),
        desk.call_off(elsewhere, LESSON),
        desk.mark_attendance(elsewhere, LESSON, "hana", True),
    ):
        with pytest.raises(refusals.NoSuchLesson):
            await attempt
    _, problems = await desk.take_in(
        elsewhere, "a.csv", b"studio,date,start,name,instructor\ngnz,2025-08-01,10:00,x,y\n"
    )
    assert problems == ["1 lessons of other studios"]
    world.settle()
    assert await world.service.timetable.between("gnz", LESSON.lesson_date, date(2025, 8, 2)) == [found]
    mine = await access.staff(Member("a", "a@x"), "gnz")
    await desk.add(mine, draft_of(other))
    assert (await desk.change(mine, draft_of(replace(found, instructor="Mako")))).instructor == "Mako"
    assert [[one.code for one in await access.run_by(each)] for each in (Member("a", "a@x"), *strangers[:2])] == [
        ["gnz"],
        ["sby"],
        [],
    ]


def test_staff_as_it_is_set() -> None:
    settings = Settings(values={"lessons_staff": "a@x.example, gnz:B@x.example"})
    found = staff_of(settings)
    assert [found.runs("a@x.example", code) for code in ("gnz", "sby")] == [True, True]
    assert [found.runs("b@x.example", code) for code in ("gnz", "sby")] == [True, False]
    assert not found.runs("", "gnz")
    assert not staff_of(Settings()).runs("aoi@demo.example", "gnz"), "nobody, unless it is said or a demo"


async def test_roles_are_in_the_table_and_end_there(world: World) -> None:
    access, roster = world.service.access, world.service.roster
    rin = Member("rin", "rin@example.com")
    with pytest.raises(refusals.NotStaff):
        await access.staff(rin, "gnz")
    await roster.add(STAFF, " Rin@Example.com ", Role.DESK)
    desk = await access.staff(rin, "gnz")
    assert desk.role is Role.DESK
    assert [one.code for one in await access.run_by(rin)] == ["gnz"]
    with pytest.raises(refusals.NotStaff):
        await access.staff(Member("rin", ""), "gnz")
    await roster.add(STAFF, "rin@example.com", Role.MANAGER)
    assert (await access.staff(rin, "gnz")).role is Role.MANAGER
    with pytest.raises(refusals.NotYourself):
        await roster.remove(await access.staff(rin, "gnz"), rin, "rin@example.com")
    await roster.remove(STAFF, Member("staff", "boss@example.com"), "rin@example.com")
    with pytest.raises(refusals.NotStaff):
        await access.staff(rin, "gnz")


async def test_the_desk_sets_no_rules_schedules_staff_or_secrets(world: World) -> None:
    await world.service.roster.add(STAFF, "rin@example.com", Role.DESK)
    desk = await world.service.access.staff(Member("rin", "rin@example.com"), "gnz")
    service = world.service
    for attempt in (
        service.rulebook.save(desk, rules(world)),
        service.weekly.save(desk, WEDNESDAYS),
        service.weekly.remove(desk, 2, time(19, 30)),
        service.weekly.close(desk, date(2025, 8, 1), "x"),
        service.weekly.open(desk, date(2025, 8, 1)),
        service.roster.add(desk, "x@example.com", Role.DESK),
        service.roster.remove(desk, Member("rin", "rin@example.com"), "x@example.com"),
        service.roster.of(desk),
        service.studio_secrets.renew(desk),
        service.studio_secrets.forget(desk),
    ):
        with pytest.raises(refusals.NotManager):
            await attempt
