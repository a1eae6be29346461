from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from msgspec import UNSET

from sekkei_systems.days import JST
from sekkei_systems.lessons.refusals import BadPause, BadWish
from sekkei_systems.lessons.rules.wishes import Wishes
from tests.systems.lessons.world import LESSON

NOW = datetime(2025, 7, 28, 12, 0, tzinfo=JST)


def test_what_is_not_said_stays_and_none_ends_it() -> None:
    assert (Wishes().auto_book_until(LESSON), Wishes().resumes(LESSON, NOW)) == (UNSET, UNSET)
    assert (Wishes(None, None).auto_book_until(LESSON), Wishes(None, None).resumes(LESSON, NOW)) == (None, None)


def test_hours_count_from_the_start_and_a_pause_ends_with_its_day() -> None:
    assert Wishes(6).auto_book_until(LESSON) == LESSON.starts_at - timedelta(hours=6)
    assert Wishes(UNSET, date(2025, 7, 29)).resumes(LESSON, NOW) == datetime(2025, 7, 29, tzinfo=JST)


def test_what_makes_no_sense_is_refused() -> None:
    for hours in (-1, 337):
        with pytest.raises(BadWish):
            Wishes(hours).auto_book_until(LESSON)
    for day in (date(2025, 7, 28), date(2025, 7, 31)):
        with pytest.raises(BadPause):
            Wishes(UNSET, day).resumes(LESSON, NOW)
