"""Time zones of guilds."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from sekkei_systems.days import JST
from sekkei_systems.eventbot.design import Repeat
from sekkei_systems.eventbot.refusals import BadZone
from sekkei_systems.eventbot.rules.zones import ZONES, following, moved, of_new_guild, zone_label, zone_of


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


# A new guild's language and zone.


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


# The next time of a series, by the clocks on the wall.


BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")


def local(text: str, zone: ZoneInfo) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(JST)


@pytest.mark.parametrize(
    ("start", "repeat", "expected"),
    [
        ("2026-10-21 20:00", Repeat.WEEKLY, "2026-10-28 20:00"),  # summer time ends between them
        ("2026-03-25 20:00", Repeat.WEEKLY, "2026-04-01 20:00"),  # and begins
        ("2026-10-24 20:00", Repeat.DAILY, "2026-10-25 20:00"),
        ("2026-10-20 20:00", Repeat.FORTNIGHTLY, "2026-11-03 20:00"),
        ("2026-10-15 20:00", Repeat.MONTHLY, "2026-11-15 20:00"),
        ("2026-12-31 20:00", Repeat.MONTHLY, "2027-01-31 20:00"),
        ("2026-03-28 02:30", Repeat.DAILY, "2026-03-29 03:30"),  # an hour that the clocks leave out
    ],
)
def test_the_hour_stays_what_the_wall_shows(start: str, repeat: Repeat, expected: str) -> None:
    assert following(local(start, BERLIN), repeat, BERLIN) == local(expected, BERLIN)
    assert following(local(start, BERLIN), repeat, BERLIN).tzinfo is JST


def test_the_31st_comes_back_after_a_short_month() -> None:
    start, found = local("2027-01-31 20:00", BERLIN), []
    for _ in range(5):
        start = following(start, Repeat.MONTHLY, BERLIN, day=31)
        found.append(f"{start.astimezone(BERLIN):%m-%d %H:%M}")
    assert found == ["02-28 20:00", "03-31 20:00", "04-30 20:00", "05-31 20:00", "06-30 20:00"]


@pytest.mark.parametrize(
    ("zone", "start", "expected"),
    [
        (BERLIN, "2027-03-21 02:30", ["03-28 03:30", "04-04 02:30", "04-11 02:30"]),
        (NEW_YORK, "2027-03-07 02:30", ["03-14 03:30", "03-21 02:30", "03-28 02:30"]),
        (NEW_YORK, "2026-10-25 01:30", ["11-01 01:30", "11-08 01:30", "11-15 01:30"]),
    ],
)
def test_an_hour_that_is_left_out_once_comes_back(zone: ZoneInfo, start: str, expected: list[str]) -> None:
    at, remind, found = local(start, zone), local(start, zone) - timedelta(hours=1), []
    for _ in expected:
        after = following(at, Repeat.WEEKLY, zone, clock=start[-5:])
        moment = moved(remind, at, after, zone)
        assert moment is not None
        at, remind = after, moment
        assert remind < at
        found.append(f"{at.astimezone(zone):%m-%d %H:%M}")
    assert found == expected
    assert at - remind == timedelta(hours=1)


def test_what_belongs_to_it_moves_by_the_wall_too() -> None:
    """«The day before at 20:00» is at 20:00 also in the week when the clocks change."""
    start, deadline = local("2026-10-18 19:00", BERLIN), local("2026-10-17 20:00", BERLIN)
    after = following(start, Repeat.WEEKLY, BERLIN)
    assert moved(deadline, start, after, BERLIN) == local("2026-10-24 20:00", BERLIN)
    assert moved(None, start, after, BERLIN) is None
    late = local("2026-10-31 23:00", NEW_YORK)
    after = following(late, Repeat.WEEKLY, NEW_YORK)
    assert moved(local("2026-11-01 00:30", NEW_YORK), late, after, NEW_YORK) == local("2026-11-08 00:30", NEW_YORK)
