"""Which days the words for a day can mean: `1/19`, `明日`, `来週金曜`, `今週末`. More than one where people differ."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import NamedTuple

WEEKDAYS = "月火水木金土日"
_SATURDAY = 5
_DAYS = {
    "今日": 0, "本日": 0, "きょう": 0, "今夜": 0, "今晩": 0, "today": 0, "tonight": 0,
    "明日": 1, "あした": 1, "あす": 1, "明晩": 1, "tomorrow": 1,
    "明後日": 2, "あさって": 2, "明々後日": 3, "明明後日": 3, "しあさって": 3,
}  # fmt: skip
_EVENINGS = ("今夜", "今晩", "明晩", "tonight")
_WEEKS = {"今週": 0, "来週": 1, "再来週": 2}
_AMERICAN = ["New_York", "Detroit", "Chicago", "Denver", "Phoenix", "Boise", "Los_Angeles", "Anchorage"]
_MONTH_FIRST = {f"America/{city}" for city in _AMERICAN} | {
    "Pacific/Honolulu",
    "Asia/Seoul",
    "Asia/Shanghai",
    "Asia/Taipei",
}
"""Where 5/11 is the eleventh of May and nothing else, besides Japan, whose zone here has no name."""

_DAY_WORD = re.compile("|".join(sorted(map(re.escape, _DAYS), key=len, reverse=True)))
_FULL_DATE = re.compile(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})日?")
_YEAR_LAST = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})/(\d{4})(?!\d)")
_YEAR_WORD = re.compile(r"(今年|来年|再来年)の?\s*(\d{1,2})\s*[-/月]\s*(\d{1,2})日?(?![\d:時])")
_YEAR_AFTER = re.compile(r"(\d{1,2})月(\d{1,2})日 (来年)")
_MONTH_DAY = re.compile(r"(?<![\d:/-])(\d{1,2})(?:\s*([/月])\s*|-)(\d{1,2})(?(2)日?|(?![\d:時/-]|\s*[ap]m))")
_NEXT_MONTH = re.compile(r"(今月|来月|再来月)の?\s*(\d{1,2})日")
_DAY_OF_MONTH = re.compile(r"(?<!\d)(\d{1,2})日(?![後前間])")
_WEEKDAY = re.compile(rf"(今週|来週|再来週|今度|次)?の?\s*([{WEEKDAYS}])曜日?")
_BARE_WEEKDAY = re.compile(rf"(今週|来週|再来週)の?\s*([{WEEKDAYS}])(?!\d)")
_WEEKEND = re.compile(r"(?:(今週|来週|再来週)の?)?(?:(?<=週)末|週末)")
_STATED = re.compile(rf"([{WEEKDAYS}])曜日?")
_AFTER = re.compile(r"(\d{1,3})(日|週間?)後の?\s*")


class Named(NamedTuple):
    """What a text says about the day."""

    days: tuple[date, ...]
    rest: str = ""
    """The text without it."""
    is_said: bool = True
    evening: bool = False
    """The word for the day is the word for an evening."""
    weekday: int | None = None
    """Said beside the day: it has to fit."""
    again: int = 0
    """After how many days the same words hold once more, when their time has passed."""


def named_day(text: str, now: datetime) -> Named:
    """Raises ValueError for a day that no month has."""
    for pattern, read in _WRITTEN:
        found = pattern.search(text)
        if found is not None:
            return _with_weekday(Named(read(found, now), _without(text, found)))
    today = now.date()
    word = _DAY_WORD.search(text)
    if word is not None:
        days = (today + timedelta(days=_DAYS[word[0]]),)
        return _with_weekday(Named(days, _without(text, word), evening=word[0] in _EVENINGS))
    after = _AFTER.match(text)
    if after is not None:
        days = (today + timedelta(days=int(after[1]) * (1 if after[2] == "日" else 7)),)
        return _with_weekday(Named(days, text[after.end() :]))
    return _of_week(text, today)


def _of_week(text: str, today: date) -> Named:
    weekday = _WEEKDAY.search(text) or _BARE_WEEKDAY.search(text)
    weekend = _WEEKEND.search(text)
    if weekend is not None:
        return _with_weekday(Named(_weekend(weekend[1], today), _without(text, weekend)))
    if weekday is None:
        return Named((today,), text, is_said=False, again=1)
    days = _weekday(weekday[1], WEEKDAYS.index(weekday[2]), today)
    return Named(days, _without(text, weekday), again=0 if weekday[1] else 7)


def _with_weekday(named: Named) -> Named:
    stated = _STATED.search(named.rest)
    if stated is None:
        return named
    return named._replace(rest=_without(named.rest, stated), weekday=WEEKDAYS.index(stated[1]))


def _without(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()]} {text[found.end() :].lstrip('の ')}".strip()


def _weekday(which: str | None, weekday: int, today: date) -> tuple[date, ...]:
    """金曜 is the next one, today included; 次 and 今度 leave today out."""
    ahead = (weekday - today.weekday()) % 7
    coming = today + timedelta(days=ahead if which is None else ahead or 7)
    return _of_weeks(_WEEKS[which], weekday, today) if which in _WEEKS else (coming,)


def _of_weeks(ahead: int, weekday: int, today: date) -> tuple[date, ...]:
    """The calendars of some begin the week on Sunday, those of others on Monday."""
    monday = today - timedelta(days=today.weekday()) + timedelta(days=weekday)
    sunday = today - timedelta(days=today.isoweekday() % 7) + timedelta(days=(weekday + 1) % 7)
    return tuple(day + timedelta(days=7 * ahead) for day in (monday, sunday))


def _weekend(which: str | None, today: date) -> tuple[date, ...]:
    """Saturday and Sunday: a weekend has two days, and words alone do not say which."""
    saturday = today - timedelta(days=today.weekday()) + timedelta(days=_SATURDAY)
    saturday += timedelta(days=7 * _WEEKS[which or "今週"])
    return (saturday, saturday + timedelta(days=1))


def _full_date(found: re.Match[str], now: datetime) -> tuple[date, ...]:
    return (date(int(found[1]), int(found[2]), int(found[3])),)


def _year_last(found: re.Match[str], now: datetime) -> tuple[date, ...]:
    """11/5/2026 is a day of May in London, of November in New York."""
    return _either(int(found[1]), int(found[2]), lambda month, day: date(int(found[3]), month, day))


def _year_word(found: re.Match[str], now: datetime) -> tuple[date, ...]:
    word, month, day = found.groups() if not found[1].isdigit() else (found[3], found[1], found[2])
    return (date(now.year + {"今年": 0, "来年": 1, "再来年": 2}[word], int(month), int(day)),)


def _month_day(found: re.Match[str], now: datetime) -> tuple[date, ...]:
    """Without a year, the next such day. `20/11` can only be the twentieth of November."""
    first, sign, second = int(found[1]), found[2], int(found[3])
    zone = getattr(now.tzinfo, "key", None)
    if sign == "月" or "時" in found.string or (first <= 12 and (zone is None or zone in _MONTH_FIRST)):
        return (_coming(first, second, now.date()),)
    return _either(first, second, lambda month, day: _coming(month, day, now.date()))


def _either(first: int, second: int, read: Callable[[int, int], date]) -> tuple[date, ...]:
    """Month and day in either order, as far as there are such days."""
    days = set()
    for month, day in ((first, second), (second, first)):
        if month <= 12:
            try:
                days.add(read(month, day))
            except ValueError:
                continue
    if not days:
        raise ValueError("no such day")
    return tuple(sorted(days))


def _coming(month: int, day: int, today: date) -> date:
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


def _next_month(found: re.Match[str], now: datetime) -> tuple[date, ...]:
    months = now.month - 1 + {"今月": 0, "来月": 1, "再来月": 2}[found[1]]
    return (date(now.year + months // 12, months % 12 + 1, int(found[2])),)


def _day_of_month(found: re.Match[str], now: datetime) -> tuple[date, ...]:
    """`20日` alone: the next such day, in a month that has it."""
    for months in range(4):
        year, month = divmod(now.year * 12 + now.month - 1 + months, 12)
        try:
            candidate = date(year, month + 1, int(found[1]))
        except ValueError:
            continue
        if candidate >= now.date():
            return (candidate,)
    raise ValueError("no such day")


_WRITTEN: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], tuple[date, ...]]], ...] = (
    (_FULL_DATE, _full_date),
    (_YEAR_LAST, _year_last),
    (_YEAR_WORD, _year_word),
    (_YEAR_AFTER, _year_word),
    (_NEXT_MONTH, _next_month),
    (_MONTH_DAY, _month_day),
    (_DAY_OF_MONTH, _day_of_month),
)
