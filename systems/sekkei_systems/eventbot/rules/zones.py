"""Time zones: what is stored is Japan's time; what a guild writes and reads is its own."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, datetime, time, timedelta, tzinfo

from sekkei.kit import zones
from sekkei_systems.days import JST, ZONE
from sekkei_systems.eventbot.design import Repeat
from sekkei_systems.eventbot.refusals import BadZone


def zone_of(name: str) -> tzinfo:
    """Raises BadZone. Japan's time has been the same for so long that it needs no tables."""
    if name == ZONE:
        return JST
    try:
        return zones.zone_of(name)
    except ValueError:
        raise BadZone(field="time_zone", name=name[:40]) from None


def zone_label(name: str) -> str:
    """As it stands beside a field."""
    return "JST" if name == ZONE else name.rpartition("/")[2].replace("_", " ")


# What Discord says of a server's language, as our language and a time zone to begin with. People change it later.


_UNCHOSEN = "en-US"
"""Discord says this of every server that has not chosen a language."""
_ELSEWHERE = "UTC"
ZONES = {
    "bg": "Europe/Sofia", "cs": "Europe/Prague", "da": "Europe/Copenhagen", "de": "Europe/Berlin",
    "el": "Europe/Athens", "en-GB": "Europe/London", "es-ES": "Europe/Madrid", "es-419": "America/Mexico_City",
    "fi": "Europe/Helsinki", "fr": "Europe/Paris", "hi": "Asia/Kolkata", "hr": "Europe/Zagreb",
    "hu": "Europe/Budapest", "id": "Asia/Jakarta", "it": "Europe/Rome", "ja": ZONE, "ko": "Asia/Seoul",
    "lt": "Europe/Vilnius", "nl": "Europe/Amsterdam", "no": "Europe/Oslo", "pl": "Europe/Warsaw",
    "pt-BR": "America/Sao_Paulo", "ro": "Europe/Bucharest", "ru": "Europe/Moscow", "sv-SE": "Europe/Stockholm",
    "th": "Asia/Bangkok", "tr": "Europe/Istanbul", "uk": "Europe/Kyiv", "vi": "Asia/Ho_Chi_Minh",
    "zh-CN": "Asia/Shanghai", "zh-TW": "Asia/Taipei",
}  # fmt: skip


def of_new_guild(guild_locale: str | None, locale: str | None) -> tuple[str, str]:
    """Language and zone: the server's, or where it has not chosen, those of whoever comes first."""
    chosen = locale if guild_locale in (None, _UNCHOSEN) else guild_locale
    if chosen is None or chosen.startswith("ja"):
        return "ja", ZONE
    return "en", ZONES.get(chosen, _ELSEWHERE)


# When a series comes back, by the clocks on the wall of the guild: eight in the evening stays eight in the evening.


_DAYS = {Repeat.DAILY: 1, Repeat.WEEKLY: 7, Repeat.FORTNIGHTLY: 14}


def following(
    start: datetime, repeat: Repeat, zone: tzinfo, *, day: int | None = None, clock: str | None = None
) -> datetime:
    """The next time. `day` of the month and `clock` (HH:MM) are what the series was made for: a month without the day
    has its last one, and a night without the hour the one after it; neither is what the series keeps."""
    wall = _wall(start, zone)
    if clock is not None:
        wall = datetime.combine(wall.date(), time.fromisoformat(clock))
    if repeat is not Repeat.MONTHLY:
        return _real(wall + timedelta(days=_DAYS[repeat]), zone)
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
