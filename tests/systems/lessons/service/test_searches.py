from __future__ import annotations

import asyncio
from dataclasses import asdict
from datetime import time
from typing import Any

import pytest

from sekkei.runtime import days
from sekkei.runtime.design import Schedule, schedules
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, Search, lessons
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.searches import GATHERED, SEARCHES_MAX, Wish, fits
from tests.systems.lessons.world import LESSON, World


async def told(world: World) -> list[tuple[str, int]]:
    """Whom, and of how many lessons."""
    return sorted((one.to, str(one.body["text"]).count("（YUKI）")) for one in await world.notices())


async def test_what_appears_is_told_together_and_once(world: World) -> None:
    for user in ("hana", "ren", "sora"):
        await world.person(user)
    await world.searches.save(Member("hana"), Wish(instructor="YUKI"))
    await world.searches.save(Member("hana"), Wish(studio_code="gnz"))
    await world.searches.save(Member("ren"), Wish(program="BSL House 1", time_until=time(12, 0)))
    await world.searches.save(Member("sora"), Wish(instructor="Mako"))
    world.settle()
    morning = Slot("gnz", LESSON.lesson_date, time(9, 0))
    appeared = [await world.lesson(slot, capacity=5) for slot in (LESSON, morning)]
    for lesson in appeared:
        await world.searches.came_up(lesson, opened=False)
    for lesson in appeared:
        assert await world.searches.came_up(lesson, opened=False) == 0, "word that comes twice is noted once"
    assert [await world.searches.tell(user) for user in ("hana", "ren", "sora")] == [2, 1, 0]
    assert await told(world) == [("hana@example.com", 2), ("ren@example.com", 1)]
    assert [await world.searches.tell(user) for user in ("hana", "ren")] == [0, 0]


async def test_what_opens_is_told_but_not_all_the_time(world: World) -> None:
    await world.person("hana")
    await world.searches.save(Member("hana"), Wish(instructor="YUKI"))
    world.settle()
    full = await world.lesson(capacity=0)
    assert await world.searches.came_up(full, opened=False) == 0, "nothing to book yet"
    for minutes, expected in ((1, 1), (2, 0), (70, 1)):
        world.clock.set(LESSON.starts_at.timestamp() - 10 * 3600 + minutes * 60)
        opened = await world.lesson(capacity=3)
        assert await world.searches.came_up(opened, opened=True) == expected
        assert await world.searches.tell("hana") == expected
    assert len(await world.notices()) == 2


async def test_what_is_gone_or_booked_meanwhile_is_not_told(world: World) -> None:
    await world.person("hana")
    await world.searches.save(Member("hana"), Wish(instructor="YUKI"))
    world.settle()
    other = Slot("sby", LESSON.lesson_date, time(9, 0))
    for slot in (LESSON, other):
        await world.searches.came_up(await world.lesson(slot, capacity=3), opened=True)
    await world.book("hana", LESSON)
    closed = lessons.update(other.studio_code, other.lesson_date, other.start_time)
    await world.db.write(closed.set(Lesson.is_open, False))
    assert await world.searches.tell("hana") == 0
    assert await world.notices() == []


async def test_an_opening_that_was_gone_at_once_does_not_put_off_the_next(world: World) -> None:
    await world.person("hana")
    await world.searches.save(Member("hana"), Wish(instructor="YUKI"))
    world.settle()
    morning = Slot("gnz", LESSON.lesson_date, time(9, 0))
    await world.searches.came_up(await world.lesson(capacity=1), opened=True)
    await world.lesson(capacity=0)
    assert await world.searches.tell("hana") == 0
    await world.runtime.write_many([schedules.delete(one.name) for one in await planned(world)])
    world.settle()
    await world.searches.came_up(await world.lesson(morning), opened=True)
    now = days.now(world.clock)
    assert [one.due_at for one in await planned(world)] == [now]
    assert await world.searches.tell("hana") == 1
    await world.searches.came_up(await world.lesson(Slot("sby", LESSON.lesson_date, time(9, 0))), opened=True)
    assert max(one.due_at for one in await planned(world) if one.due_at) == now + GATHERED


async def test_who_cannot_be_reached_has_been_told_of_nothing(world: World) -> None:
    await world.searches.save(Member("hana"), Wish(instructor="YUKI"))
    world.settle()
    assert await world.searches.came_up(await world.lesson(), opened=True) == 1
    assert await world.searches.tell("hana") == 0
    await world.person("hana")
    assert await world.searches.tell("hana") == 1
    assert await world.searches.tell("hana") == 0


async def planned(world: World) -> list[Schedule]:
    return await world.runtime.all(schedules.scan().consistent())


async def test_searches_are_ones_own_and_few(world: World) -> None:
    made = await world.searches.save(Member("hana"), Wish(instructor=" YUKI "))
    assert [(one.search_id, one.instructor) for one in await world.searches.of(Member("hana"))] == [
        (made.search_id, "YUKI")
    ]
    with pytest.raises(refusals.NoSuchSearch):
        await world.searches.delete(Member("ren"), made.search_id)
    await world.searches.delete(Member("hana"), made.search_id)
    with pytest.raises(refusals.NoSuchSearch):
        await world.searches.delete(Member("hana"), made.search_id)
    for wrong in (Wish(), Wish(instructor=" "), Wish(program="x" * 201)):
        with pytest.raises(refusals.BadSearch):
            await world.searches.save(Member("hana"), wrong)
    with pytest.raises(refusals.BadSlot):
        await world.searches.save(Member("hana"), Wish(instructor="x", time_from=time(9, 0), time_until=time(9, 0)))
    assert await world.searches.of(Member("hana")) == []
    for number in range(SEARCHES_MAX):
        await world.searches.save(Member("hana"), Wish(instructor=f"YUKI {number}"))
    with pytest.raises(refusals.TooManySearches):
        await world.searches.save(Member("hana"), Wish(instructor="YUKI"))
    again = await world.searches.save(Member("hana"), Wish(instructor="ｙｕｋｉ 0"))
    assert again.instructor == "YUKI 0", "the same one is there already"


async def test_the_same_search_is_saved_once(world: World) -> None:
    wish = Wish(instructor="YUKI", weekdays=frozenset({0, 4}), time_from=time(18, 0))
    made = await asyncio.gather(*(world.searches.save(Member("hana"), wish) for _ in range(5)))
    assert len({one.search_id for one in made}) == 1
    assert len(await world.searches.of(Member("hana"))) == 1
    await world.searches.save(Member("hana"), Wish(instructor="YUKI", weekdays=frozenset({0})))
    assert len(await world.searches.of(Member("hana"))) == 2


FOUND = Lesson(
    studio_code="gnz",
    lesson_date=LESSON.lesson_date,
    start_time=LESSON.start_time,
    lesson_name="BSL House 1",
    program="BSL",
    instructor="YUKI",
    updated_at=LESSON.starts_at,
)


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ({"instructor": "ｙｕｋｉ"}, True),
        ({"instructor": "YUK"}, False),
        ({"program": "bsl house  1"}, True),
        ({"program": "BSL"}, True),
        ({"program": "BSW"}, False),
        ({"studio_code": "gnz"}, True),
        ({"studio_code": "sby", "instructor": "YUKI"}, False),
        ({"instructor": "YUKI", "weekdays": frozenset({2})}, True),
        ({"instructor": "YUKI", "weekdays": frozenset({0, 1})}, False),
        ({"instructor": "YUKI", "time_from": time(19, 30), "time_until": time(19, 31)}, True),
        ({"instructor": "YUKI", "time_until": time(19, 30)}, False),
        ({"instructor": "YUKI", "time_from": time(19, 31)}, False),
    ],
)
def test_what_fits(wish: dict[str, Any], expected: bool) -> None:
    made = Search(user_id="a", search_id="1", created_at=LESSON.starts_at, **asdict(Wish(**wish)))
    assert fits(made, FOUND) is expected
