from __future__ import annotations

from datetime import date, time, timedelta

import pytest

from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import TieKind
from sekkei_systems.lessons.refusals import BadDay, BadTime
from sekkei_systems.lessons.rules.slots import day_in, optional_time_in, parse_slot, slot, time_in, ttl_of, with_own
from tests.systems.lessons.rules.test_waitlist import waits
from tests.systems.lessons.world import LESSON


@pytest.mark.parametrize(
    ("studio", "day", "start"),
    [
        ("g#z", "2025-07-30", "19:30"),
        ("GNZ", "2025-07-30", "19:30"),
        ("", "2025-07-30", "19:30"),
        ("gnz", "2025-02-30", "19:30"),
        ("gnz", "20250730", "19:30"),
        ("gnz", "2025-07-30", "9:5"),
        ("gnz", "2025-07-30", "24:00"),
    ],
)
def test_bad_slots(studio: str, day: str, start: str) -> None:
    with pytest.raises(refusals.BadSlot):
        slot(studio, day, start)


def test_a_slot_can_be_written_and_read() -> None:
    assert parse_slot(str(LESSON)) == LESSON


# How long ties are kept, and a queue with one's own place in it.


def test_bookings_become_history_which_stays() -> None:
    week = LESSON.starts_at + timedelta(days=7)
    assert [ttl_of(kind, LESSON.starts_at) for kind in TieKind] == [week, week, None, None]


def test_ones_own_place_is_known_though_the_index_is_behind() -> None:
    ann, ben, cleo = (waits(user, queue_key=str(place)) for place, user in enumerate(("ann", "ben", "cleo")))
    assert with_own([ann, cleo], "ben", ben) == [ann, ben, cleo]
    assert with_own([ann, ben, cleo], "ben", None) == [ann, cleo]


# What people type.


@pytest.mark.parametrize("text", ["9:05", "09:05", "9:5", "９：０５", " 9:05 ", "09:05:00"])
def test_a_time(text: str) -> None:
    assert time_in(text) == time(9, 5)


@pytest.mark.parametrize("text", ["", "9", "24:00", "9:60", "-1:00", "九時", "9:05 xm", "9.05"])
def test_no_time(text: str) -> None:
    with pytest.raises(BadTime) as refused:
        time_in(text, "start")
    assert (refused.value.field, "09:30" in str(refused.value)) == ("start", True)


@pytest.mark.parametrize("text", ["2025-07-30", "2025/7/30", "２０２５－０７－３０", "2025年7月30日", "2025.07.30"])
def test_a_day(text: str) -> None:
    assert day_in(text) == date(2025, 7, 30)


@pytest.mark.parametrize("text", ["", "2025-02-30", "20250730", "30-07-2025", "0000-01-01", "明日"])
def test_no_day(text: str) -> None:
    with pytest.raises(BadDay):
        day_in(text)


def test_an_optional_time() -> None:
    assert (optional_time_in(""), optional_time_in(None), optional_time_in("７:00")) == (None, None, time(7, 0))
