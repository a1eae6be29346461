"""A user's bookings as a calendar that calendar programs subscribe to."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from sekkei.runtime import icalendar
from systems.lessons.design import Kind, Status, UserLesson
from systems.lessons.rules import LENGTH_DEFAULT, slot_of


def calendar(ties: Iterable[UserLesson], now: datetime) -> bytes:
    booked = (tie for tie in ties if tie.kind is Kind.BOOKING and tie.status is Status.ACTIVE)
    return icalendar.calendar("lessons", "レッスン", (_event(tie, now) for tie in booked))


def _event(tie: UserLesson, now: datetime) -> list[str]:
    start = tie.starts_at.astimezone(UTC)
    return [
        f"UID:{str(slot_of(tie)).replace('/', '-').replace(':', '')}@lessons.sekkei",
        f"DTSTAMP:{now.astimezone(UTC):%Y%m%dT%H%M%SZ}",
        f"DTSTART:{start:%Y%m%dT%H%M%SZ}",
        f"DTEND:{start + LENGTH_DEFAULT:%Y%m%dT%H%M%SZ}",
        f"SUMMARY:{icalendar.text(tie.lesson_name)}",
        f"DESCRIPTION:{icalendar.text(tie.instructor)}",
        f"LOCATION:{icalendar.text(tie.studio_code)}",
    ]
