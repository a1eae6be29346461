from __future__ import annotations

import pytest

from sekkei.design import replace
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, lessons
from sekkei_systems.lessons.rules.drafts import draft_of
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.timetable import Timetable
from tests.lost import answer_lost
from tests.systems.lessons.world import LESSON, STAFF, World


async def test_a_second_lesson_in_one_slot_is_refused(world: World) -> None:
    there = await world.lesson(capacity=3, lesson_id="a")
    with pytest.raises(refusals.SlotTaken, match="BSL House 1"):
        await world.service.desk.add(STAFF, draft_of(replace(there, lesson_name="Yoga", lesson_id=None)))
    with pytest.raises(refusals.SlotTaken):
        await world.service.desk.change(STAFF, draft_of(replace(there, lesson_name="Yoga", lesson_id="b")))
    assert await world.service.timetable.get(LESSON) == there


async def test_a_lesson_is_put_there_once_although_the_answer_was_lost_and_it_was_booked_since(world: World) -> None:
    there = await world.lesson(capacity=3)
    draft = draft_of(there)
    await world.db.write(lessons.delete(there.studio_code, there.lesson_date, there.start_time))
    with answer_lost(world.db, lambda: world.book("hana", LESSON)):
        await world.service.timetable.add(draft)
    assert (await world.service.timetable.get(LESSON)).booked == 1


async def test_a_change_does_not_bring_back_what_is_called_off_meanwhile(world: World) -> None:
    class Slow(Timetable):
        async def get(self, slot: Slot) -> Lesson:
            found = await super().get(slot)
            await world.service.desk.call_off(STAFF, slot)
            return found

    there = await world.lesson(capacity=20)
    with pytest.raises(refusals.CalledOff):
        await Slow(world.db, world.clock).change(draft_of(replace(there, instructor="Mako")))
    found = await world.service.timetable.get(LESSON)
    assert (found.instructor, found.called_off, found.is_open) == ("YUKI", True, False)
