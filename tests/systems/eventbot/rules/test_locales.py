"""A new guild's language and zone."""

from __future__ import annotations

import pytest

from sekkei_systems.eventbot.rules.locales import ZONES, of_new_guild
from sekkei_systems.eventbot.rules.zones import zone_of


def test_every_zone_is_one() -> None:
    assert all(zone_of(name) for name in ZONES.values())


@pytest.mark.parametrize(
    ("guild", "person", "expected"),
    [
        ("ko", "ja", ("en", "Asia/Seoul")),
        ("en-US", "fr", ("en", "Europe/Paris")),
        (None, "ja", ("ja", "Asia/Tokyo")),
        (None, None, ("ja", "Asia/Tokyo")),
        ("tlh", None, ("en", "UTC")),
    ],
)
def test_the_server_decides_or_whoever_comes_first(
    guild: str | None, person: str | None, expected: tuple[str, str]
) -> None:
    assert of_new_guild(guild, person) == expected
