"""What happens by the clock."""

from __future__ import annotations

from datetime import time, timedelta

from sekkei.runtime import days
from sekkei.runtime.design import Schedule, due_schedules
from sekkei_systems.lessons.design import Lesson, Status, TieKind, lessons
from sekkei_systems.lessons.rules import Slot
from tests.systems.lessons.conftest import LESSON, World


async def test_what_begins_soon_is_looked_at_between_the_minutes(world: World) -> None:
    soon = Slot("gnz", LESSON.lesson_date, time(13, 0))
    for slot in (soon, LESSON):
        await world.lesson(slot, capacity=0)
        await world.service.join_waitlist("hana", slot)
    world.clock.set((soon.starts_at - timedelta(hours=1)).timestamp())
    await world.jobs.monitor({})
    world.settle()
    later = days.now(world.clock) + timedelta(seconds=60)
    found: list[Schedule] = await world.runtime.all(due_schedules(later))
    started = soon.starts_at - timedelta(hours=1)
    assert sorted((one.job, (one.due_at - started).seconds) for one in found if one.due_at) == [
        ("near", 20),
        ("near", 40),
    ]
    for slot in (soon, LESSON):
        update = lessons.update(slot.studio_code, slot.lesson_date, slot.start_time)
        await world.db.write(update.set(Lesson.capacity, 1))
    await world.jobs.near({})
    assert [str(one.id).split("/")[2:5] for one in await world.notices()] == [str(soon).split("/")]


async def test_many_ties_end_in_one_pass(world: World) -> None:
    slots = [Slot("gnz", LESSON.lesson_date, time(hour, 0)) for hour in range(6, 23)]
    for slot in slots:
        await world.lesson(slot, capacity=9)
        await world.service.book("hana", slot)
        await world.service.add_favorite("hana", slot)
    world.clock.set(days.start_of(LESSON.lesson_date + timedelta(days=1)).timestamp())
    await world.jobs.expire({})
    found = await world.service.my_list("hana")
    assert {(one.kind, one.status) for one in found} == {
        (TieKind.BOOKING, Status.COMPLETED),
        (TieKind.FAVORITE, Status.EXPIRED),
        (TieKind.HISTORY, Status.COMPLETED),
    }
    assert len(found) == 3 * len(slots)
