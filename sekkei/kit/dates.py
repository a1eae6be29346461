"""Days and times that people type, in Japanese and English: `1/19 21時`, `明日の夜9時半`, `next fri 8pm`, `30分後`.

One ordered table of patterns reads days, in a field of their own and inside a sentence. Now and its zone are arguments.
What can mean several days keeps them all, the likeliest first: a bot asks, a form refuses, and quick entry, which shows
what it reads while a person types, takes the first. These are the decisions:

- A bare weekday (水曜, fri) is the next one. Today's counts while its time is ahead or where no time is asked. So does
  `this fri`; 次 and 今度 leave today out.
- 今週 and 来週 are weeks from Monday, and so is `next` with a weekday: next fri is the Friday of the next week.
  Calendars that begin on Sunday give 来週日曜 a second meaning, and on a Sunday all other weekdays too.
- 今週末 is a Saturday or a Sunday, and `next week` alone is any of its days, likeliest its Monday.
- A day without a year is the next such day. 5/11 is a day of May in Japan and where the zone writes the month first;
  elsewhere it can mean two days, as 11/5/2026 can everywhere. 20/11 is November, 20.11.2026 begins with the day.
- Months after a day end with the month: a month after January 31 is the last day of February.
- Hours go to 29, as on Japanese posters: 25時 is one o'clock of the next day. `tomorrow at 8` may be the morning or the
  evening, 明日の深夜1時 the night before that day or the one after it.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple

from sekkei.kit.text import folded

HOURS_MAX = 29
YEARS_AHEAD_MAX = 5
_LENGTH_MAX = 80
_WEEKDAYS = "月火水木金土日"
_DAY_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_UNITS = {"分": (0, 1), "時": (0, 60), "日": (1, 0), "週": (7, 0)}
_UNITS |= {"mi": (0, 1), "ho": (0, 60), "da": (1, 0), "we": (7, 0)}
"""Days and minutes by the beginning of a unit; the others are months."""
_WORDS = {
    "今日": 0, "本日": 0, "きょう": 0, "今夜": 0, "今晩": 0, "today": 0, "tonight": 0,
    "明日": 1, "あした": 1, "あす": 1, "明晩": 1, "tomorrow": 1, "tmrw": 1, "tmr": 1, "tmw": 1,
    "明後日": 2, "あさって": 2, "day after tomorrow": 2, "明々後日": 3, "明明後日": 3, "しあさって": 3,
}  # fmt: skip
_EVENINGS = ("今夜", "今晩", "明晩", "tonight")
_WEEKS = {"今": 0, "来": 1, "再来": 2, "next": 1}
_AHEAD = {"今年": 0, "来年": 1, "再来年": 2, "next year": 1, "今月": 0, "来月": 1, "再来月": 2}
_MONTH_FIRST = {
    "New_York", "Detroit", "Chicago", "Denver", "Phoenix", "Boise", "Los_Angeles", "Anchorage", "Honolulu", "Tokyo",
    "Seoul", "Shanghai", "Taipei", "",
}  # fmt: skip
"""Cities of zones where 5/11 is a day of May and nothing else, as it is in zones without a name."""
_HALVES = {
    "午前": (0, 12), "朝": (0, 12), "早朝": (0, 12), "am": (0, 12), "深夜": (0, 12), "夜中": (0, 12), "昼": (12, 6),
    "午後": (12, 12), "夕方": (12, 12), "夜": (12, 12), "晩": (12, 12), "pm": (12, 12),
}  # fmt: skip
"""Hours to add, and up to which hour: 夜9時 is 21時, 夜21時 stays; 昼1時 is 13時, 昼11時 stays."""
_LATE = ("深夜", "夜中")

Clock = tuple[int, int]
Clocks = tuple[Clock, ...]
"""One time of day, and what else the words for it can mean."""


class Unread(ValueError):
    """Says why a text is no day or time that can be used.

    `why` is one of bad-date, no-time, past-date, far-date, end-before-start, several-dates, wrong-weekday, skipped-time
    and bad-time; `values` fill its sentence, and `candidates` are the moments or days that the text can mean.
    """

    def __init__(self, why: str, text: str, candidates: tuple[datetime | date, ...] = (), **values: Any) -> None:
        super().__init__(why)
        self.why, self.candidates = why, candidates
        self.values = {"text": " ".join(text.split())[:40], **values}


class Period(NamedTuple):
    """A start and perhaps an end."""

    start: datetime
    end: datetime | None = None


class Found(NamedTuple):
    """A day in a sentence: where it stands, and the days that it can mean, the likeliest first."""

    start: int
    stop: int
    days: tuple[date, ...]


class _Days(NamedTuple):
    """What the words for a day mean."""

    days: tuple[date, ...]
    again: int = 0
    """After how many days the same words hold once more, when their time has passed."""
    evening: bool = False
    moment: datetime | None = None
    """What they mean where no time is written beside them."""


@dataclass(frozen=True, slots=True)
class _Here:
    """When the text is read, and the start of the event that it may be told from."""

    text: str
    moment: datetime | None
    start: datetime | None = None

    @property
    def now(self) -> datetime:
        if self.moment is None:
            raise ValueError("a day that depends on today")
        return self.moment

    @property
    def today(self) -> date:
        return self.now.date()


# Days

_Read = Callable[[re.Match[str], _Here], _Days]


def _dated(found: re.Match[str], here: _Here) -> _Days:
    parts = found.groupdict()
    month = int(parts["m"]) if parts["m"].isdigit() else _MONTHS.index(parts["m"][:3]) + 1
    return _Days((_date(here, month, int(parts["d"]), parts.get("y")),))


def _date(here: _Here, month: int, day: int, year: str | None) -> date:
    """With its year or a word for it, or else the next such day."""
    if year is not None:
        return date(int(year) if year.isdigit() else here.today.year + _AHEAD[year], month, day)
    years = (here.today.year + ahead for ahead in range(9))
    fitting = (date(one, month, day) for one in years if (month, day) != (2, 29) or monthrange(one, 2)[1] == 29)
    return next(found for found in fitting if found >= here.today)


def _either(found: re.Match[str], here: _Here) -> _Days:
    """Month and day, or day and month where people write so, and where nothing else fits."""
    first, second, year = int(found[1]), int(found[2]), found.groupdict().get("y")
    city = getattr(here.moment and here.moment.tzinfo, "key", "").rpartition("/")[2]
    if year is None and ("時" in here.text or (first <= 12 and city in _MONTH_FIRST)):
        return _Days((_date(here, first, second, None),))
    pairs = [(month, day) for month, day in ((first, second), (second, first)) if month <= 12]
    days = [_date(here, month, day, year) for month, day in pairs if 1 <= day <= monthrange(2000, month)[1]]
    return _Days(tuple(dict.fromkeys(days)))


def _weekday(found: re.Match[str], here: _Here) -> _Days:
    words = [word for word in found.groups() if word]
    which = next((word for word in words if word in (*_WEEKS, "this", "次", "今度")), None)
    weekday = _number_of(next(word for word in words if word != which))
    ahead = (weekday - here.today.weekday()) % 7
    if which not in _WEEKS:
        later = (ahead or 7) if which in ("次", "今度") else ahead
        return _Days((here.today + timedelta(later),), again=0 if later != ahead else 7)
    monday, sunday = weekday - here.today.weekday(), (weekday + 1) % 7 - here.today.isoweekday() % 7
    return _Days(tuple(dict.fromkeys(here.today + timedelta(day + 7 * _WEEKS[which]) for day in (monday, sunday))))


def _number_of(weekday: str) -> int:
    return _WEEKDAYS.index(weekday) if weekday in _WEEKDAYS else _DAY_NAMES.index(weekday[:3])


def _week(found: re.Match[str], here: _Here) -> _Days:
    which = next((word for word in found.groups() if word), "今")
    monday = here.today + timedelta(7 * _WEEKS.get(which, 0) - here.today.weekday())
    return _Days(tuple(monday + timedelta(day) for day in range(5 if "末" in found[0] or "end" in found[0] else 0, 7)))


def _months(here: _Here, ahead: int) -> tuple[int, int]:
    year, month = divmod(here.today.year * 12 + here.today.month - 1 + ahead, 12)
    return year, month + 1


def _of_month(found: re.Match[str], here: _Here) -> _Days:
    """A day of a month that is named, its last day, or the next such day of any month."""
    which, day = found.group("which", "d")
    if not which:
        months = [_months(here, ahead) for ahead in range(4)]
        days = [date(*month, int(day)) for month in months if int(day) <= monthrange(*month)[1]]
        return _Days((next(one for one in days if one >= here.today),))
    month = _months(here, _AHEAD.get(which, 0))
    return _Days((date(*month, int(day or monthrange(*month)[1])),))


def _moved(moment: datetime, length: str, sign: int = 1) -> datetime:
    """The moment later, or earlier, by a length such as 1時間半; days and months keep what the clock shows."""
    months = days = minutes = 0
    for number, unit in _PART.findall(length):
        amount = sign * (_COUNTS.get(number) or int(number))
        each = _UNITS.get(unit[:2] if unit.isascii() else unit[0])
        if each is None:
            months += amount
        else:
            days, minutes = days + amount * each[0], minutes + amount * each[1] + 30 * sign * unit.endswith("半")
    if months:
        year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
        moment = moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))
    wall = moment + timedelta(days)
    return (wall.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(wall.tzinfo) if minutes else wall


def _after(found: re.Match[str], here: _Here) -> _Days:
    length = next(filter(None, found.groups()))
    moment = _moved(here.now, length)
    return _Days(() if re.search("分|時|min|hour", length) else (moment.date(),), moment=moment)


def _word(found: re.Match[str], here: _Here) -> _Days:
    return _Days((here.today + timedelta(_WORDS[found[0]]),), evening=found[0] in _EVENINGS)


def _beside_start(found: re.Match[str], here: _Here) -> _Days:
    if here.start is None:
        raise ValueError("there is no start")
    return _Days((here.start.date() - timedelta(found[0] in ("前日", "the day before")),))


_NAME = (
    r"(mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
    r"\b\.?"
)
_MONTH = (
    r"(?P<m>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_M, _D, _YEAR = r"(?P<m>\d{1,2})", r"(?P<d>\d{1,2})", r"(?:,? (?P<y>\d{4}|next year)\b)?"
_NTH = rf"{_D}(?:st|nd|rd|th)?(?![\d:]|\s*[ap]m)"
_NUMBER = rf"\d{{1,5}}|{'|'.join(_COUNTS)}"
_UNIT = r"分|時間半?|日間?|週間?|[かカヵヶケ箇]月|min(?:ute)?s?|hours?|days?|weeks?|months?"
_PART = re.compile(rf"({_NUMBER})\s*({_UNIT})")
_LENGTH = rf"((?<![a-z\d])(?:(?:{_NUMBER})\s*(?:{_UNIT})\s*)+)"
_KANJI = rf"([{_WEEKDAYS}])"
_STATED = rf"\({_KANJI}(?:曜日?)?(?:・?祝)?\)|{_KANJI}曜日?|(?<!\S){_KANJI}(?!\S)|\b{_NAME}"
_ANYWHERE, _ALONE = True, False

_ROWS: tuple[tuple[str, bool, _Read], ...] = (
    (rf"(?<!\d)(?P<y>\d{{4}})\s*[-/.年]\s*{_M}\s*[-/.月]\s*{_D}(?:日|(?![\d-]))", _ANYWHERE, _dated),
    (r"(?<![\d/])(\d{1,2})/(\d{1,2})/(?P<y>\d{4})(?!\d)", _ANYWHERE, _either),
    (rf"(?<![\d.]){_D}\.{_M}\.(?P<y>\d{{4}})(?![\d.])", _ANYWHERE, _dated),
    (rf"(?P<y>再来年|来年|今年)の?\s*{_M}\s*[-/月]\s*{_D}(?:日|(?![\d:時]))", _ANYWHERE, _dated),
    (rf"(?P<which>再来月|来月|今月)の?\s*{_D}日", _ANYWHERE, _of_month),
    (rf"(?<![\d/.]){_M}\s*月\s*{_D}(?:日|(?!\d))(?: (?P<y>来年|next year))?", _ANYWHERE, _dated),
    (rf"(?<![\d:]){_NTH} {_MONTH}{_YEAR}", _ANYWHERE, _dated),
    (rf"\b{_MONTH} {_NTH}{_YEAR}", _ANYWHERE, _dated),
    (r"(?:(?<![\w/.:-])|(?<=[曜日]))(\d{1,2})\s*/\s*(\d{1,2})(?![\d/.%])", _ANYWHERE, _either),
    (r"(?<![\d:/-])(\d{1,2})-(\d{1,2})(?![\d:時/-]|\s*[ap]m)", _ALONE, _either),
    (rf"(?<![\d.]){_D}\.{_M}\.(?!\d)", _ALONE, _dated),
    (rf"{_LENGTH}後|\bin {_LENGTH}(?<!\s)\b|\b{_LENGTH}from now\b", _ANYWHERE, _after),
    (rf"(?P<which>)(?<![\d月/]){_D}日(?![間後前目分本])", _ANYWHERE, _of_month),
    (r"明[々明]?後日|し?あさって|今日(?!子|的)|本日|きょう|今夜|今晩|明晩|明日(?!香|葉|美)|あした", _ANYWHERE, _word),
    (r"あす(?![ぁ-んー])|あす(?=の|から|まで)", _ANYWHERE, _word),
    (r"\b(?:day after tomorrow|today|tonight|tomorrow|tmrw|tmr|tmw)\b", _ANYWHERE, _word),
    (r"前日|当日|\bthe day before\b|\bthe same day\b", _ALONE, _beside_start),
    (r"(再来|来|今)週の?週?末|\b(this|next) weekend\b", _ANYWHERE, _week),
    (r"週末|\bweekend\b", _ALONE, _week),
    (rf"(再来|来|今)週の?\s*{_KANJI}(?:曜日?|(?=$|[\s,、にの夜朝昼午深]|まで|から))", _ANYWHERE, _weekday),
    (rf"(次|今度)の?\s*{_KANJI}曜日?", _ANYWHERE, _weekday),
    (rf"\b(next) week(?:'s)?,? {_NAME}|\b{_NAME} (next) week\b|\b(this|next) {_NAME}", _ANYWHERE, _weekday),
    (rf"{_KANJI}曜日?|\b((?:mon|tues|wednes|thurs|fri|satur|sun)day)\b", _ANYWHERE, _weekday),
    (rf"(?<=\bby ){_NAME}|(?<=\bon ){_NAME}|(?<=\s){_NAME}(?=\s*$)", _ANYWHERE, _weekday),
    (_STATED, _ALONE, _weekday),
    (r"(?<!\d)(?P<which>再来月|来月|今月|月)の?(?P<d>)月?末", _ANYWHERE, _of_month),
    (r"\b(?P<which>end of (?:the )?month|eom)(?P<d>)\b", _ANYWHERE, _of_month),
    (r"\b(next) week\b", _ANYWHERE, _week),
)
"""A pattern, whether it is a day inside a sentence too, and what it means. The first row that fits a field holds."""
_READINGS = [(re.compile(pattern), anywhere, reading) for pattern, anywhere, reading in _ROWS]


def days_in(text: str, today: date) -> Iterator[Found]:
    """Yield all days in a sentence. They may overlap: a longer one says more."""
    plain = _plain(text)
    here = _Here(plain, datetime.combine(today, time()))
    for pattern, anywhere, reading in _READINGS:
        for found in pattern.finditer(plain) if anywhere else ():
            try:
                days = reading(found, here).days
            except (ValueError, OverflowError, StopIteration):
                continue
            if days:
                yield Found(found.start(), found.end(), days)


def read_day(text: str, now: datetime | None = None) -> date:
    """Read a day; without now, only one with its year."""
    plain = _checked(text)
    meant, rest = _day(plain, _Here(plain, now), text)
    if meant is None or not meant.days or _words(rest):
        raise Unread("bad-date", text)
    if len(meant.days) > 1:
        choices = " / ".join(f"{day:%Y-%m-%d}" for day in meant.days)
        raise Unread("several-dates", text, meant.days, choices=choices)
    return meant.days[0]


def _plain(text: str) -> str:
    """One kind of digits, letters and signs, each in its place."""
    plain = "".join(one if len(one := folded(sign)) == 1 else sign for sign in text)
    return plain.replace("〜", "~").replace("–", "-").replace("—", "-")


def _checked(text: str) -> str:
    if len(text) > _LENGTH_MAX or not text.strip():
        raise Unread("bad-date", text)
    return _plain(text)


def _day(plain: str, here: _Here, text: str) -> tuple[_Days | None, str]:
    """What the text says about the day, also by a weekday beside it, and the text without that."""
    for pattern, _, reading in _READINGS:
        found = pattern.search(plain)
        if found is None:
            continue
        try:
            meant = reading(found, here)
        except (ValueError, OverflowError, StopIteration):
            raise Unread("bad-date", text) from None
        rest = f"{plain[: found.start()]} {plain[found.end() :]}"
        stated = re.search(_STATED, rest)
        if stated is None or not meant.days:
            return meant, rest
        weekday = _number_of(stated[stated.lastindex or 0])
        fitting = tuple(day for day in meant.days if day.weekday() == weekday)
        if not fitting:
            raise Unread("wrong-weekday", text, day=f"{meant.days[0]:%Y-%m-%d}")
        return meant._replace(days=fitting), f"{rest[: stated.start()]} {rest[stated.end() :]}"
    return None, plain


# Times of day

_FILLER = re.compile(r"(?<!\S)(?:の|(?:に|at|on|the|頃|ごろ|開始|スタート)(?=\s|$))|頃|ごろ|開始|スタート|まで|[,、。]")
_OPEN_END = re.compile(r"\s*(?:~|から)$")
_NOON, _MIDNIGHT = re.compile(r"正午|お昼(?!の?\s*\d)|noon"), re.compile(r"零時|midnight")
_TIME = re.compile(
    r"(午前|午後|深夜|夜中|夕方|早朝|朝|お?昼|夜|晩|[ap]m)?の?\s*(?<!\d)(\d{1,2})\s*"
    r"(?::(\d{1,2})(?!\d)(?::\d{2})?|時(?!間)\s*(?:(\d{1,2})\s*分|(半))?|(?=\s*[ap]m))\s*([ap]m(?![a-z]))?"
)
_RANGE = re.compile(r"\s*(?:~|から|to|-)\s*")
_HALF_WRITTEN = re.compile(r"(?<![\d/:.月-])(\d{1,2})\s*(~|-|から|to)\s*(?=(\d{1,2})\s*(時|[ap]m))")
"""`19〜21時` and `7-9pm`: what stands behind the second number holds for both."""


def read_time(text: str) -> time:
    """Read one time of one day: `9:05`, `午後3時半`, `9:05 pm`, `正午`."""
    times, rest = _times(_words(_plain(text[:_LENGTH_MAX])), None, text)
    if len(times) != 1 or rest.strip() or times[0][0][0] > 23:
        raise Unread("bad-time", text)
    return time(*times[0][0])


def _words(text: str) -> str:
    return _OPEN_END.sub("", " ".join(_FILLER.sub(" ", text).split()))


def _both(found: re.Match[str]) -> str:
    first, between, second, unit = found.groups()
    return f"{first}{unit}{between}" if unit == "時" or int(first) < int(second) < 12 else found[0]


def _times(words: str, meant: _Days | None, text: str) -> tuple[list[Clocks], str]:
    """One time, or two for a range, each with all that it can mean; and what is left."""
    evening = meant is not None and meant.evening
    words = _MIDNIGHT.sub("深夜0:00", _NOON.sub("12:00", words))
    if meant is not None and re.fullmatch(r"\d{1,2}", words) and 1 <= (hour := int(words)) <= 24:
        either = ((hour, 0), (hour + 12, 0))
        return [either[:1] if hour > 12 else either[1:] if evening else either], ""
    words = _HALF_WRITTEN.sub(_both, words)
    found = list(_TIME.finditer(words))
    if len(found) not in (1, 2) or (len(found) == 2 and not _RANGE.fullmatch(words[found[0].end() : found[1].start()])):
        return [], words
    times: list[Clocks] = []
    half = "夜" if evening else None
    for one in found:
        half = one[6] or (one[1] or "").removeprefix("お") or half
        hour, minute = _clock(one, half, text)
        late = meant is not None and half in _LATE and hour < 12
        clocks = ((hour, minute), (hour + 24, minute)) if late else ((hour, minute),)
        times.append(clocks[1:] if late and evening else clocks)
    return times, words[: found[0].start()] + " " + words[found[-1].end() :]


def _clock(found: re.Match[str], half: str | None, text: str) -> Clock:
    hour, minute = int(found[2]), 30 if found[5] else int(found[3] or found[4] or 0)
    if half in ("午前", "am", "午後", "pm") and hour > 12:
        raise Unread("bad-date", text)
    if half is not None:
        add, limit = _HALVES[half]
        if hour == 12 and half in ("am", "午前", *_LATE):
            hour = 0
        elif hour < limit:
            hour += add
        elif hour == 12 and half in ("夜", "晩"):
            hour = 24
    if hour > HOURS_MAX or minute > 59:
        raise Unread("bad-date", text)
    return hour, minute


# Moments

_STAMP = re.compile(r"<t:([0-9]{1,15})(?::[A-Za-z])?>")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?")


def read_moment(text: str, now: datetime, start: datetime | None = None) -> datetime:
    """Read a moment to come; it may be told from the start of an event: `1時間前`, `前日 20時`."""
    length = re.fullmatch(rf"{_LENGTH}(?:前|before)", _words(_checked(text))) if start is not None else None
    if start is not None and length is not None:
        return _to_come(_long(start.astimezone(now.tzinfo), length[1], text, -1), text, now)
    period = read_period(text, now, start)
    if period.end is not None:
        raise Unread("bad-date", text)
    return period.start


def read_period(text: str, now: datetime, start: datetime | None = None) -> Period:
    """Read a moment to come, and where it says so (`21時〜23時`) when it is over."""
    now, plain = now.replace(microsecond=0), _checked(text)
    exact = _exact(text, now)
    if exact is not None:
        return Period(_to_come(exact, text, now))
    meant, rest = _day(plain, _Here(plain, now, start and start.astimezone(now.tzinfo)), text)
    words = _words(rest)
    if meant is not None and meant.moment is not None and not words:
        return Period(_to_come(meant.moment, text, now))
    if meant is not None and not meant.days:
        raise Unread("bad-date", text)
    times, rest = _times(words, meant, text)
    if rest.strip():
        raise Unread("bad-date", text)
    if not times:
        raise Unread("no-time", text)
    begins = _chosen(meant or _Days((now.date(),), again=1), times[0], text, now)
    return Period(begins, _end(begins, times[1]) if len(times) > 1 else None)


def read_end(text: str, start: datetime, now: datetime) -> datetime:
    """Read when what starts at `start` is over: `23時`, `2時間`, `2時間後`, or a whole date."""
    words, start = _words(_checked(text)), start.astimezone(now.tzinfo)
    length = re.fullmatch(rf"(?:in )?{_LENGTH}(?:後|from now)?", words)
    if length is not None:
        return _long(start, length[1], text)
    times, rest = _times(words, None, text)
    if len(times) == 1 and not rest.strip():
        return _end(start, times[0])
    end = read_moment(text, now)
    if end <= start:
        raise Unread("end-before-start", text)
    return end


def _exact(text: str, now: datetime) -> datetime | None:
    """As programs write it: `2026-11-20T20:00`, with or without a zone, and Discord's own `<t:1795172400:F>`."""
    stamp, iso = _STAMP.fullmatch(text.strip()), _ISO.fullmatch(text.strip())
    try:
        if stamp is not None:
            return datetime.fromtimestamp(int(stamp[1]), now.tzinfo)
        found = datetime.fromisoformat(text.strip().upper()) if iso is not None else None
    except (ValueError, OverflowError, OSError):
        raise Unread("bad-date", text) from None
    return found.replace(tzinfo=now.tzinfo) if found is not None and found.tzinfo is None else found


def _long(start: datetime, length: str, text: str, sign: int = 1) -> datetime:
    try:
        return _moved(start, length, sign)
    except (ValueError, OverflowError):
        raise Unread("bad-date", text) from None


def _chosen(meant: _Days, clocks: Clocks, text: str, now: datetime) -> datetime:
    """The one moment to come that the words can mean."""
    found = _moments(meant.days, clocks, now)
    if meant.again and not any(moment > now for moment in found):
        found = _moments(tuple(day + timedelta(meant.again) for day in meant.days), clocks, now)
    if not found:
        raise Unread("skipped-time", text)
    coming = [moment.astimezone(now.tzinfo) for moment in found if moment > now]
    if len(coming) > 1:
        choices = " / ".join(f"{moment:%Y-%m-%d %H:%M}" for moment in coming)
        raise Unread("several-dates", text, tuple(coming), choices=choices)
    return _to_come(coming[0] if coming else found[-1], text, now)


def _moments(days: tuple[date, ...], clocks: Clocks, now: datetime) -> list[datetime]:
    """When the clock in the zone of `now` shows it on these days: not at all where it is put forward, first of two
    where it is put back."""
    walls = {_at(day, clock, now) for day in days for clock in clocks}
    return sorted(at for wall in walls if (at := wall.astimezone(UTC)).astimezone(now.tzinfo) == wall)


def _at(day: date, clock: Clock, now: datetime) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=now.tzinfo) + timedelta(hours=clock[0], minutes=clock[1])


def _end(start: datetime, clocks: Clocks) -> datetime:
    """The first such time after the start."""
    end = _at(start.date(), clocks[0], start)
    return end if end > start else end + timedelta(1)


def _to_come(moment: datetime, text: str, now: datetime) -> datetime:
    passed, moment = moment.astimezone(UTC) <= now, moment.astimezone(now.tzinfo)
    if passed:
        raise Unread("past-date", text, when=f"{moment:%Y-%m-%d %H:%M}")
    if moment > now + timedelta(days=366 * YEARS_AHEAD_MAX):
        raise Unread("far-date", text, years=YEARS_AHEAD_MAX)
    return moment
