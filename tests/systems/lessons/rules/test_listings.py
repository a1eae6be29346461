from __future__ import annotations

from datetime import date, time

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime import days
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.rules.listings import Unreadable, read
from sekkei_systems.lessons.rules.studios import Studio
from tests.systems.lessons.world import LESSON, NOON

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
