from __future__ import annotations

import pytest

from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.rules.slots import parse_slot, slot
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
