"""Timetables out of CSV, iCalendar, JSON and a studio's feed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from typing import Any, cast

import orjson
import pytest

from sekkei.cli import main
from sekkei.clock import ManualClock
from sekkei.design import replace
from sekkei.runtime import days
from sekkei.runtime.http import Http
from sekkei.runtime.schedules import StoredSchedules
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.jobs import LessonJobs
from sekkei_systems.lessons.providers import ByStudio, Catalogue, Feed
from sekkei_systems.lessons.rules import Slot
from sekkei_systems.lessons.studios import Studio
from sekkei_systems.lessons.timetable import Timetable
from sekkei_systems.lessons.timetable_files import Unreadable, read, take_in
from tests.systems.lessons.conftest import LESSON, NOON, STAFF, World

STUDIOS = [Studio("gnz", "銀座")]
NOW = days.now(ManualClock(NOON))
CSV = """スタジオ,日付,開始,終了,レッスン名,インストラクター,定員,休講
銀座,2025-07-30,19:30,20:15,BSL House 1,YUKI,20,
gnz,2025/07/31,9:30,,朝ヨガ,"Mako, 他",,はい
"""
ICS = (
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a1\r\nDTSTART:20250730T103000Z\r\nDTEND:20250730T111500Z\r\n"
    'SUMMARY:BSL\r\n  House 1\\, 入門\r\nLOCATION:銀座\r\nORGANIZER;CN="YUKI":mailto:y@example.com\r\n'
    "X-CAPACITY:20\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:a2\r\nDTSTART;TZID=Asia/Tokyo:20250731T093000\r\n"
    "SUMMARY:朝ヨガ\r\nLOCATION:gnz\r\nX-INSTRUCTOR:Mako\r\nSTATUS:CANCELLED\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


def read_text(name: str, text: str) -> tuple[list[Lesson], list[str]]:
    found = read(name, text.encode(), STUDIOS, NOW)
    return found.lessons, found.problems


def test_a_csv_file() -> None:
    lessons, problems = read_text("a.csv", "\ufeff" + CSV)
    assert problems == []
    first, second = lessons
    assert (first.studio_code, first.lesson_date, first.start_time) == ("gnz", LESSON.lesson_date, LESSON.start_time)
    assert (first.end_time, first.capacity, first.called_off) == (time(20, 15), 20, False)
    assert (second.start_time, second.instructor, second.capacity) == (time(9, 30), "Mako, 他", None)
    assert second.called_off


def test_an_icalendar_file() -> None:
    lessons, problems = read_text("a.ics", ICS)
    assert problems == []
    first, second = lessons
    assert (first.lesson_name, first.instructor, first.lesson_id) == ("BSL House 1, 入門", "YUKI", "a1")
    assert (first.start_time, first.end_time, first.capacity) == (time(19, 30), time(20, 15), 20)
    assert (second.lesson_date, second.start_time, second.called_off) == (date(2025, 7, 31), time(9, 30), True)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("g#z,2025-07-30,19:30,a,b,", "no #"),
        ("gnz,2025-02-30,19:30,a,b,", "YYYY-MM-DD"),
        ("gnz,2025-07-30,25:30,a,b,", "09:30"),
        ("gnz,2025-07-30,19:30,,b,", "name missing"),
        ("gnz,2025-07-30,19:30,a,b,-1", "capacity"),
        ("gnz,2025-07-30,19:30,a,b,99999", "capacity"),
        ("gnz", "missing"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_read(row: str, words: str) -> None:
    head = "studio,date,start,name,instructor,capacity"
    lessons, problems = read_text("a.csv", f"{head}\n{row}\ngnz,2025-07-30,19:30,a,b,5\n")
    assert len(lessons) == 1
    assert problems[0].startswith("line 2:")
    assert words in problems[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.xls", ""), ("a.csv", "x,y\n"), ("a.ics", "hello"), ("a.json", "{"), ("a.json", '{"lessons": [1]}')],
)
def test_what_is_no_timetable_is_refused(name: str, text: str) -> None:
    with pytest.raises(Unreadable):
        read_text(name, text)


def test_other_encodings_are_refused() -> None:
    with pytest.raises(Unreadable):
        read("a.csv", CSV.encode("shift_jis"), STUDIOS, NOW)


async def test_taking_in_twice_changes_nothing(world: World) -> None:
    lessons, _ = read_text("a.csv", CSV)
    dry = await take_in(world.service.timetable, lessons, dry=True)
    with pytest.raises(refusals.NoSuchLesson):
        await world.service.timetable.get(LESSON)
    first = await take_in(world.service.timetable, lessons)
    assert (dry.added, first.added, first.changed, first.refused) == (2, 2, 0, [])
    await world.service.book("hana", LESSON)
    again = await take_in(world.service.timetable, lessons)
    assert (again.added, again.changed, again.unchanged) == (0, 0, 2)
    changed, _ = read_text("a.csv", CSV.replace("YUKI", "RYO"))
    assert (await take_in(world.service.timetable, changed)).changed == 1
    found = await world.service.timetable.get(LESSON)
    assert (found.instructor, found.booked) == ("RYO", 1), "what is booked stays booked"


async def test_another_lesson_in_a_taken_slot_and_the_past_are_refused(world: World) -> None:
    await world.lesson(lesson_id="b7")
    await world.service.book("hana", LESSON)
    lessons, _ = read_text("a.ics", ICS)
    world.clock.set(days.at(date(2025, 7, 31), 9, 30).timestamp())
    past = await take_in(world.service.timetable, lessons)
    assert (past.added, len(past.refused)) == (0, 2)
    world.clock.set(NOON)
    taken = await take_in(world.service.timetable, lessons)
    assert taken.added == 1
    assert "Another lesson" in taken.refused[0]
    assert (await world.service.timetable.get(LESSON)).lesson_name == "BSL House 1"


@dataclass
class Answer:
    status: int
    body: bytes


class FakeHttp:
    """A feed of one studio."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.asked = answer, list[str]()

    async def json(self, method: str, url: str, content: Any = None) -> Answer:
        self.asked.append(url)
        return self.answer


async def test_a_feed_is_taken_in_by_the_clock(world: World) -> None:
    row = {"studio": "gnz", "date": "2025-07-30", "start": "19:30", "name": "House", "instructor": "Y", "capacity": 3}
    foreign = {**row, "studio": "sby"}
    http = FakeHttp(Answer(200, orjson.dumps({"lessons": [row, foreign]})))
    feed = Feed("https://feed.example/", cast(Http, http), world.clock)
    schedules = StoredSchedules(world.runtime, world.clock, "lessons")
    provider = ByStudio({"gnz": feed}, Catalogue(world.db))
    jobs = LessonJobs(world.db, world.clock, schedules, world.monitor, world.alerts, world.searches, provider, STUDIOS)
    await jobs.refresh({})
    assert http.asked == ["https://feed.example/gnz?from=2025-07-29&to=2025-08-12"]
    assert (await world.service.timetable.get(LESSON)).capacity == 3
    with pytest.raises(refusals.NoSuchLesson):
        await world.service.timetable.get(Slot("sby", LESSON.lesson_date, LESSON.start_time))
    for broken in (Answer(500, b""), Answer(200, b"<html>")):
        http.answer = broken
        await jobs.refresh({})
    assert (await world.service.timetable.get(LESSON)).capacity == 3
    http.answer = Answer(200, orjson.dumps({"lessons": [row]}))
    await world.service.call_off(STAFF, LESSON)
    world.clock.advance(3600)  # the feed has been asked too often, and went wrong
    await jobs.refresh({})
    assert len(http.asked) == 4
    found = await world.service.timetable.get(LESSON)
    assert (found.called_off, found.is_open) == (True, False), "a feed that is behind does not bring it back"


async def test_a_file_does_not_bring_back_what_is_called_off(world: World) -> None:
    await world.lesson(capacity=20)
    off = await world.service.call_off(STAFF, LESSON)
    head = "studio,date,start,name,instructor,capacity\n"
    row = f"gnz,{LESSON.lesson_date},{LESSON.start_time:%H:%M},House,Mako,20\n"
    taken, problems = await world.service.take_in(STAFF, "gnz", "a.csv", (head + row).encode())
    assert (taken.changed, [problem.split(":")[0] for problem in problems]) == (0, [f"{LESSON}".split(":")[0]])
    assert await world.service.timetable.get(LESSON) == off


async def test_a_change_does_not_bring_back_what_is_called_off_meanwhile(world: World) -> None:
    class Slow(Timetable):
        async def get(self, slot: Slot) -> Lesson:
            found = await super().get(slot)
            await world.service.call_off(STAFF, slot)
            return found

    there = await world.lesson(capacity=20)
    with pytest.raises(refusals.CalledOff):
        await Slow(world.db, world.clock).change(replace(there, instructor="Mako"))
    found = await world.service.timetable.get(LESSON)
    assert (found.instructor, found.called_off, found.is_open) == ("YUKI", True, False)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, store = tmp_path / "a.csv", str(tmp_path / "store.db")
    file.write_text(CSV.replace("2025", "2199"), encoding="utf-8")
    command = ["lessons", "import", str(file), "--store", store]
    assert main([*command, "--dry-run"]) == 0
    assert "would be added" in capsys.readouterr().out
    assert main(command) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["added", "2"]
    assert main(command) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["added", "0"]
    file.write_text(CSV, encoding="utf-8")
    assert main(command) == 1, "lessons of the past"
    assert main(["lessons", "import", str(tmp_path / "none.csv"), "--store", store]) == 2
