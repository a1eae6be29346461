from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import TieKind
from sekkei_systems.lessons.rules.slots import parse_slot, slot, ttl_of, with_own
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
