from __future__ import annotations

from datetime import date, time

import pytest

from sekkei.design import replace
from sekkei_systems import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, lessons
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.timetable import draft_of
from sekkei_systems.lessons.service.timetable import Timetable, take_in
from tests.lost import answer_lost
from tests.systems.lessons.rules.test_timetable import CSV, ICS, read_text
from tests.systems.lessons.world import LESSON, NOON, STAFF, World


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


# Lessons that vanish from a feed.


OTHER = Slot("gnz", LESSON.lesson_date, time(9, 0))


async def test_what_a_feed_lists_no_longer_is_called_off_after_a_while(world: World) -> None:
    await world.lesson(LESSON)
    await world.lesson(OTHER)
    compare = world.service.listed.compare
    assert await compare("gnz", {LESSON}) == []
    assert await compare("gnz", set()) == []
    world.clock.advance(2 * 3600)
    assert await compare("gnz", set()) == []
    assert not (await world.lesson_now()).called_off, "a feed may be wrong for a while"
    world.clock.advance(3600)
    assert await compare("gnz", set()) == [LESSON]
    assert (await world.lesson_now()).called_off
    assert not (await world.lesson_now(OTHER)).called_off, "what was never listed is the desk's own"
    assert await compare("gnz", set()) == []


async def test_what_comes_back_in_time_stays(world: World) -> None:
    await world.lesson(LESSON)
    compare = world.service.listed.compare
    for listed in ({LESSON}, set(), {LESSON}, set()):
        await compare("gnz", listed)
        world.clock.advance(2 * 3600)
    assert await compare("gnz", set()) == []
    found = await world.lesson_now()
    assert (found.called_off, found.listed) == (False, True)


async def test_a_lesson_on_the_move_keeps_nothing_else_from_being_called_off(world: World) -> None:
    for slot in (LESSON, OTHER):
        await world.lesson(slot)
    compare = world.service.listed.compare
    await compare("gnz", {LESSON, OTHER})
    await compare("gnz", set())
    world.clock.advance(3 * 3600)
    await world.db.write(
        lessons.update("gnz", OTHER.lesson_date, OTHER.start_time).set(Lesson.moving_to, "gnz/2025-08-01/09:00")
    )
    assert await compare("gnz", set()) == [LESSON]


async def test_taking_in_twice_changes_nothing(world: World) -> None:
    lessons, _ = read_text("a.csv", CSV)
    dry = await take_in(world.service.timetable, lessons, dry=True)
    with pytest.raises(refusals.NoSuchLesson):
        await world.service.timetable.get(LESSON)
    first = await take_in(world.service.timetable, lessons)
    assert (dry.added, first.added, first.changed, first.refused) == (2, 2, 0, [])
    await world.book("hana", LESSON)
    again = await take_in(world.service.timetable, lessons)
    assert (again.added, again.changed, again.unchanged) == (0, 0, 2)
    changed, _ = read_text("a.csv", CSV.replace("YUKI", "RYO"))
    assert (await take_in(world.service.timetable, changed)).changed == 1
    found = await world.service.timetable.get(LESSON)
    assert (found.instructor, found.booked) == ("RYO", 1), "what is booked stays booked"


async def test_another_lesson_in_a_taken_slot_and_the_past_are_refused(world: World) -> None:
    await world.lesson(lesson_id="b7")
    await world.book("hana", LESSON)
    lessons, _ = read_text("a.ics", ICS)
    world.clock.set(days.at(date(2025, 7, 31), 9, 30).timestamp())
    past = await take_in(world.service.timetable, lessons)
    assert (past.added, len(past.refused)) == (0, 2)
    world.clock.set(NOON)
    taken = await take_in(world.service.timetable, lessons)
    assert taken.added == 1
    assert "already a lesson (BSL House 1)" in taken.refused[0]
    assert (await world.service.timetable.get(LESSON)).lesson_name == "BSL House 1"


async def test_a_file_does_not_bring_back_what_is_called_off(world: World) -> None:
    await world.lesson(capacity=20)
    off = await world.service.desk.call_off(STAFF, LESSON)
    head = "studio,date,start,name,instructor,capacity,open\n"
    row = f"gnz,{LESSON.lesson_date},{LESSON.start_time:%H:%M},House,Mako,20,はい\n"
    taken, problems = await world.service.desk.take_in(STAFF, "a.csv", (head + row).encode())
    assert (taken.changed, [problem.split(":")[0] for problem in problems]) == (0, [f"{LESSON}".split(":")[0]])
    assert await world.service.timetable.get(LESSON) == off


async def test_a_file_says_nothing_of_what_it_leaves_out(world: World) -> None:
    """135 people were once told of an opening that was none: a file without capacities had removed them."""
    await world.lesson(capacity=3, is_open=False, program="BSL", end_time=time(20, 15))
    drafts, _ = read_text("a.csv", "studio,date,start,name,instructor\ngnz,2025-07-30,19:30,House,Mako\n")
    assert (await take_in(world.service.timetable, drafts)).changed == 1
    found = await world.lesson_now()
    assert (found.lesson_name, found.instructor) == ("House", "Mako")
    assert (found.capacity, found.is_open, found.program, found.end_time) == (3, False, "BSL", time(20, 15))
    assert (await take_in(world.service.timetable, drafts)).unchanged == 1
