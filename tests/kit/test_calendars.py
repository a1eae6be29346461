"""What every calendar of every system must be, read by another program's reader."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from icalendar import Calendar

from sekkei.design import replace
from sekkei.kit.calendars import Entry, write
from sekkei.web.answers import calendar_feed
from sekkei_systems.eventbot.rules.files import feed
from sekkei_systems.lessons.api.mine import calendar as bookings
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.service.feeds import calendar as tasks
from tests.systems.eventbot.samples import event
from tests.systems.lessons.api.test_mine import BOOKING
from tests.systems.lessons.world import STUDIOS

NOW = datetime(2026, 1, 5, 3, tzinfo=UTC)
TITLES = ["会議, 朝; \\", "a\\n", "あ" * 40, "👩‍👩‍👧 ok", "BEGIN:VEVENT", "tab\tstop"]


def of_kit(title: str) -> bytes:
    return write(
        "kit", title, [Entry(uid="1", summary=title, start=NOW, end=NOW, description=f"{title}\r\nb\x00")], NOW
    )


def of_tasks(title: str) -> bytes:
    return tasks(title, [TaskDraft(title, end=date(2026, 1, 7)).task("t", "k")], "https://x.example", NOW)


def of_events(title: str) -> bytes:
    return feed(title, [event(title=title)], NOW)


def of_lessons(title: str) -> bytes:
    return bookings([replace(BOOKING, lesson_name=title)], {}, STUDIOS, NOW)


@pytest.mark.parametrize("make", [of_kit, of_tasks, of_events, of_lessons])
@pytest.mark.parametrize("title", TITLES)
def test_other_programs_read_every_calendar(make: Any, title: str) -> None:
    content: bytes = make(title)
    assert content.endswith(b"END:VCALENDAR\r\n")
    assert max(map(len, content.split(b"\r\n"))) <= 75
    (entry,) = Calendar.from_ical(content).events
    assert str(entry["SUMMARY"]) == title.replace("\t", " ") or str(entry["SUMMARY"]) == title
    assert entry["DTSTAMP"].dt == NOW
    assert str(entry["UID"]).endswith(".sekkei")
    assert not entry.errors


def test_whole_days_end_on_the_day_after_the_last() -> None:
    (entry,) = Calendar.from_ical(of_tasks("x")).events
    assert (entry.start, entry.end) == (date(2026, 1, 7), date(2026, 1, 8))
    assert str(entry["TRANSP"]) == "TRANSPARENT"


def test_a_moment_is_written_in_utc_and_nothing_names_a_zone() -> None:
    start = datetime.fromisoformat("2026-01-05T12:00:00+09:00")
    content = write("kit", "x", [Entry(uid="1", summary="x", start=start, end=start + timedelta(hours=1))], NOW)
    assert b"DTSTART:20260105T030000Z\r\nDTEND:20260105T040000Z" in content
    assert b"Asia" not in content


def test_a_calendar_is_kept_by_its_reader_only() -> None:
    headers = calendar_feed(b"").headers
    assert (headers["cache-control"], headers["content-type"]) == (
        "private, max-age=300",
        "text/calendar; charset=utf-8",
    )
