"""Drafts of lessons, as people enter them, and lists of lessons in files and feeds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import orjson
from msgspec import UNSET, Meta, Struct, UnsetType, ValidationError, structs

from sekkei.design import replace
from sekkei.kit import sheets
from sekkei.kit.text import half_width, one_line
from sekkei.kit.typed import Line, text_reader
from sekkei.runtime.refusals import Refusal
from sekkei_systems.days import JST
from sekkei_systems.lessons.design import Lesson, WeeklyLesson
from sekkei_systems.lessons.refusals import BadLesson
from sekkei_systems.lessons.rules.places import CAPACITY_MAX, LESSON_NAME_MAX
from sekkei_systems.lessons.rules.slots import Slot, day_in, slot, slot_of, time_in
from sekkei_systems.lessons.rules.studios import Studio
from sekkei_systems.lessons.texts import say

# What people enter about a lesson, and a draft of one: only what was entered is changed.
#
# `LessonFields` is the one list of these fields. Forms, the API, files, feeds, weekly lessons and the timetable go by
# it. A value is UNSET where nothing was entered, and None where there is none.


T = TypeVar("T")
Name = Annotated[str, Line(LESSON_NAME_MAX)]
_Capacity = Annotated[int, Meta(ge=0, le=CAPACITY_MAX)]
_SPELT = {"lesson_name": "name", "end_time": "end", "lesson_id": "id"}


def spelt(name: str) -> str:
    """Return how the API and files spell a field."""
    first, *words = _SPELT.get(name, name).split("_")
    return first + "".join(map(str.capitalize, words))


class LessonFields(Struct, Generic[T], kw_only=True, frozen=True, rename=spelt):
    """What people enter about a lesson. `T` is a time: as text of a form or of the API, or read."""

    lesson_name: Name | UnsetType = UNSET
    instructor: Name | UnsetType = UNSET
    end_time: T | UnsetType | None = UNSET
    capacity: _Capacity | UnsetType | None = UNSET
    """None: no limit."""
    program: Name | UnsetType | None = UNSET


class WholeLesson(LessonFields[T], Generic[T], kw_only=True, frozen=True, rename=spelt):
    """A new lesson; what is left out is as usual."""

    lesson_name: Name
    instructor: Name


ENTERED = LessonFields.__struct_fields__
NEEDED = tuple(field.name for field in structs.fields(WholeLesson) if field.required)
READERS = {field.name: clean for field in structs.fields(LessonFields[time]) if (clean := text_reader(field.type))}
"""Of the fields that are texts: what cleans one and refuses one that is too long."""


class LessonDraft(LessonFields[time], frozen=True):
    slot: Slot
    lesson_id: str | UnsetType = UNSET
    is_open: bool | UnsetType = UNSET
    called_off: bool | UnsetType = UNSET
    """False brings back one that was called off."""
    called_off_words: str | UnsetType | None = UNSET
    made_by: str | UnsetType = UNSET

    @property
    def said(self) -> dict[str, Any]:
        """What is said, by the names of a lesson's fields."""
        values = {name: getattr(self, name) for name in self.__struct_fields__ if name != "slot"}
        return {name: value for name, value in values.items() if value is not UNSET}

    @property
    def brings_back(self) -> bool:
        return self.called_off is False

    def fresh(self, now: datetime) -> Lesson:
        """A new lesson; what is not said is as usual."""
        slot, said = self.slot, self.said
        return Lesson(
            studio_code=slot.studio_code,
            lesson_date=slot.lesson_date,
            start_time=slot.start_time,
            updated_at=now,
            **{**dict.fromkeys(NEEDED, ""), **said, "is_open": self.opens(True)},
        )

    def onto(self, there: Lesson) -> Lesson:
        """The lesson that is there, with what is said."""
        otherwise = there.is_open or (there.called_off and self.brings_back)
        return replace(there, **{**self.said, "is_open": self.opens(otherwise)})

    def opens(self, otherwise: bool) -> bool:
        """Whether it takes bookings: called off it does not, and brought back it does unless it is said."""
        is_open = otherwise if self.is_open is UNSET else bool(self.is_open)
        return is_open and self.called_off is not True


def values_of(entered: LessonFields[Any] | Lesson | WeeklyLesson) -> dict[str, Any]:
    """Return the fields that people enter, by name; a time that is a text is read."""
    values = {name: getattr(entered, name) for name in ENTERED}
    if isinstance(values["end_time"], str):
        values["end_time"] = time_in(values["end_time"], "end_time")
    return values


def texts_of(lesson: Lesson | WeeklyLesson) -> dict[str, Any]:
    """Return the same as an answer or a form has it: times as 19:30."""
    values = values_of(lesson)
    return {name: f"{value:%H:%M}" if isinstance(value, time) else value for name, value in values.items()}


def text_in(name: str, text: str) -> str:
    """Return the text of a field, cleaned; refuse one that is empty or too long."""
    try:
        return READERS[name](text)
    except ValidationError:
        raise BadLesson(field=name) from None


def draft_of(lesson: Lesson) -> LessonDraft:
    """Everything that a lesson is, but whether it is called off."""
    return LessonDraft(
        slot_of(lesson), **values_of(lesson), lesson_id=lesson.lesson_id or UNSET, is_open=lesson.is_open
    )


# Timetables out of files and feeds: CSV, iCalendar and JSON become lessons; what cannot be read is said by line.


if TYPE_CHECKING:
    from icalendar import Event

_PROBLEMS_MAX = 100
LESSONS_MAX = 5_000
"""Of one file or answer: whoever sends more keeps everybody else waiting."""
COLUMNS = {"スタジオ": "studio", "日付": "date", "開始": "start"}
COLUMNS |= {say("ja", f"field.{name}"): spelt(name) for name in ENTERED}
COLUMNS |= {"ID": "id", "受付": "open", "休講": "cancelled"}
"""What a file has of a lesson, by the Japanese heading."""
_HEADINGS = {sheets.heading(word): column for heading, column in COLUMNS.items() for word in (heading, column)}
_COLUMNS = ("studio", "date", "start", *map(spelt, NEEDED))
_YES = frozenset({"1", "true", "yes", "y", "○", "〇", "◯", "はい", "open", "受付中", "cancelled", "休講"})
_NO = frozenset({"0", "false", "no", "n", "×", "x", "-", "いいえ", "closed", "受付終了", "締切"})
_NONE = frozenset({"none", "-", "∞", "なし", "無制限"})
_ESCAPED = re.compile(r"\\([\\;,nN])")
Row = Mapping[str, Any]


@dataclass(slots=True)
class _Listing:
    """What a file says."""

    lessons: list[LessonDraft] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def refuse(self, where: str, reason: str) -> None:
        if len(self.problems) < _PROBLEMS_MAX:
            self.problems.append(f"{where}: {reason}")


def columns(language: str) -> str:
    """Return the headings of a CSV file, as its first line has them."""
    return ",".join(COLUMNS if language == "ja" else COLUMNS.values())


class Unreadable(ValueError):
    """The file as a whole is not what its name says."""


def read(name: str, content: bytes, studios: Sequence[Studio]) -> _Listing:
    """By the ending of the file's name: .csv, .ics or .json."""
    ending = name.rpartition(".")[2].lower()
    readers = {"csv": _rows_of_csv, "ics": _rows_of_ics, "json": _rows_of_json}
    if ending not in readers:
        raise Unreadable(f"{name}: a timetable is a file ending in .csv, .ics or .json")
    found, taken = _Listing(), dict[Slot, str]()
    codes = {_named(name): studio.code for studio in studios for name in (studio.name, studio.code)}
    for number, (where, row) in enumerate(readers[ending](content)):
        if number == LESSONS_MAX:
            raise Unreadable(f"{name}: has more than {LESSONS_MAX:,} lessons; send them in parts")
        try:
            draft = _draft(row, codes)
            first = taken.setdefault(draft.slot, where)
            if first != where:
                raise ValueError(f"a second lesson in the slot of {first}")
            found.lessons.append(draft)
        except Refusal as refusal:
            found.refuse(where, refusal.text("en"))
        except ValueError as error:
            found.refuse(where, str(error))
    return found


def _utf8(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("is not UTF-8") from None


def _named(studio: str) -> str:
    return half_width(studio).lower()


def _draft(row: Row, codes: Mapping[str, str]) -> LessonDraft:
    """What a line says; a column that is not there, or an empty cell, says nothing."""
    strange = [name for name, value in row.items() if isinstance(value, dict | list)]
    if strange:
        raise ValueError(f"{', '.join(strange)} must be a text or a number")
    said = {name: one_line(str(value)) for name, value in row.items() if value is not None}
    given = {name: value for name, value in said.items() if value}
    missing = [name for name in _COLUMNS if name not in given]
    if missing:
        raise ValueError(f"{', '.join(missing)} missing")
    if "rrule" in given:
        raise ValueError("repeats: list every day of its own, or make it a lesson of every week at the desk")
    studio = codes.get(_named(given["studio"]), given["studio"])
    if codes and studio not in codes.values():
        raise ValueError(f"studio {given['studio']!r} is not one of {', '.join(sorted(set(codes.values())))}")
    return LessonDraft(
        slot(studio, f"{day_in(given['date'])}", f"{time_in(given['start']):%H:%M}"),
        **{name: _value(name, given[spelt(name)]) for name in ENTERED if spelt(name) in given},
        lesson_id=given.get("id", UNSET),
        is_open=_is_yes("open", given["open"]) if "open" in given else UNSET,
        called_off=True
        if _is_yes("cancelled", given.get("cancelled", "no"))
        else UNSET,  # only the desk brings one back
    )


def _value(name: str, text: str) -> Any:
    if name == "end_time":
        return time_in(text, "end")
    return _capacity(text) if name == "capacity" else text_in(name, text)


def _is_yes(column: str, text: str) -> bool:
    plain = half_width(text).lower()
    if plain not in _YES | _NO:
        raise ValueError(f"{column} {text!r} is neither yes nor no")
    return plain in _YES


def _capacity(text: str) -> int | None:
    plain = half_width(text).lower()
    if plain in _NONE:
        return None
    if not (plain.isascii() and plain.isdigit() and int(plain) <= CAPACITY_MAX):
        raise ValueError(f"capacity {text!r} is no whole number up to {CAPACITY_MAX}; write none for no limit")
    return int(plain)


def _rows_of_csv(content: bytes) -> Iterator[tuple[str, Row]]:
    try:
        for line, cells in sheets.read(content, _HEADINGS, _COLUMNS):
            yield f"line {line}", cells
    except sheets.BadSheet as error:
        raise Unreadable(f"no CSV: {error}") from None


def _rows_of_json(content: bytes) -> Iterator[tuple[str, Row]]:
    try:
        listed = orjson.loads(_utf8(content))
    except orjson.JSONDecodeError as error:
        raise Unreadable(f"no JSON: {error}") from None
    rows = listed.get("lessons") if isinstance(listed, dict) else listed
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Unreadable('expected {"lessons": [{"studio": …, "date": …, "start": …, "name": …, "instructor": …}]}')
    for number, row in enumerate(rows):
        yield f"lessons/{number}", row


def _rows_of_ics(content: bytes) -> Iterator[tuple[str, Row]]:
    """VEVENTs: LOCATION is the studio, SUMMARY the name, ORGANIZER (CN) or X-INSTRUCTOR the instructor, X-CAPACITY the
    capacity, and so on."""
    from icalendar import Calendar  # which takes a tenth of a second to load

    try:
        calendars = Calendar.from_ical(_utf8(content), multiple=True)
    except ValueError as error:
        raise Unreadable(f"no iCalendar: {error}") from None
    if not calendars:
        raise Unreadable("no iCalendar: BEGIN:VCALENDAR missing")
    for event in (event for calendar in calendars for event in calendar.events):
        yield str(event.get("UID", "an event without UID")), _row_of_event(event)


def _row_of_event(event: Event) -> Row:
    from icalendar import vUnknown

    def value(name: str) -> str:
        found = _first(event, name)
        # The library unescapes properties that it knows.
        return _ESCAPED.sub(_unescaped, found) if isinstance(found, vUnknown) else str(found or "")

    organizer = _first(event, "ORGANIZER")
    start, end = _moment(lambda: _first(event, "DTSTART").dt), _moment(lambda: event.end)
    entered = {spelt(name): value(f"X-{spelt(name).upper()}") for name in ENTERED}
    return {
        **entered,
        "studio": value("LOCATION"),
        "date": f"{start:%Y-%m-%d}" if start else "",
        "start": f"{start:%H:%M}" if start else "",
        "end": f"{end:%H:%M}" if end and end != start else "",
        "name": value("SUMMARY"),
        "instructor": entered["instructor"] or (organizer.params.get("CN", "") if organizer else ""),
        "id": value("UID"),
        "cancelled": "true" if value("STATUS").upper() == "CANCELLED" else "",
        "rrule": "yes" if "RRULE" in event or "RDATE" in event else "",
    }


def _unescaped(found: re.Match[str]) -> str:
    return "\n" if found[1] in "nN" else found[1]


def _first(event: Event, name: str) -> Any:
    """The value of a property, the first of several; None when there is none."""
    found = event.get(name)
    return found[0] if isinstance(found, list) else found


def _moment(read: Callable[[], object]) -> datetime | None:
    """In Japan's time; a time without a zone, or with an unknown one, is Japan's. None when it cannot be read."""
    try:
        moment = read()
        if not isinstance(moment, datetime):
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=JST)).astimezone(JST)
    except (ValueError, OverflowError, AttributeError, TypeError):
        return None
