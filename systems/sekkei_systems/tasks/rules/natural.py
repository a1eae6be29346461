"""A task in one line, as people say it: 「レポート 明日まで !高 @蓮」, "report by next fri #docs".

What is not understood stays in the title, and nothing is guessed silently: whoever types sees what was understood.
Times of day stay in the title, because tasks have days.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from sekkei_systems.tasks.design.statuses import Priority
from sekkei_systems.tasks.rules.drafts import FIRST_DAY, LAST_DAY

WEEKDAYS = "月火水木金土日"
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
COUNTED = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
PRIORITIES = {
    "high": Priority.HIGH,
    "高": Priority.HIGH,
    "1": Priority.HIGH,
    "medium": Priority.MEDIUM,
    "中": Priority.MEDIUM,
    "2": Priority.MEDIUM,
    "low": Priority.LOW,
    "低": Priority.LOW,
    "3": Priority.LOW,
}
ME = ("me", "自分")


@dataclass(frozen=True, slots=True)
class Understood:
    title: str
    start: date | None = None
    end: date | None = None
    priority: Priority | None = None
    assignee: str | None = None
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Said:
    """A day, and where in the text it stands."""

    day: date
    begins: bool
    start: int
    stop: int


def understood(
    text: str, today: date, people: Mapping[str, str] | None = None, tags: Mapping[str, str] | None = None, me: str = ""
) -> Understood:
    """`people` and `tags` are names by id."""
    left, priority = _priority(text)
    left, assignees = _called(left, "@＠", {**(people or {})}, me)
    left, found = _called(left, "#＃", tags or {})
    days: dict[bool, date] = {}
    for _ in range(2):
        said = _first(left, today, days)
        if said is None:
            break
        days[said.begins] = said.day
        left = f"{left[: said.start]} {left[said.stop :]}"
    if True in days and False in days and days[False] < days[True]:
        return Understood(_line(text))
    title = _line(left)
    if not title:
        return Understood(_line(text))
    return Understood(title, days.get(True), days.get(False), priority, next(iter(assignees), None), frozenset(found))


def _line(text: str) -> str:
    return " ".join(text.split()).strip("、,").strip()


# Marks


def _priority(text: str) -> tuple[str, Priority | None]:
    found = re.search(rf"(?<!\S)[!！]({'|'.join(PRIORITIES)})(?!\S)", text, re.IGNORECASE)
    if found is None:
        return text, None
    return f"{text[: found.start()]} {text[found.end() :]}", PRIORITIES[found[1].lower()]


def _called(text: str, marks: str, names: Mapping[str, str], me: str = "") -> tuple[str, list[str]]:
    """Ids of those whose names stand after a mark, with or without the spaces in a name; the longer name first."""
    words = {word: id for id, name in names.items() for word in (name, "".join(name.split())) if word}
    if me in names:
        words |= dict.fromkeys(ME, me)
    found: list[str] = []
    for word in sorted(words, key=len, reverse=True):
        mark = re.search(rf"(?<!\S)[{marks}]{re.escape(word)}(?!\w)", text, re.IGNORECASE)
        if mark is not None:
            found.append(words[word])
            text = f"{text[: mark.start()]} {text[mark.end() :]}"
    return text, list(dict.fromkeys(found))


# Days

_NAMES = "|".join(
    f"{day}(?:{rest})?"
    for day, rest in zip(DAYS, ("day", "s|sday", "nesday", "rs|rsday", "day", "urday", "day"), strict=True)
)
_MONTHS = "|".join(f"{month}[a-z]*" for month in MONTHS)
_N = r"(\d{1,3}|" + "|".join(COUNTED) + ")"
Reading = Callable[[re.Match[str], date], date | None]


def _number(text: str) -> int:
    return COUNTED.get(text.lower()) or int(text)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _coming(today: date, month: int, day: int) -> date | None:
    """The next such day, today included."""
    found = _date(today.year, month, day)
    return found if found is None or found >= today else _date(today.year + 1, month, day)


def _day_of_month(today: date, day: int) -> date | None:
    """The next month that has it, this one included."""
    for ahead in range(3):
        months = today.month - 1 + ahead
        found = _date(today.year + months // 12, months % 12 + 1, day)
        if found is not None and found >= today:
            return found
    return None


def _weekday(today: date, weekday: int, week: int | None) -> date:
    """In this week (0), the next (1), or simply the next one; weeks begin on Monday."""
    if week is None:
        return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    return today + timedelta(days=weekday - today.weekday() + 7 * week)


def _months_on(today: date, count: int) -> date:
    months = today.month - 1 + count
    year, month = today.year + months // 12, months % 12 + 1
    return date(year, month, min(today.day, calendar.monthrange(year, month)[1]))


def _end_of_month(today: date, count: int = 0) -> date:
    found = _months_on(today.replace(day=1), count)
    return found.replace(day=calendar.monthrange(found.year, found.month)[1])


def _after(amount: int, unit: str, today: date) -> date:
    if unit in ("日", "day"):
        return today + timedelta(days=amount)
    return today + timedelta(weeks=amount) if unit in ("週", "week") else _months_on(today, amount)


_WEEK = {"今": 0, "来": 1, "再来": 2, "this": 0, "next": 1}
_FIXED = {
    "今日": 0,
    "本日": 0,
    "きょう": 0,
    "明日": 1,
    "あした": 1,
    "あす": 1,
    "明後日": 2,
    "あさって": 2,
    "明々後日": 3,
    "明明後日": 3,
    "しあさって": 3,
    "today": 0,
    "tonight": 0,
    "tomorrow": 1,
    "tmrw": 1,
    "day after tomorrow": 2,
}
_READINGS: tuple[tuple[str, Reading], ...] = (
    (r"(\d{4})[-/／年](\d{1,2})[-/／月](\d{1,2})日?(?![\d-])", lambda m, _: _date(int(m[1]), int(m[2]), int(m[3]))),
    (r"(?<![\d/.])(\d{1,2})月(\d{1,2})日", lambda m, t: _coming(t, int(m[1]), int(m[2]))),
    (r"(?<![\w/.-])(\d{1,2})[/／](\d{1,2})(?![\d/／.%])", lambda m, t: _coming(t, int(m[1]), int(m[2]))),
    (
        r"(明[々明]後日|明後日|しあさって|あさって|今日(?!子|的)|本日|きょう|明日(?!香|葉|美)|あした|あす(?![ぁ-んー]))",
        lambda m, t: t + timedelta(days=_FIXED[m[1]]),
    ),
    (r"(\d{1,3})(日|週)間?後", lambda m, t: _after(int(m[1]), m[2], t)),
    (r"(\d{1,3})(?:[かヶカヵ]|箇)月後", lambda m, t: _after(int(m[1]), "month", t)),
    (r"(再来|来|今)週の?([月火水木金土日])曜?日?", lambda m, t: _weekday(t, WEEKDAYS.index(m[2]), _WEEK[m[1]])),
    (r"([月火水木金土日])曜日?", lambda m, t: _weekday(t, WEEKDAYS.index(m[1]), None)),
    (r"(来)?(?:月末|今月末)", lambda m, t: _end_of_month(t, 1 if m[1] else 0)),
    (r"(?<![\d月/])(\d{1,2})日(?![間後前目分本])", lambda m, t: _day_of_month(t, int(m[1]))),
    (r"\b(day after tomorrow|today|tonight|tomorrow|tmrw)\b", lambda m, t: t + timedelta(days=_FIXED[m[1].lower()])),
    (rf"\bin {_N} (day|week|month)s?\b", lambda m, t: _after(_number(m[1]), m[2].lower(), t)),
    (rf"\b(this|next) ({_NAMES})\b", lambda m, t: _weekday(t, DAYS.index(m[2][:3].lower()), _WEEK[m[1].lower()])),
    (r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day)\b", lambda m, t: _weekday(t, DAYS.index(m[1][:3].lower()), None)),
    (
        rf"(?<=\bby )({_NAMES})\b|(?<=\bon )({_NAMES})\b|(?<=\s)({_NAMES})\s*$",
        lambda m, t: _weekday(t, DAYS.index((m[1] or m[2] or m[3])[:3].lower()), None),
    ),
    (r"\bnext week\b", lambda m, t: _weekday(t, 0, 1)),
    (r"\b(?:end of (?:the )?month|eom)\b", lambda m, t: _end_of_month(t)),
    (rf"\b({_MONTHS})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b", lambda m, t: _month_name(m[1], m[2], t)),
    (rf"\b(\d{{1,2}})(?:st|nd|rd|th)? ({_MONTHS})\b", lambda m, t: _month_name(m[2], m[1], t)),
)
_COMPILED = [(re.compile(pattern, re.IGNORECASE), reading) for pattern, reading in _READINGS]
_LINK = re.compile(r"https?://\S+", re.IGNORECASE)
_FULL_MONTHS = tuple(name.lower() for name in calendar.month_name[1:])


def _month_name(name: str, day: str, today: date) -> date | None:
    word = name.lower()
    at = next((n for n, whole in enumerate(_FULL_MONTHS) if whole == word or word in (whole[:3], whole[:4])), None)
    return None if at is None else _coming(today, at + 1, int(day))


_FROM_BEFORE = re.compile(r"\b(?:from|starting|start)\s+$", re.IGNORECASE)
_UNTIL_BEFORE = re.compile(r"(?:\b(?:by|due|on|until|before|till)|期限[:：]?|締切[:：]?|〆切[:：]?)\s*$", re.IGNORECASE)
_FROM_AFTER = re.compile(r"\s*(?:から|開始)")
_UNTIL_AFTER = re.compile(r"\s*(?:までに?|(?:締め?切り?|〆切|期限|に|の)(?=\s|$))")


def _first(text: str, today: date, known: Iterable[bool]) -> _Said | None:
    """The first day in a text; of several readings of the same place the longest. A start, or an end, is said once."""
    said = [one for one in _all(text, today) if one.begins not in known]
    return min(said, key=lambda one: (one.start, -one.stop), default=None)


def _all(text: str, today: date) -> Iterable[_Said]:
    """Without those that are part of an address."""
    links = [found.span() for found in _LINK.finditer(text)]
    for pattern, reading in _COMPILED:
        for found in pattern.finditer(text):
            if any(start <= found.start() < stop for start, stop in links):
                continue
            try:
                day = reading(found, today)
            except (OverflowError, ValueError):
                continue
            if day is not None and FIRST_DAY <= day <= LAST_DAY:
                yield _with_particles(text, day, found.start(), found.end())


def _with_particles(text: str, day: date, start: int, stop: int) -> _Said:
    begins_before, begins_after = _FROM_BEFORE.search(text[:start]), _FROM_AFTER.match(text, stop)
    before, after = _UNTIL_BEFORE.search(text[:start]), _UNTIL_AFTER.match(text, stop)
    first, last = begins_before or before, begins_after or after
    begins = begins_before is not None or begins_after is not None
    return _Said(day, begins, first.start() if first else start, last.end() if last else stop)
