"""Which days the words for a day can mean."""

from __future__ import annotations

from datetime import datetime

import pytest

from sekkei_systems.days import JST
from sekkei_systems.eventbot.rules.named_days import named_day

WEDNESDAY = datetime(2026, 1, 14, 15, 30, tzinfo=JST)
SUNDAY = datetime(2026, 1, 18, 15, 30, tzinfo=JST)


@pytest.mark.parametrize(
    ("text", "now", "days"),
    [
        ("来週金曜", WEDNESDAY, {"01-23"}),
        ("来週日曜", WEDNESDAY, {"01-18", "01-25"}),
        ("来週日曜", SUNDAY, {"01-25"}),
        ("来週月曜", SUNDAY, {"01-19", "01-26"}),
        ("今週末", WEDNESDAY, {"01-17", "01-18"}),
        ("再来週末", WEDNESDAY, {"01-31", "02-01"}),
        ("水曜", WEDNESDAY, {"01-14"}),
        ("今度の水曜", WEDNESDAY, {"01-21"}),
        ("1/15", WEDNESDAY, {"01-15"}),
        ("31日", WEDNESDAY, {"01-31"}),
        ("2日後", WEDNESDAY, {"01-16"}),
    ],
)
def test_the_days(text: str, now: datetime, days: set[str]) -> None:
    named = named_day(f"{text} 20時", now)
    assert {f"{day:%m-%d}" for day in named.days} == days
    assert named.rest == "20時"
    assert named.is_said


def test_what_is_said_beside_the_day() -> None:
    assert named_day("1/16 金曜 20時", WEDNESDAY).weekday == 4
    assert named_day("今夜 9時", WEDNESDAY).evening
    assert not named_day("20時", WEDNESDAY).is_said
    with pytest.raises(ValueError, match="day"):
        named_day("2/30 20時", WEDNESDAY)
