"""Timetables out of files and feeds: CSV, iCalendar and JSON become lessons; what cannot be read is said by line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time
from typing import Any

import orjson

from sekkei.runtime.days import JST
from sekkei.runtime.refusals import Refusal
from sekkei_systems.lessons.design import Lesson
from sekkei_systems.lessons.rules.places import CAPACITY_MAX, NAME_LENGTH_MAX
from sekkei_systems.lessons.rules.slots import Slot, slot, slot_of
from sekkei_systems.lessons.rules.studios import Studio

PROBLEMS_MAX = 100
HEADINGS = {
    "スタジオ": "studio",
    "日付": "date",
    "開始": "start",
    "終了": "end",
    "レッスン名": "name",
    "インストラクター": "instructor",
    "プログラム": "program",
    "定員": "capacity",
    "受付": "open",
    "休講": "cancelled",
}
NEEDED = ("studio", "date", "start", "name", "instructor")
_YES = frozenset({"1", "true", "yes", "y", "○", "はい"})
_MOMENT = re.compile(r"(\d{8})T(\d{6})(Z?)")
_ESCAPED = re.compile(r"\\([\\;,nN])")
Row = Mapping[str, Any]


@dataclass(slots=True)
class Listing:
    """What a file says."""

    lessons: list[Lesson] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def refuse(self, where: str, reason: str) -> None:
        if len(self.problems) < PROBLEMS_MAX:
            self.problems.append(f"{where}: {reason}")


class Unreadable(ValueError):
    """The file as a whole is not what its name says."""


def read(name: str, content: bytes, studios: Sequence[Studio], now: datetime) -> Listing:
    """By the ending of the file's name: .csv, .ics or .json."""
    ending = name.rpartition(".")[2].lower()
    readers = {"csv": _rows_of_csv, "ics": _rows_of_ics, "json": _rows_of_json}
    if ending not in readers:
        raise Unreadable(f"{name}: a timetable is a file ending in .csv, .ics or .json")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable(f"{name}: is not UTF-8") from None
    found = Listing()
    codes = {studio.name: studio.code for studio in studios}
    taken: dict[Slot, str] = {}
    for where, row in readers[ending](text):
        try:
            lesson = _lesson(row, codes, now)
            first = taken.setdefault(slot_of(lesson), where)
            if first != where:
                raise ValueError(f"a second lesson in the slot of {first}")
            found.lessons.append(lesson)
        except Refusal as refusal:
            found.refuse(where, refusal.text("en"))
        except ValueError as error:
            found.refuse(where, str(error))
    return found


def _lesson(row: Row, codes: Mapping[str, str], now: datetime) -> Lesson:
    given = {name: str(value).strip() for name, value in row.items() if value is not None}
    missing = [name for name in NEEDED if not given.get(name)]
    if missing:
        raise ValueError(f"{', '.join(missing)} missing")
    if max(len(given["name"]), len(given["instructor"])) > NAME_LENGTH_MAX:
        raise ValueError(f"name and instructor have at most {NAME_LENGTH_MAX} characters")
    studio = given["studio"]
    where = slot(codes.get(studio, studio), given["date"].replace("/", "-"), given["start"].rjust(5, "0"))
    return Lesson(
        studio_code=where.studio_code,
        lesson_date=where.lesson_date,
        start_time=where.start_time,
        end_time=_time(given.get("end", "")),
        lesson_id=given.get("id") or None,
        lesson_name=given["name"],
        instructor=given["instructor"],
        program=given.get("program") or None,
        capacity=_capacity(given.get("capacity", "")),
        is_open=given.get("open", "true").lower() in _YES,
        called_off=given.get("cancelled", "").lower() in _YES,
        updated_at=now,
    )


def _time(text: str) -> time | None:
    if not text:
        return None
    if not re.fullmatch(r"\d{1,2}:\d\d", text):
        raise ValueError(f"end {text!r} is no time like 20:15")
    return time.fromisoformat(text.rjust(5, "0"))


def _capacity(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and int(text) <= CAPACITY_MAX):
        raise ValueError(f"capacity {text!r} is no whole number up to {CAPACITY_MAX}")
    return int(text)


def _rows_of_csv(text: str) -> Iterator[tuple[str, Row]]:
    reader = csv.DictReader(io.StringIO(text))
    headings = [HEADINGS.get((name or "").strip(), (name or "").strip().lower()) for name in reader.fieldnames or ()]
    missing = [name for name in NEEDED if name not in headings]
    if missing:
        raise Unreadable(f"the first line must name the columns; {', '.join(missing)} missing")
    reader.fieldnames = headings
    for row in reader:
        yield f"line {reader.line_num}", {name: value for name, value in row.items() if isinstance(name, str)}


def _rows_of_json(text: str) -> Iterator[tuple[str, Row]]:
    try:
        content = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise Unreadable(f"no JSON: {error}") from None
    rows = content.get("lessons") if isinstance(content, dict) else content
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Unreadable('expected {"lessons": [{"studio": …, "date": …, "start": …, "name": …, "instructor": …}]}')
    for number, row in enumerate(rows):
        yield f"lessons/{number}", row


def _rows_of_ics(text: str) -> Iterator[tuple[str, Row]]:
    """VEVENTs: LOCATION is the studio, SUMMARY the name, ORGANIZER (CN) or X-INSTRUCTOR the instructor."""
    if "BEGIN:VCALENDAR" not in text:
        raise Unreadable("no iCalendar: BEGIN:VCALENDAR missing")
    event: dict[str, tuple[str, str]] | None = None
    # A line that begins with a space goes on the one before.
    for line in re.sub(r"\r?\n[ \t]", "", text).splitlines():
        head, _, value = line.partition(":")
        name, _, parameters = head.partition(";")
        if line == "BEGIN:VEVENT":
            event = {}
        elif line == "END:VEVENT" and event is not None:
            yield event.get("UID", ("", "an event without UID"))[1], _row_of_event(event)
            event = None
        elif event is not None:
            event.setdefault(name.upper(), (parameters, _ESCAPED.sub(_unescaped, value)))


def _unescaped(found: re.Match[str]) -> str:
    return "\n" if found[1] in "nN" else found[1]


def _row_of_event(event: Mapping[str, tuple[str, str]]) -> Row:
    def value(name: str) -> str:
        return event.get(name, ("", ""))[1]

    organizer = re.search(r'CN="?([^";]+)', event.get("ORGANIZER", ("", ""))[0])
    start, end = _moment(value("DTSTART")), _moment(value("DTEND"))
    return {
        "studio": value("LOCATION"),
        "date": f"{start:%Y-%m-%d}" if start else "",
        "start": f"{start:%H:%M}" if start else "",
        "end": f"{end:%H:%M}" if end else "",
        "name": value("SUMMARY"),
        "instructor": value("X-INSTRUCTOR") or (organizer[1] if organizer else ""),
        "capacity": value("X-CAPACITY"),
        "id": value("UID"),
        "cancelled": "true" if value("STATUS").upper() == "CANCELLED" else "",
    }


def _moment(text: str) -> datetime | None:
    """In Japan's time; a time without a zone is Japan's."""
    found = _MOMENT.fullmatch(text)
    if found is None:
        return None
    try:
        moment = datetime.strptime(found[1] + found[2], "%Y%m%d%H%M%S")
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC if found[3] else JST).astimezone(JST)
