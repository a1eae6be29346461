"""Time zones of guilds."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from sekkei_systems.days import JST
from sekkei_systems.eventbot.refusals import BadZone
from sekkei_systems.eventbot.rules.zones import zone_label, zone_of


def test_a_zone_knows_its_summer_time() -> None:
    berlin = zone_of("Europe/Berlin")
    assert datetime(2026, 7, 1, tzinfo=berlin).utcoffset() == timedelta(hours=2)
    assert datetime(2026, 12, 1, tzinfo=berlin).utcoffset() == timedelta(hours=1)
    assert zone_of("Asia/Tokyo") is JST


@pytest.mark.parametrize("name", ["", "Mars/Olympus", "../../etc/passwd", "/etc/localtime", "x" * 300])
def test_what_is_no_zone_is_refused(name: str) -> None:
    with pytest.raises(BadZone):
        zone_of(name)


def test_labels_are_short() -> None:
    assert [zone_label(name) for name in ("Asia/Tokyo", "America/New_York")] == ["JST", "New York"]
