"""A user's bookings as a calendar that calendar programs subscribe to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sekkei.kit.calendars import Entry, write
from sekkei_systems.lessons.design import Lesson, Status, TieKind, UserLesson, copies_of
from sekkei_systems.lessons.rules.slots import LENGTH_DEFAULT, Slot, slot_of, span
from sekkei_systems.lessons.rules.studios import Studio


def calendar(
    ties: Iterable[UserLesson], lessons: Mapping[Slot, Lesson], studios: Sequence[Studio], now: datetime
) -> bytes:
    """`lessons` are those that are booked, as far as the timetable still has them."""
    names = {studio.code: studio.name for studio in studios}
    booked = (tie for tie in ties if tie.kind is TieKind.BOOKING and tie.status is not Status.CANCELLED)
    return write("lessons", "レッスン", (_entry(tie, lessons.get(slot_of(tie)), names) for tie in booked), now)


def _entry(tie: UserLesson, lesson: Lesson | None, names: Mapping[str, str]) -> Entry:
    start, end = span(lesson) if lesson else (tie.starts_at, tie.starts_at + LENGTH_DEFAULT)
    return Entry(
        uid=str(tie.reservation_id),
        summary=tie.lesson_name,
        start=start,
        end=end,
        description="\n".join(value for name, value in copies_of(tie).items() if value and name != "lesson_name"),
        location=names.get(tie.studio_code, tie.studio_code),
        changed_at=tie.updated_at,
    )
