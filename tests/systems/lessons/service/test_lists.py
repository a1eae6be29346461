from __future__ import annotations

from datetime import date, time, timedelta

from sekkei_systems.lessons.design import TieKind
from sekkei_systems.lessons.rules.slots import Slot, slot_of
from sekkei_systems.lessons.service.access import Member
from tests.systems.lessons.world import LESSON, World


async def test_my_list_is_in_time_order_across_studios(world: World) -> None:
    slots = [Slot("sby", date(2025, 8, 1), time(9, 0)), LESSON, Slot("aaa", date(2025, 7, 31), time(7, 0))]
    for one in slots:
        await world.lesson(one, capacity=9)
        await world.like("hana", one)
    await world.book("hana", LESSON)
    found = await world.list_of("hana")
    assert [(entry.studio_code, entry.kind.value) for entry in found] == [
        ("gnz", "booking"),
        ("gnz", "favorite"),
        ("aaa", "favorite"),
        ("sby", "favorite"),
    ]
    world.settle()
    assert [entry.studio_code for entry in await world.list_of("hana", TieKind.FAVORITE)] == [
        "gnz",
        "aaa",
        "sby",
    ]


async def test_overlapping_bookings_are_noticed(world: World) -> None:
    other = Slot("sby", LESSON.lesson_date, time(20, 0))
    await world.lesson(capacity=9, end_time=time(20, 15))
    await world.lesson(other, capacity=9)
    await world.book("hana", LESSON)
    world.settle()
    wanted = await world.service.timetable.get(other)
    assert [found.studio_code for found in await world.service.lists.overlaps(Member("hana"), wanted)] == ["gnz"]


async def test_a_kind_between_two_days_ends_at_midnight_in_japan(world: World) -> None:
    days_of = [Slot("gnz", date(2025, 7, 30), time(0, 0)), Slot("sby", date(2025, 7, 30), time(23, 59))]
    others = [Slot("gnz", date(2025, 7, 29), time(23, 59)), Slot("gnz", date(2025, 7, 31), time(0, 0))]
    for one in (*days_of, *others):
        await world.lesson(one, capacity=9)
        await world.book("hana", one)
    world.settle()
    day = date(2025, 7, 30)
    for kind in (None, TieKind.BOOKING):
        assert [slot_of(one) for one in await world.list_of("hana", kind, day, day)] == days_of
    assert await world.list_of("hana", TieKind.BOOKING, day, day - timedelta(days=1)) == []
