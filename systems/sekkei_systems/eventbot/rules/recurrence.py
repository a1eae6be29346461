"""When a series comes back, by the clocks on the wall of the guild: eight in the evening stays eight in the evening."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, datetime, time, timedelta, tzinfo

from sekkei_systems.days import JST
from sekkei_systems.eventbot.design import Repeat

DAYS = {Repeat.DAILY: 1, Repeat.WEEKLY: 7, Repeat.FORTNIGHTLY: 14}


def following(
    start: datetime, repeat: Repeat, zone: tzinfo, *, day: int | None = None, clock: str | None = None
) -> datetime:
    """The next time. `day` of the month and `clock` (HH:MM) are what the series was made for: a month without the day
    has its last one, and a night without the hour the one after it; neither is what the series keeps."""
    wall = _wall(start, zone)
    if clock is not None:
        wall = datetime.combine(wall.date(), time.fromisoformat(clock))
    if repeat is not Repeat.MONTHLY:
        return _real(wall + timedelta(days=DAYS[repeat]), zone)
    year, month = wall.year + wall.month // 12, wall.month % 12 + 1
    last = monthrange(year, month)[1]
    return _real(wall.replace(year=year, month=month, day=min(day or wall.day, last)), zone)


def moved(moment: datetime | None, before: datetime, after: datetime, zone: tzinfo) -> datetime | None:
    """What belonged to a start, as it belongs to the next one: so many days later, at the same time of day."""
    if moment is None:
        return None
    return _real(_wall(moment, zone) + (_wall(after, zone).date() - _wall(before, zone).date()), zone)


def _wall(moment: datetime, zone: tzinfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def _real(wall: datetime, zone: tzinfo) -> datetime:
    """An hour that the clocks leave out in spring is the one after it."""
    return wall.replace(tzinfo=zone).astimezone(UTC).astimezone(JST)
