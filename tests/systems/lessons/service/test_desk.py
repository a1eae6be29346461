from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei_systems.lessons import refusals
from tests.systems.lessons.world import LESSON, STAFF, World


async def test_attendance(world: World) -> None:
    await world.lesson(capacity=3)
    for user in ("hana", "ren", "sora"):
        await world.book(user, LESSON)
    with pytest.raises(refusals.TooEarly):
        await world.service.desk.mark_attendance(STAFF, LESSON, "hana", True)
    world.clock.set((LESSON.starts_at - timedelta(minutes=10)).timestamp())
    await world.service.desk.mark_attendance(STAFF, LESSON, "hana", True)
    world.clock.set((LESSON.starts_at + timedelta(hours=1)).timestamp())
    await world.jobs.expire({})
    await world.service.desk.mark_attendance(STAFF, LESSON, "ren", False)
    with pytest.raises(refusals.NoSuchTie):
        await world.service.desk.mark_attendance(STAFF, LESSON, "nobody", True)
    world.settle()
    roll = await world.service.desk.roll(STAFF, LESSON)
    assert {one.user_id: one.attended for one in roll.booked} == {"hana": True, "ren": False, "sora": None}
    figures = {user: await world.statistics(user) for user in ("hana", "ren", "sora")}
    assert {user: (one.lessons, one.absences) for user, one in figures.items()} == {
        "hana": (1, 0),
        "ren": (0, 1),
        "sora": (1, 0),
    }
    assert figures["hana"].months == [("2025-07", 1)]
    assert figures["hana"].names == [("BSL House 1", 1)]
