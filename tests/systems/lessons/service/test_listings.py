from __future__ import annotations

from datetime import date, time

import pytest

from sekkei_systems import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.service.listings import take_in
from tests.systems.lessons.rules.test_listings import CSV, ICS, read_text
from tests.systems.lessons.world import LESSON, NOON, STAFF, World


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
