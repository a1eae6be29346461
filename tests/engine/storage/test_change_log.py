"""A row of the change log that damage has changed does not pass for a sound one."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine.storage.transaction import ChangeRecord, change_checksum

ROW = (1, 1_700_000_000_000, "INSERT", 0, b"key", b'{"pk":{"S":"a"}}')
IMAGES = (None, None, b'{"pk":{"S":"a"},"n":{"N":"1"}}', 4)


def record(*images: Any, crc: int) -> ChangeRecord:
    return ChangeRecord._make((18, *ROW, *images, crc))


def test_a_row_as_it_was_written_is_sound() -> None:
    for images in (IMAGES, (IMAGES[2], 4, None, None), (IMAGES[2], 4, IMAGES[2], 4), (None,) * 4):
        assert record(*images, crc=change_checksum(*ROW, *images)).is_sound


@pytest.mark.parametrize("instead", [0, 0.0, "", b"", 1, "x", b"x"])
def test_nothing_can_stand_where_there_was_no_image(instead: Any) -> None:
    """One bit makes a number out of a NULL. Seed 62,000,004 of flipped bits had a 0 there, and GetRecords broke off."""
    crc = change_checksum(*ROW, *IMAGES)
    assert not record(instead, *IMAGES[1:], crc=crc).is_sound
    gone = (IMAGES[2], 4, None, None)
    assert not record(*gone[:2], instead, None, crc=change_checksum(*ROW, *gone)).is_sound
