from __future__ import annotations

from datetime import date, time

import pytest

from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Role
from sekkei_systems.lessons.service.access import Member
from tests.systems.lessons.rules.test_weekly import WEDNESDAYS
from tests.systems.lessons.service.test_rulebook import rules
from tests.systems.lessons.world import STAFF, World


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
