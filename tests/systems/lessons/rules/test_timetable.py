from __future__ import annotations

from datetime import date, time
from typing import Any

import orjson
import pytest
from msgspec import UNSET

from sekkei.clock import ManualClock
from sekkei.runtime import days
from sekkei_systems.lessons.rules import timetable
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.studios import Studio
from sekkei_systems.lessons.rules.timetable import LessonDraft, Unreadable, draft_of, read
from tests.systems.lessons.rules.test_places import lesson
from tests.systems.lessons.world import LESSON, NOON

# What is said of a lesson, and what is not.


THERE = lesson(capacity=5, is_open=True, program="BSL", end_time=time(20, 15))


def test_a_draft_of_a_lesson_changes_nothing() -> None:
    assert draft_of(THERE).onto(THERE) == THERE
    assert LessonDraft(LESSON).onto(THERE) == THERE


def test_none_is_something_that_is_said() -> None:
    found = LessonDraft(LESSON, capacity=None, end_time=None).onto(THERE)
    assert (found.capacity, found.end_time, found.program) == (None, None, "BSL")


@pytest.mark.parametrize(
    ("there", "said", "expected"),
    [
        ({}, {"called_off": True}, (True, False)),
        ({"called_off": True, "is_open": False}, {}, (True, False)),
        ({"called_off": True, "is_open": False}, {"called_off": False}, (False, True)),
        ({"called_off": True, "is_open": False}, {"called_off": False, "is_open": False}, (False, False)),
        ({"is_open": False}, {"called_off": False}, (False, False)),
        ({"is_open": False}, {"is_open": True}, (False, True)),
    ],
)
def test_called_off_and_open(there: dict[str, Any], said: dict[str, Any], expected: tuple[bool, bool]) -> None:
    found = LessonDraft(LESSON, **said).onto(lesson(**there))
    assert (found.called_off, found.is_open) == expected


def test_a_fresh_one_is_open_and_without_limit_unless_said() -> None:
    found = LessonDraft(LESSON, lesson_name="a", instructor="b").fresh(LESSON.starts_at)
    assert (found.capacity, found.is_open, found.called_off) == (None, True, False)
    assert not LessonDraft(LESSON, called_off=True).fresh(LESSON.starts_at).is_open


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


def read_text(name: str, text: str) -> tuple[list[LessonDraft], list[str]]:
    found = read(name, text.encode(), STUDIOS)
    return found.lessons, found.problems


def test_a_csv_file() -> None:
    lessons, problems = read_text("a.csv", "\ufeff" + CSV)
    assert problems == []
    first, second = lessons
    assert (first.slot, first.end_time, first.capacity, first.called_off) == (LESSON, time(20, 15), 20, UNSET)
    assert (second.slot.start_time, second.instructor, second.capacity) == (time(9, 30), "Mako, 他", UNSET)
    assert second.called_off is True


def test_an_icalendar_file() -> None:
    lessons, problems = read_text("a.ics", ICS)
    assert problems == []
    first, second = lessons
    assert (first.lesson_name, first.instructor, first.lesson_id) == ("BSL House 1, 入門", "YUKI", "a1")
    assert (first.slot, first.end_time, first.capacity) == (LESSON, time(20, 15), 20)
    assert (second.slot, second.called_off) == (Slot("gnz", date(2025, 7, 31), time(9, 30)), True)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("g#z,2025-07-30,19:30,a,b,", "is not one of gnz"),
        ("gnz,2025-02-30,19:30,a,b,", "2025-07-30"),
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


def test_excel_in_japan_writes_shift_jis() -> None:
    text = CSV.replace("YUKI", "髙橋①").replace("\n", "\r\n")
    found = read("A.CSV", text.encode("cp932"), STUDIOS)
    assert (found.lessons, found.problems) == read_text("a.csv", text)
    assert found.lessons[0].instructor == "髙橋①"


def test_other_encodings_are_refused() -> None:
    for name, content in (("a.csv", CSV.encode("utf-16")), ("a.ics", ICS.encode("cp932"))):
        with pytest.raises(Unreadable, match="UTF-8"):
            read(name, content, STUDIOS)


def test_lines_may_end_in_any_way_and_headings_be_of_any_width() -> None:
    rows = "ＳＴＵＤＩＯ, Date ,start,name,instructor\rGNZ,2025-07-30,19:30,a,b\r"
    (one,), problems = read_text("a.csv", rows)
    assert (one.slot, problems) == (LESSON, [])


def test_a_cell_without_an_end_is_no_timetable() -> None:
    with pytest.raises(Unreadable, match="no CSV"):
        read_text("a.csv", f"studio,date,start,name,instructor\ngnz,2025-07-30,19:30,{'x' * 140_000},b\n")


def test_zones_of_a_calendar_and_what_repeats() -> None:
    elsewhere = ICS.replace("DTSTART;TZID=Asia/Tokyo:20250731T093000", "DTSTART;TZID=Europe/London:20250731T013000")
    assert read_text("a.ics", elsewhere) == read_text("a.ics", ICS)
    assert read_text("a.ics", ICS.replace("Asia/Tokyo", "Tokyo Standard Time")) == read_text("a.ics", ICS)
    lessons, problems = read_text("a.ics", ICS.replace("UID:a1\r\n", "UID:a1\r\nRRULE:FREQ=WEEKLY\r\n"))
    assert [one.lesson_id for one in lessons] == ["a2"]
    assert problems[0].startswith("a1: repeats")


def test_what_people_type() -> None:
    rows = "ｇｎｚ,２０２５/7/30,１９：３０,９：５,a,b,２０\ngnz,2025年8月1日,9:5,,c,d,なし\n".replace("ｇｎｚ", "銀座")
    lessons, problems = read_text("a.csv", f"studio,date,start,end,name,instructor,capacity\n{rows}")
    assert problems == []
    assert [(one.slot, one.end_time, one.capacity) for one in lessons] == [
        (LESSON, time(9, 5), 20),
        (Slot("gnz", date(2025, 8, 1), time(9, 5)), UNSET, None),
    ]


def test_what_is_not_said_is_not_none() -> None:
    (first,), _ = read_text("a.csv", "studio,date,start,name,instructor\ngnz,2025-07-30,19:30,a,b\n")
    assert first.said == {"lesson_name": "a", "instructor": "b"}


@pytest.mark.parametrize(
    ("word", "is_open"), [("open", True), ("受付中", True), ("○", True), ("closed", False), ("×", False)]
)
def test_whether_it_takes_bookings(word: str, is_open: bool) -> None:
    rows = f"studio,date,start,name,instructor,受付\ngnz,2025-07-30,19:30,a,b,{word}\n"
    assert [one.is_open for one in read_text("a.csv", rows)[0]] == [is_open]


def test_what_is_neither_yes_nor_no_closes_nothing() -> None:
    head = "studio,date,start,name,instructor,受付,休講"
    rows = f"{head}\ngnz,2025-07-30,19:30,a,b,たぶん,\ngnz,2025-07-31,19:30,a,b,,休講\n"
    (off,), problems = read_text("a.csv", rows)
    assert (off.called_off, problems) == (True, ["line 2: open 'たぶん' is neither yes nor no"])


def test_studios_that_nobody_knows_are_refused() -> None:
    rows = "studio,date,start,name,instructor\nxyz,2025-07-30,19:30,a,b\n"
    lessons, problems = read_text("a.csv", rows)
    assert (lessons, problems) == ([], ["line 2: studio 'xyz' is not one of gnz"])


EVENT = (
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a1\r\nDTSTART{start}\r\nSUMMARY:Yoga\r\nLOCATION:gnz\r\n"
    "X-INSTRUCTOR:Mako\r\n{more}END:VEVENT\r\nEND:VCALENDAR\r\n"
)


@pytest.mark.parametrize(
    ("start", "slot"),
    [
        (";TZID=America/New_York:20260307T203000", Slot("gnz", date(2026, 3, 8), time(10, 30))),
        (";TZID=America/New_York:20260308T203000", Slot("gnz", date(2026, 3, 9), time(9, 30))),  # summer has begun
        (";TZID=America/New_York:20260308T023000", Slot("gnz", date(2026, 3, 8), time(16, 30))),  # an hour that is not
        (";TZID=America/New_York:20261101T013000", Slot("gnz", date(2026, 11, 1), time(14, 30))),  # the first of two
        (";TZID=../../etc/passwd:20260308T023000", Slot("gnz", date(2026, 3, 8), time(2, 30))),
    ],
)
def test_times_of_other_zones_are_japans(start: str, slot: Slot) -> None:
    lessons, problems = read_text("a.ics", EVENT.format(start=start, more=""))
    assert ([one.slot for one in lessons], problems) == ([slot], [])


def test_a_time_that_is_none_in_japan_is_said_and_stops_nothing() -> None:
    for start in (":99991231T235959Z", ":00010101T000000", ":20260230T100000"):
        lessons, problems = read_text("a.ics", EVENT.format(start=start, more=""))
        assert (lessons, len(problems)) == ([], 1), start
    endless = EVENT.format(start=":20260308T100000", more="RRULE:FREQ=SECONDLY;COUNT=999999999\r\n")
    assert "repeats" in read_text("a.ics", endless)[1][0]


def test_a_file_of_too_many_lessons_is_read_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timetable, "LESSONS_MAX", 2)
    line = "gnz,2026-08-01,10:0{n},x,y\n"
    head = "studio,date,start,name,instructor\n"
    assert len(read_text("a.csv", head + line.format(n=1) + line.format(n=2))[0]) == 2
    with pytest.raises(Unreadable, match="more than 2 lessons"):
        read_text("a.csv", head + "".join(line.format(n=n) for n in range(3)))


def test_what_is_no_text_or_hides_is_no_name() -> None:
    row = {"studio": "gnz", "date": "2026-08-01", "start": "10:00", "name": "Yoga", "instructor": "Mako"}
    for wrong in ({"name": {"a": 1}}, {"instructor": ["x"]}, {"name": "\u200b\u2060"}):
        found = read("a.json", orjson.dumps([{**row, **wrong}]), STUDIOS)
        assert (found.lessons, len(found.problems)) == ([], 1), wrong
    (plain,) = read("a.json", orjson.dumps([{**row, "name": "\u202eYo\u0000ga\n1"}]), STUDIOS).lessons
    assert plain.lesson_name == "Yoga 1"


FOREIGN = [
    # what stands behind DTSTART, further lines, the beginning and the end in Japan
    (":20260308T100000", "DTEND:20260308T113000\r\n", "2026-03-08 10:00", "11:30"),
    (":20260308T010000Z", "DTEND:20260308T023000Z\r\n", "2026-03-08 10:00", "11:30"),
    (":20260308T100000", "DURATION:PT1H30M\r\n", "2026-03-08 10:00", "11:30"),
    (";TZID=Tokyo Standard Time:20260308T100000", "DURATION:PT45M\r\n", "2026-03-08 10:00", "10:45"),
    (";TZID=Pacific Standard Time:20260307T170000", "", "2026-03-08 10:00", None),
    ('";TZID="W. Europe Standard Time":20260308T020000'.removeprefix('"'), "", "2026-03-08 10:00", None),
    (";TZID=/freeassociation.sourceforge.net/Europe/London:20260308T010000", "", "2026-03-08 10:00", None),
    (";TZID=Nowhere/X:20260308T100000", "", "2026-03-08 10:00", None),
    (":20260308T100000", "DTEND:nonsense\r\n", "2026-03-08 10:00", None),
    (":20260308T100000", "DURATION:nonsense\r\n", "2026-03-08 10:00", None),
    (":20260308T100000", "DTSTART:20270101T000000\r\nSUMMARY:other\r\nLOCATION:sby\r\n", "2026-03-08 10:00", None),
    (":20260308T100000", "EXDATE:20260315T100000\r\n", "2026-03-08 10:00", None),
    (
        ":20260308T100000",
        "SEQUENCE:x\r\nCLASS:PUBLIC\r\nBEGIN:VALARM\r\nSUMMARY:wake up\r\nEND:VALARM\r\n",
        "2026-03-08 10:00",
        None,
    ),
]


@pytest.mark.parametrize(("start", "more", "begins", "ends"), FOREIGN)
def test_calendars_of_other_programs(start: str, more: str, begins: str, ends: str | None) -> None:
    (lesson,), problems = read_text("a.ics", EVENT.format(start=start, more=more))
    end = UNSET if lesson.end_time is UNSET else f"{lesson.end_time:%H:%M}"
    assert (f"{lesson.slot.lesson_date} {lesson.slot.start_time:%H:%M}", end) == (
        begins,
        UNSET if ends is None else ends,
    )
    assert (lesson.lesson_name, problems) == ("Yoga", [])


def test_texts_of_a_calendar_are_unescaped_once() -> None:
    text = EVENT.format(start=":20260308T100000", more="").replace("Yoga", "a\\\\n\\, b").replace("Mako", "M\\, K")
    (lesson,), _ = read_text("a.ics", text)
    assert (lesson.lesson_name, lesson.instructor) == ("a\\n, b", "M, K")


def test_a_zone_that_a_calendar_describes_itself() -> None:
    zone = (
        "BEGIN:VTIMEZONE\r\nTZID:Our studio\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0800\r\n"
        "TZOFFSETTO:+0800\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
    )
    text = EVENT.format(start=";TZID=Our studio:20260308T090000", more="")
    (lesson,), _ = read_text("a.ics", text.replace("BEGIN:VEVENT", f"{zone}BEGIN:VEVENT", 1))
    assert lesson.slot == Slot("gnz", date(2026, 3, 8), time(10))


@pytest.mark.parametrize(
    ("missing", "problem"),
    [
        ("UID:a1\r\n", None),
        ("SUMMARY:Yoga\r\n", "a1: name missing"),
        ("LOCATION:gnz\r\n", "a1: studio missing"),
        ("X-INSTRUCTOR:Mako\r\n", "a1: instructor missing"),
        ("DTSTART:20260308T100000\r\n", "a1: date, start missing"),
    ],
)
def test_fields_that_a_calendar_lacks(missing: str, problem: str | None) -> None:
    text = EVENT.format(start=":20260308T100000", more="").replace(missing, "")
    lessons, problems = read_text("a.ics", text)
    assert (len(lessons), problems) == ((1, []) if problem is None else (0, [problem]))


def test_a_day_without_a_time_is_no_lesson() -> None:
    lessons, problems = read_text("a.ics", EVENT.format(start=";VALUE=DATE:20260308", more=""))
    assert (lessons, problems) == ([], ["a1: date, start missing"])
