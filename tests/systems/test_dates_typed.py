"""What people type as a day or a time, through every place where they can: the forms of the event bot and of its pages,
tasks in one line, and the forms and lists of lessons. APIs take nothing but ISO 8601."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any

import pytest
from msgspec import ValidationError, convert

from sekkei.kit.dates import Unread, read_day, read_time
from sekkei.kit.text import half_width
from sekkei.runtime.refusals import Invalid
from sekkei_systems.days import JST
from sekkei_systems.eventbot.rules import modals
from sekkei_systems.lessons.api.shapes import TimeOfDay
from sekkei_systems.lessons.refusals import BadDay, BadTime
from sekkei_systems.lessons.rules.slots import day_in, optional_time_in, time_in
from sekkei_systems.tasks.rules.quick import Understood, understood
from tests.systems.eventbot.samples import event

EVENT = event(event_start_at=None, event_end_at=None, event_remind_at=None, deadline_at=None, reminders=())
NOW = datetime(2026, 1, 14, 15, 30, tzinfo=JST)  # a Wednesday

DAYS = [
    ("2026-01-20", "01-20"),
    ("2026/1/20", "01-20"),
    ("2026.1.20", "01-20"),
    ("2026年1月20日", "01-20"),
    ("２０２６／１／２０", "01-20"),
    ("1/20", "01-20"),
    ("１／２０", "01-20"),
    ("12/1", "12-01"),
    ("12月1日", "12-01"),
    ("20/11", "11-20"),
    ("11/20/2026", "11-20"),
    ("11/5/2026", "11-05 05-11"),
    ("20.11.2026", "11-20"),
    ("20 Nov", "11-20"),
    ("November 20th", "11-20"),
    ("Nov 20, 2026", "11-20"),
    ("今年12/24", "12-24"),
    ("来年1/5", "2027-01-05"),
    ("来年の1月5日", "2027-01-05"),
    ("Jan 5 next year", "2027-01-05"),
    ("1/3", "2027-01-03"),
    ("2/29", "2028-02-29"),
    ("来月3日", "02-03"),
    ("再来月の3日", "03-03"),
    ("20日", "01-20"),
    ("５日", "02-05"),
    ("31日", "01-31"),
    ("明日", "01-15"),
    ("あした", "01-15"),
    ("あす", "01-15"),
    ("明後日", "01-16"),
    ("あさって", "01-16"),
    ("しあさって", "01-17"),
    ("明々後日", "01-17"),
    ("tomorrow", "01-15"),
    ("Tomorrow", "01-15"),
    ("tmrw", "01-15"),
    ("day after tomorrow", "01-16"),
    ("3日後", "01-17"),
    ("３日後", "01-17"),
    ("2週間後", "01-28"),
    ("3ヶ月後", "04-14"),
    ("３か月後", "04-14"),
    ("in 3 days", "01-17"),
    ("in two weeks", "01-28"),
    ("in a month", "02-14"),
    ("月末", "01-31"),
    ("来月末", "02-28"),
    ("来月の月末", "02-28"),
    ("end of month", "01-31"),
    ("水曜", "01-14"),
    ("金曜", "01-16"),
    ("火曜日", "01-20"),
    ("wednesday", "01-14"),
    ("Friday", "01-16"),
    ("fri", "01-16"),
    ("thurs", "01-15"),
    ("this friday", "01-16"),
    ("this monday", "01-19"),
    ("次の水曜", "01-21"),
    ("今度の金曜", "01-16"),
    ("今週日曜", "01-18 01-11"),
    ("来週水曜", "01-21"),
    ("来週の月曜日", "01-19"),
    ("来週金", "01-23"),
    ("再来週土曜", "01-31"),
    ("来週日曜", "01-25 01-18"),
    ("next sunday", "01-25 01-18"),
    ("next fri", "01-23"),
    ("next week friday", "01-23"),
    ("friday next week", "01-23"),
    ("今週末", "01-17 01-18"),
    ("来週末", "01-24 01-25"),
    ("this weekend", "01-17 01-18"),
    ("next week", "01-19 01-20 01-21 01-22 01-23 01-24 01-25"),
]
TIMES = [
    ("9:05", time(9, 5)),
    ("09:05", time(9, 5)),
    ("９：０５", time(9, 5)),
    ("9:5", time(9, 5)),
    ("09:05:00", time(9, 5)),
    ("9時5分", time(9, 5)),
    ("15時", time(15)),
    ("15時半", time(15, 30)),
    ("午前9時", time(9)),
    ("午後3時半", time(15, 30)),
    ("夜9時", time(21)),
    ("昼1時", time(13)),
    ("正午", time(12)),
    ("noon", time(12)),
    ("7pm", time(19)),
    ("9:05 pm", time(21, 5)),
    ("ＰＭ８：００", time(20)),
    ("12am", time(0)),
]
NEITHER = [
    "",
    "九時",
    "いつか",
    "9:60",
    "99:00",
    "2026-02-30",
    "13/45",
    "-1:00",
    "明日明日",
    "24:00 9:00",
    "Buy sun cream",
]


def days_of(text: str) -> list[date]:
    return [date.fromisoformat(one if len(one) == 10 else f"2026-{one}") for one in text.split()]


def either(read: Callable[..., Any], *given: object) -> list[Any]:
    """What a text means, or all that it can mean, as the refusal says that asks."""
    try:
        return [read(*given)]
    except Unread as several:
        return list(several.candidates)
    except Invalid as asks:
        if asks.code != "several-dates":
            raise
        return [datetime.fromisoformat(one).replace(tzinfo=JST) for one in str(asks.values["choices"]).split(" / ")]


@pytest.mark.parametrize(("text", "expected"), DAYS)
def test_a_day(text: str, expected: str) -> None:
    days = days_of(expected)
    assert understood(f"会議 {text}", NOW.date()) == Understood("会議", end=days[0]), "quick entry shows the likeliest"
    assert either(read_day, text, NOW) == days
    moments = [datetime.combine(day, time(20), JST) for day in sorted(days) if day >= NOW.date()]
    readings: dict[str, Callable[[str], Any]] = {
        "start": lambda typed: modals.read_draft({"start": typed}, NOW).start,
        "deadline": lambda typed: modals.read_details({"deadline": typed}, EVENT, NOW).deadline,
        "remind": lambda typed: modals.read_details({"remind": typed}, EVENT, NOW).remind_at,
        "notice": lambda typed: modals.read_notice({"remind": typed}, EVENT, NOW).remind_at,
    }
    for field, read in readings.items():
        if "," in text and field == "remind":
            continue  # a comma begins another reminder there
        assert either(read, f"{text} 20:00") == moments, field
    if "2026" in half_width(text) and len(days) == 1:
        assert [day_in(text)] == days, "a list names the year"
    else:
        with pytest.raises(BadDay):
            day_in(text)


@pytest.mark.parametrize(("text", "expected"), TIMES)
def test_a_time(text: str, expected: time) -> None:
    assert read_time(text) == time_in(text) == optional_time_in(f" {text} ") == expected
    at = datetime.combine(date(2026, 1, 20), expected, JST)
    assert modals.read_draft({"start": f"1/20 {text}"}, NOW).start == at
    assert modals.read_details({"deadline": f"{text} 1/20"}, EVENT, NOW).deadline == at
    assert modals.read_notice({"remind": f"来週火曜 {text}"}, EVENT, NOW).remind_at == at
    assert understood(f"1/20 会議 {text}", NOW.date()).end == at.date(), "tasks have days"


@pytest.mark.parametrize("text", NEITHER)
def test_neither(text: str) -> None:
    with pytest.raises(Unread):
        read_day(text, NOW)
    with pytest.raises(BadTime) as refused:
        time_in(text, "start")
    assert (refused.value.field, "09:30" in str(refused.value)) == ("start", True)
    if text:
        with pytest.raises(Invalid) as wrong:
            modals.read_draft({"start": text}, NOW)
        assert wrong.value.field == "start"
        assert wrong.value.text("ja") != wrong.value.code


def test_a_time_after_midnight_is_of_the_next_day() -> None:
    """A lesson's time is one of its day: those who mean the next day enter the next day."""
    assert modals.read_draft({"start": "1/20 25:00"}, NOW).start == datetime(2026, 1, 21, 1, tzinfo=JST)
    with pytest.raises(BadTime):
        time_in("25:00")


@pytest.mark.parametrize("text", ["9:05", "09:05:00", "午前9時", "９：０５"])
def test_an_api_takes_a_time_as_it_writes_one(text: str) -> None:
    assert convert("09:05", TimeOfDay) == "09:05"
    with pytest.raises(ValidationError):
        convert(text, TimeOfDay)
