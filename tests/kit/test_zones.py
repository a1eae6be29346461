from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from sekkei.kit.zones import zone_of


def test_zones_by_their_names() -> None:
    assert zone_of("UTC") is UTC
    assert datetime(2026, 7, 1, tzinfo=zone_of("Europe/Berlin")).utcoffset() == timedelta(hours=2)


@pytest.mark.parametrize(
    "name", ["", "Mars/Base", "../etc/passwd", "/etc/localtime", "Europe", "a\x00b", "x" * 5_000, "日本"]
)
def test_a_name_that_is_none(name: str) -> None:
    with pytest.raises(ValueError, match="no time zone"):
        zone_of(name)
