"""Dates as people write them: `2026-01-19 21:00`, `1/19 21時`, `明日 21時`, `来週金曜の夜9時半`, `30分後`.

Pure: text and the present moment go in, a moment in Japan's time comes out, or a `BadDate` that says what is wrong. The
present moment carries the zone that the text is written in.
Hours go to 29, as on Japanese posters: 25時 is one o'clock of the next day.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sekkei.runtime.days import JST
from sekkei.runtime.refusals import Invalid

HOURS_MAX = 29
YEARS_AHEAD_MAX = 5
_LENGTH_MAX = 80

_DAYS = {
    "今日": 0, "本日": 0, "きょう": 0, "今夜": 0, "今晩": 0, "today": 0, "tonight": 0,
    "明日": 1, "あした": 1, "あす": 1, "明晩": 1, "tomorrow": 1,
    "明後日": 2, "あさって": 2, "明々後日": 3, "明明後日": 3, "しあさって": 3,
}  # fmt: skip
_WEEKDAYS = {name: number for number, name in enumerate("月火水木金土日")}
_HALVES = {
    "午前": (0, 12), "朝": (0, 12), "am": (0, 12),
    "午後": (12, 12), "昼": (12, 6), "夕方": (12, 12), "夜": (12, 12), "晩": (12, 12), "pm": (12, 12), "今夜": (12, 12),
    "今晩": (12, 12), "明晩": (12, 12), "tonight": (12, 12), "深夜": (0, 12),
}  # fmt: skip
"""Hours to add, and up to which hour: 夜9時 is 21時, 夜21時 stays; 昼1時 is 13時, 昼11時 stays."""

_DAY_WORD = re.compile("|".join(sorted(map(re.escape, _DAYS), key=len, reverse=True)))
_FULL_DATE = re.compile(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})日?")
_MONTH_DAY = re.compile(r"(?<![\d:])(\d{1,2})\s*[/月]\s*(\d{1,2})日?")
_NEXT_MONTH = re.compile(r"(今月|来月|再来月)の?\s*(\d{1,2})日")
_DAY_OF_MONTH = re.compile(r"(?<!\d)(\d{1,2})日(?![後前間])")
_WEEKDAY = re.compile(r"(今週|来週|再来週|次)?の?\s*([月火水木金土日])曜日?")
_BARE_WEEKDAY = re.compile(r"(今週|来週|再来週)の?\s*([月火水木金土日])(?!\d)")
_BRACKETED = re.compile(r"[(][月火水木金土日](?:曜日?|・祝)?[)]")
_AFTER = re.compile(
    r"(?:(\d{1,4})\s*(?:週間?)\s*)?(?:(\d{1,4})\s*日\s*)?(?:(\d{1,4})\s*時間\s*(半)?\s*)?(?:(\d{1,5})\s*分\s*)?後"
)
_STAMP = re.compile(r"<t:([0-9]{1,15})(?::[A-Za-z])?>")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?")
_NOON = re.compile(r"正午|お昼(?!\s*\d)|noon")
_MIDNIGHT = re.compile(r"零時|midnight")
_TIME = re.compile(
    r"(午前|午後|深夜|夕方|朝|昼|夜|晩)?の?\s*(\d{1,2})\s*(?:[:](\d{2})(?::00)?|時\s*(?:(\d{1,2})\s*分|(半))?|(?=\s*[ap]m))\s*([ap]m)?"
)
_RANGE = re.compile(r"\s*(?:~|〜|から|to|-)\s*")
_OPEN_END = re.compile(r"\s*(?:~|から)$")
_FILLER = re.compile(r"(?:^|(?<=\s))(?:の|に|at|on|頃|ごろ|開始|スタート)(?=\s|$)|頃|ごろ|開始|スタート|まで|[,、。]")


_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = "|".join(_MONTHS)
_DAY, _YEAR = r"(\d{1,2})(?:st|nd|rd|th)?", r"(?:,? (\d{4}))?"
_UNITS = {"minute": "分", "min": "分", "hour": "時間", "day": "日", "week": "週間"}
_UNIT = r"(\d{1,5})\s*(minute|min|hour|day|week)s?"
_NAMES = dict(zip(("mon", "tue", "wed", "thu", "fri", "sat", "sun"), "月火水木金土日", strict=True))
_NAME = r"(mon|tue|wed|thu|fri|sat|sun)(?:day|sday|nesday|rsday|urday)?"
_ENGLISH: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\b(?:the )?day after tomorrow\b"), lambda _: "明後日"),
    (re.compile(r"\bthe day before\b"), lambda _: "前日"),
    (re.compile(r"\b(?:on )?the same day\b"), lambda _: "当日"),
    (re.compile(rf"\b{_UNIT} before\b"), lambda found: f"{found[1]}{_UNITS[found[2]]}前"),
    (re.compile(rf"\bin {_UNIT}\b"), lambda found: f"{found[1]}{_UNITS[found[2]]}後"),
    (re.compile(rf"\b{_UNIT}\b"), lambda found: f"{found[1]}{_UNITS[found[2]]}"),
    (re.compile(rf"\bnext {_NAME}\b"), lambda found: f"来週{_NAMES[found[1]]}曜"),
    (re.compile(rf"\b(?:this )?{_NAME}\b"), lambda found: f"{_NAMES[found[1]]}曜"),
    (
        re.compile(rf"\b({_MONTH})[a-z]*\.? (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?\b"),
        lambda found: _slashed(*found.group(1, 2, 3)),
    ),
    (
        re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? ({_MONTH})[a-z]*\.?(?:,? (\d{{4}}))?\b"),
        lambda found: _slashed(*found.group(2, 1, 3)),
    ),
    (re.compile(r"\b(\d{1,2})([/.])(\d{1,2})\2(\d{4})\b"), lambda found: f"{found[4]}/{found[3]}/{found[1]}"),
    (re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(?!\d)"), lambda found: f"{found[2]}/{found[1]}"),
)
"""English is put into the words that the rest of this module reads."""


def _slashed(month: str, day: str, year: str | None) -> str:
    return "/".join(part for part in (year, str(_MONTHS.index(month) + 1), day) if part)


class BadDate(Invalid):
    """The text is no date that can be used."""


class NoTime(BadDate): ...


class PastDate(BadDate): ...


class FarDate(BadDate): ...


class EndBeforeStart(BadDate): ...


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
    day, rest, fixed, evening = _day(cleaned, now, text, field)
    times, rest = _times(rest, text, field, evening)
    if rest.strip():
        raise BadDate(field=field, text=_shown(text))
    if not times:
        raise NoTime(field=field, text=_shown(text))
    start = _at(day, times[0], now)
    if not fixed and start <= now:
        start += timedelta(days=1)  # a time alone means the next time the clock shows it
    return Period(_checked(start, text, now, field), _end(start, times[1]) if len(times) > 1 else None)


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
    times, rest = _times(cleaned, text, field, False)
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
            times, rest = _times(cleaned.removeprefix(word).lstrip("の "), text, field, False)
            if len(times) == 1 and not rest.strip():
                day = start.astimezone(now.tzinfo).date() - timedelta(days=days_before)
                return _checked(_at(day, times[0], now), text, now, field)
    return read_moment(text, now, field=field)


def _shown(text: str) -> str:
    return " ".join(text.split())[:40]


def _cleaned(text: str, field: str | None) -> str:
    """One kind of digits, brackets and spaces, without the weekday that people add to a date."""
    if len(text) > _LENGTH_MAX or not text.strip():
        raise BadDate(field=field, text=_shown(text))
    cleaned = unicodedata.normalize("NFKC", text).lower().strip()
    cleaned = _BRACKETED.sub(" ", cleaned.replace("〜", "~").replace("–", "-").replace("—", "-"))
    for pattern, put in _ENGLISH:
        cleaned = pattern.sub(put, cleaned)
    return _OPEN_END.sub("", " ".join(_FILLER.sub(" ", cleaned).split()))


def _span(found: re.Match[str]) -> timedelta:
    weeks, days, hours, half, minutes = found.groups()
    return timedelta(
        weeks=int(weeks or 0),
        days=int(days or 0),
        hours=int(hours or 0),
        minutes=int(minutes or 0) + (30 if half else 0),
    )


def _day(text: str, now: datetime, given: str, field: str | None) -> tuple[date, str, bool, bool]:
    """The day, what is left of the text, whether a day was named at all, and whether an evening was."""
    today = now.date()
    for pattern, read in _WRITTEN:
        found = pattern.search(text)
        if found is not None:
            try:
                day = read(found, today)
            except ValueError:
                raise BadDate(field=field, text=_shown(given)) from None
            return day, _without(text, found), True, False
    word = _DAY_WORD.search(text)
    if word is not None:
        day = today + timedelta(days=_DAYS[word[0]])
        return day, _without(text, word), True, word[0] in _HALVES
    weekday = _WEEKDAY.search(text) or _BARE_WEEKDAY.search(text)
    if weekday is not None:
        return _next_weekday(weekday, today), _without(text, weekday), True, False
    after = re.match(r"(\d{1,3})日後の?\s*", text)
    if after is not None:
        return today + timedelta(days=int(after[1])), text[after.end() :], True, False
    return today, text, False, False


def _without(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()]} {text[found.end() :].lstrip('の ')}".strip()


def _full_date(found: re.Match[str], today: date) -> date:
    return date(int(found[1]), int(found[2]), int(found[3]))


def _month_day(found: re.Match[str], today: date) -> date:
    """Without a year, the next such day. `20/11` can only be the twentieth of November."""
    month, day = int(found[1]), int(found[2])
    if month > 12 and day <= 12 and found.string.isascii():
        month, day = day, month
    for year in range(today.year, today.year + 9):
        try:
            candidate = date(year, month, day)
        except ValueError:
            if (month, day) != (2, 29):
                raise
            continue
        if candidate >= today:
            return candidate
    raise ValueError("no such day")


def _next_month(found: re.Match[str], today: date) -> date:
    months = today.month - 1 + {"今月": 0, "来月": 1, "再来月": 2}[found[1]]
    return date(today.year + months // 12, months % 12 + 1, int(found[2]))


def _day_of_month(found: re.Match[str], today: date) -> date:
    """`20日` alone: the next such day, in a month that has it."""
    for months in range(4):
        year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
        try:
            candidate = date(year, month + 1, int(found[1]))
        except ValueError:
            continue
        if candidate >= today:
            return candidate
    raise ValueError("no such day")


_WRITTEN = (
    (_FULL_DATE, _full_date),
    (_NEXT_MONTH, _next_month),
    (_MONTH_DAY, _month_day),
    (_DAY_OF_MONTH, _day_of_month),
)


def _next_weekday(found: re.Match[str], today: date) -> date:
    """金曜 is the next one, today included; 今週, 来週 and 再来週 count weeks that begin on Monday."""
    weekday = _WEEKDAYS[found[2]]
    weeks = {"今週": 0, "来週": 1, "再来週": 2}.get(found[1] or "")
    if weeks is None:
        return today + timedelta(days=(weekday - today.weekday()) % 7)
    return today - timedelta(days=today.weekday()) + timedelta(days=weekday + 7 * weeks)


def _times(text: str, given: str, field: str | None, evening: bool) -> tuple[list[tuple[int, int]], str]:
    """One time, or two for a range; and what is left."""
    for pattern, hour in ((_NOON, 12), (_MIDNIGHT, 24)):
        text = pattern.sub(f"{hour}:00", text)
    found = list(_TIME.finditer(text))
    if not 1 <= len(found) <= 2:
        return [], text
    times: list[tuple[int, int]] = []
    half: str | None = "夜" if evening else None
    for one in found:
        half = one[6] or one[1] or half
        times.append(_time(one, half, given, field))
    if len(found) == 1:
        return times, text[: found[0].start()] + " " + text[found[0].end() :]
    between = text[found[0].end() : found[1].start()]
    if _RANGE.fullmatch(between) is None:
        return [], text
    return times, text[: found[0].start()] + " " + text[found[1].end() :]


def _time(found: re.Match[str], half: str | None, given: str, field: str | None) -> tuple[int, int]:
    hour, minute = int(found[2]), 30 if found[5] else int(found[3] or found[4] or 0)
    if half is not None:
        add, limit = _HALVES[half]
        if half in ("午前", "am", "午後", "pm") and hour > 12:
            raise BadDate(field=field, text=_shown(given))
        if hour == 12 and half in ("am", "午前", "深夜"):
            hour = 0
        elif hour < limit:
            hour += add
        elif hour == 12 and half in ("夜", "晩"):
            hour = 24
    if hour > HOURS_MAX or minute > 59:
        raise BadDate(field=field, text=_shown(given))
    return hour, minute


def _at(day: date, time: tuple[int, int], now: datetime) -> datetime:
    """What the clock shows, in the zone of `now`."""
    return datetime(day.year, day.month, day.day, tzinfo=now.tzinfo) + timedelta(hours=time[0], minutes=time[1])


def _end(start: datetime, time: tuple[int, int]) -> datetime:
    """The first such time after the start."""
    end = _at(start.date(), time, start)
    return (end if end > start else end + timedelta(days=1)).astimezone(JST)


def _checked(moment: datetime, text: str, now: datetime, field: str | None) -> datetime:
    if moment <= now:
        raise PastDate(field=field, text=_shown(text), when=f"{moment.astimezone(now.tzinfo):%Y-%m-%d %H:%M}")
    if moment > now + timedelta(days=366 * YEARS_AHEAD_MAX):
        raise FarDate(field=field, text=_shown(text), years=YEARS_AHEAD_MAX)
    return moment.astimezone(JST)
