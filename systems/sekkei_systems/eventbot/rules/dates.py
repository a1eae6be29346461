"""Dates as people write them: `2026-01-19 21:00`, `1/19 21時`, `明日 21時`, `来週金曜の夜9時半`, `30分後`.

Pure: text and the present moment go in, a moment in Japan's time comes out, or a `BadDate` that says what is wrong. The
present moment carries the zone that the text is written in. What can mean several moments is asked, never guessed.
Hours go to 29, as on Japanese posters: 25時 is one o'clock of the next day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sekkei.kit.text import half_width
from sekkei.runtime.refusals import Invalid
from sekkei_systems.days import JST
from sekkei_systems.eventbot.rules.english_dates import in_japanese
from sekkei_systems.eventbot.rules.named_days import Named, named_day

HOURS_MAX = 29
YEARS_AHEAD_MAX = 5
_LENGTH_MAX = 80

_HALVES = {
    "午前": (0, 12), "朝": (0, 12), "早朝": (0, 12), "am": (0, 12),
    "午後": (12, 12), "昼": (12, 6), "夕方": (12, 12), "夜": (12, 12), "晩": (12, 12), "pm": (12, 12),
    "深夜": (0, 12), "夜中": (0, 12),
}  # fmt: skip
"""Hours to add, and up to which hour: 夜9時 is 21時, 夜21時 stays; 昼1時 is 13時, 昼11時 stays."""
_LATE = ("深夜", "夜中")

_BRACKETED = re.compile(r"[(]([月火水木金土日])(?:曜日?)?(?:・?祝)?[)]")
_ALONE = re.compile(r"(?:^|(?<=\s))([月火水木金土日])(?=\s|$)")
_AFTER = re.compile(
    r"(?:(\d{1,4})\s*(?:週間?)\s*)?(?:(\d{1,4})\s*日\s*)?(?:(\d{1,4})\s*時間\s*(半)?\s*)?(?:(\d{1,5})\s*分\s*)?後"
)
_STAMP = re.compile(r"<t:([0-9]{1,15})(?::[A-Za-z])?>")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?")
_NOON = re.compile(r"正午|お昼(?!\s*\d)|noon")
_MIDNIGHT = re.compile(r"零時|midnight")
_HALF = r"(午前|午後|深夜|夜中|夕方|早朝|朝|お?昼|夜|晩|[ap]m)?の?"
_TIME = re.compile(
    rf"{_HALF}\s*(\d{{1,2}})\s*(?:[:](\d{{2}})(?::00)?|時\s*(?:(\d{{1,2}})\s*分|(半))?|(?=\s*[ap]m))\s*([ap]m(?![a-z]))?"
)
_BARE_HOUR = re.compile(r"\d{1,2}")
_RANGE = re.compile(r"\s*(?:~|〜|から|to|-)\s*")
_HALF_WRITTEN = re.compile(r"(?<![\d/:.月-])(\d{1,2})\s*(~|-|から|to)\s*(?=(\d{1,2})\s*(時|[ap]m))")
"""`19〜21時` and `7-9pm`: what stands behind the second number holds for both."""
_OPEN_END = re.compile(r"\s*(?:~|から)$")
_FILLER = re.compile(r"(?:^|(?<=\s))(?:の|に|at|on|頃|ごろ|開始|スタート)(?=\s|$)|頃|ごろ|開始|スタート|まで|[,、。]")

Clock = tuple[int, int]
Clocks = tuple[Clock, ...]
"""One time of day, and whatever else the words for it can mean."""


class BadDate(Invalid):
    """The text is no date that can be used."""


class NoTime(BadDate): ...


class PastDate(BadDate): ...


class FarDate(BadDate): ...


class EndBeforeStart(BadDate): ...


class SeveralDates(BadDate):
    """The words can mean one moment as well as another."""


class WrongWeekday(BadDate):
    """The day and the day of the week do not belong together."""


class SkippedTime(BadDate):
    """The clocks go forward over it that night."""


@dataclass(frozen=True, slots=True)
class Period:
    """A start and perhaps an end."""

    start: datetime
    end: datetime | None = None


def read_moment(text: str, now: datetime, *, field: str | None = None) -> datetime:
    """A moment that is yet to come."""
    period = read_period(text, now, field=field)
    if period.end is not None:
        raise BadDate(field=field, text=_shown(text))
    return period.start


def read_period(text: str, now: datetime, *, field: str | None = None) -> Period:
    """A moment that is yet to come, and where it says so (`21時〜23時`) when it is over."""
    now = now.replace(microsecond=0)
    exact = _exact(text, now, field)
    if exact is not None:
        return Period(_checked(exact, text, now, field))
    cleaned = _cleaned(text, field)
    after = _AFTER.fullmatch(cleaned)
    if after is not None and any(after.groups()):
        return Period(_checked(now.astimezone(JST) + _span(after), text, now, field))
    named = _named(cleaned, now, text, field)
    times, rest = _times(named.rest, text, field, named)
    if rest.strip():
        raise BadDate(field=field, text=_shown(text))
    if not times:
        raise NoTime(field=field, text=_shown(text))
    start = _chosen(named, times[0], text, now, field)
    return Period(start, _end(start.astimezone(now.tzinfo), times[1]) if len(times) > 1 else None)


def _exact(text: str, now: datetime, field: str | None) -> datetime | None:
    """As programs write it: `2026-11-20T20:00`, with or without a zone, and Discord's own `<t:1795172400:F>`."""
    stamp, iso = _STAMP.fullmatch(text.strip()), _ISO.fullmatch(text.strip())
    try:
        if stamp is not None:
            return datetime.fromtimestamp(int(stamp[1]), JST)
        found = datetime.fromisoformat(text.strip().upper()) if iso is not None else None
    except (ValueError, OverflowError, OSError):
        raise BadDate(field=field, text=_shown(text)) from None
    return found.replace(tzinfo=now.tzinfo) if found is not None and found.tzinfo is None else found


def read_end(text: str, start: datetime, now: datetime, *, field: str | None = None) -> datetime:
    """When something that starts at `start` is over: `23時`, `2時間`, `2時間後`, or a whole date."""
    cleaned = _cleaned(text, field)
    after = _AFTER.fullmatch(cleaned if cleaned.endswith("後") else f"{cleaned}後")
    if after is not None and any(after.groups()):
        return start + _span(after)
    times, rest = _times(cleaned, text, field)
    if len(times) == 1 and not rest.strip():
        return _end(start.astimezone(now.tzinfo), times[0])
    end = read_moment(text, now, field=field)
    if end <= start:
        raise EndBeforeStart(field=field)
    return end


def read_before(text: str, start: datetime, now: datetime, *, field: str | None = None) -> datetime:
    """A moment told from the start: `1時間前`, `30分前`, `前日 20時`, `当日 12時`; or a whole date."""
    cleaned = _cleaned(text, field)
    if cleaned.endswith("前"):
        before = _AFTER.fullmatch(f"{cleaned[:-1]}後")
        if before is not None and any(before.groups()):
            return _checked(start - _span(before), text, now, field)
    for word, days_before in (("前日", 1), ("当日", 0)):
        if cleaned.startswith(word):
            day = start.astimezone(now.tzinfo).date() - timedelta(days=days_before)
            named = Named((day,), cleaned.removeprefix(word).lstrip("の "))
            times, rest = _times(named.rest, text, field, named)
            if len(times) == 1 and not rest.strip():
                return _chosen(named, times[0], text, now, field)
    return read_moment(text, now, field=field)


def _shown(text: str) -> str:
    return " ".join(text.split())[:40]


def _cleaned(text: str, field: str | None) -> str:
    """One kind of digits, brackets, spaces and weekdays, in Japanese."""
    if len(text) > _LENGTH_MAX or not text.strip():
        raise BadDate(field=field, text=_shown(text))
    cleaned = half_width(text).lower()
    cleaned = cleaned.replace("〜", "~").replace("–", "-").replace("—", "-").replace("お昼の", "昼")
    cleaned = _HALF_WRITTEN.sub(_both, in_japanese(_BRACKETED.sub(r" \1曜 ", cleaned)))
    cleaned = _OPEN_END.sub("", " ".join(_FILLER.sub(" ", cleaned).split()))
    return _ALONE.sub(r"\1曜", cleaned)


def _both(found: re.Match[str]) -> str:
    first, between, second, unit = found.groups()
    if unit == "時" or int(first) < int(second) < 12:
        return f"{first}{unit}{between}"
    return found[0]


def _span(found: re.Match[str]) -> timedelta:
    weeks, days, hours, half, minutes = found.groups()
    return timedelta(
        weeks=int(weeks or 0),
        days=int(days or 0),
        hours=int(hours or 0),
        minutes=int(minutes or 0) + (30 if half else 0),
    )


def _named(cleaned: str, now: datetime, given: str, field: str | None) -> Named:
    try:
        named = named_day(cleaned, now)
    except ValueError:
        raise BadDate(field=field, text=_shown(given)) from None
    if named.weekday is None:
        return named
    fitting = tuple(day for day in named.days if day.weekday() == named.weekday)
    if not fitting:
        raise WrongWeekday(field=field, text=_shown(given), day=f"{named.days[0]:%Y-%m-%d}")
    return named._replace(days=fitting)


def _chosen(named: Named, clocks: Clocks, given: str, now: datetime, field: str | None) -> datetime:
    """The one moment to come that the words can mean."""
    found = sorted(set(_moments(named.days, clocks, now)))
    if named.again and not any(moment > now for moment in found):
        later = [day + timedelta(days=named.again) for day in named.days]
        found = sorted(set(_moments(later, clocks, now)))
    if not found:
        raise SkippedTime(field=field, text=_shown(given))
    coming = [moment for moment in found if moment > now]
    if len(coming) > 1:
        choices = " / ".join(f"{moment.astimezone(now.tzinfo):%Y-%m-%d %H:%M}" for moment in coming)
        raise SeveralDates(field=field, text=_shown(given), choices=choices)
    return _checked(coming[0] if coming else found[-1], given, now, field)


def _moments(days: Iterable[date], clocks: Clocks, now: datetime) -> list[datetime]:
    """When the clock in the zone of `now` shows it on these days: not at all where it is put forward, first of two
    where it is put back."""
    walls = [_at(day, clock, now) for day in days for clock in clocks]
    moments = [(wall, wall.astimezone(JST)) for wall in walls]
    return [
        moment
        for wall, moment in moments
        if moment.astimezone(now.tzinfo).replace(tzinfo=None) == wall.replace(tzinfo=None)
    ]


def _times(text: str, given: str, field: str | None, named: Named | None = None) -> tuple[list[Clocks], str]:
    """One time, or two for a range, each with all that it can mean; and what is left."""
    named = named or Named((), is_said=False)
    text = _MIDNIGHT.sub("深夜0:00", _NOON.sub("12:00", text))
    if named.days and _BARE_HOUR.fullmatch(text.strip()):
        return [_bare(int(text), given, field, named)], ""
    found = list(_TIME.finditer(text))
    if not 1 <= len(found) <= 2:
        return [], text
    times: list[Clocks] = []
    half: str | None = "夜" if named.evening else None
    for one in found:
        half = one[6] or (one[1] or "").removeprefix("お") or half
        times.append(_late(_time(one, half, given, field), half, named))
    if len(found) == 1:
        return times, text[: found[0].start()] + " " + text[found[0].end() :]
    between = text[found[0].end() : found[1].start()]
    if _RANGE.fullmatch(between) is None:
        return [], text
    return times, text[: found[0].start()] + " " + text[found[1].end() :]


def _bare(hour: int, given: str, field: str | None, named: Named) -> Clocks:
    """`tomorrow at 8` may be the morning or the evening."""
    if not named.is_said or not 1 <= hour <= 24:
        raise NoTime(field=field, text=_shown(given))
    if hour > 12:
        return ((hour, 0),)
    return ((hour + 12, 0),) if named.evening else ((hour, 0), (hour + 12, 0))


def _late(clock: Clock, half: str | None, named: Named) -> Clocks:
    """明日の深夜1時 may be the night that ends that day's morning, or the one that follows its evening."""
    hour, minute = clock
    if half not in _LATE or hour >= 12 or not named.is_said:
        return (clock,)
    after = (hour + 24, minute)
    return (after,) if named.evening else (clock, after)


def _time(found: re.Match[str], half: str | None, given: str, field: str | None) -> Clock:
    hour, minute = int(found[2]), 30 if found[5] else int(found[3] or found[4] or 0)
    if half is not None:
        add, limit = _HALVES[half]
        if half in ("午前", "am", "午後", "pm") and hour > 12:
            raise BadDate(field=field, text=_shown(given))
        if hour == 12 and half in ("am", "午前", "深夜", "夜中"):
            hour = 0
        elif hour < limit:
            hour += add
        elif hour == 12 and half in ("夜", "晩"):
            hour = 24
    if hour > HOURS_MAX or minute > 59:
        raise BadDate(field=field, text=_shown(given))
    return hour, minute


def _at(day: date, time: Clock, now: datetime) -> datetime:
    """What the clock shows, in the zone of `now`."""
    return datetime(day.year, day.month, day.day, tzinfo=now.tzinfo) + timedelta(hours=time[0], minutes=time[1])


def _end(start: datetime, clocks: Clocks) -> datetime:
    """The first such time after the start."""
    end = _at(start.date(), clocks[0], start)
    return (end if end > start else end + timedelta(days=1)).astimezone(JST)


def _checked(moment: datetime, text: str, now: datetime, field: str | None) -> datetime:
    if moment <= now:
        raise PastDate(field=field, text=_shown(text), when=f"{moment.astimezone(now.tzinfo):%Y-%m-%d %H:%M}")
    if moment > now + timedelta(days=366 * YEARS_AHEAD_MAX):
        raise FarDate(field=field, text=_shown(text), years=YEARS_AHEAD_MAX)
    return moment.astimezone(JST)
