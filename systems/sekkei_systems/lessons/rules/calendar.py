"""A user's bookings as a calendar that calendar programs subscribe to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from sekkei.runtime import icalendar
from sekkei_systems.lessons.design import Lesson, Status, TieKind, UserLesson, copies_of
from sekkei_systems.lessons.rules.slots import LENGTH_DEFAULT, Slot, slot_of, span
from sekkei_systems.lessons.rules.studios import Studio


def calendar(
    ties: Iterable[UserLesson], lessons: Mapping[Slot, Lesson], studios: Sequence[Studio], now: datetime
) -> bytes:
    """`lessons` are those that are booked, as far as the timetable still has them."""
    names = {studio.code: studio.name for studio in studios}
    booked = (tie for tie in ties if tie.kind is TieKind.BOOKING and tie.status is not Status.CANCELLED)
    events = (_event(tie, lessons.get(slot_of(tie)), names, now) for tie in booked)
    return icalendar.calendar("lessons", "レッスン", events)


def _event(tie: UserLesson, lesson: Lesson | None, names: Mapping[str, str], now: datetime) -> list[str]:
    start, end = span(lesson) if lesson else (tie.starts_at, tie.starts_at + LENGTH_DEFAULT)
    described = "\n".join(value for name, value in copies_of(tie).items() if value and name != "lesson_name")
    return [
        f"UID:{tie.reservation_id}@lessons.sekkei",
        f"DTSTAMP:{now.astimezone(UTC):%Y%m%dT%H%M%SZ}",
        f"LAST-MODIFIED:{tie.updated_at.astimezone(UTC):%Y%m%dT%H%M%SZ}",
        f"DTSTART:{start.astimezone(UTC):%Y%m%dT%H%M%SZ}",
        f"DTEND:{end.astimezone(UTC):%Y%m%dT%H%M%SZ}",
        f"SUMMARY:{icalendar.text(tie.lesson_name)}",
        f"DESCRIPTION:{icalendar.text(described)}",
        f"LOCATION:{icalendar.text(names.get(tie.studio_code, tie.studio_code))}",
    ]
