"""Dates in English, put into the words that `dates` reads."""

from __future__ import annotations

import re
from collections.abc import Callable

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
_DAY, _YEAR = r"(\d{1,2})(?:st|nd|rd|th)?(?![\d:]|\s*[ap]m)", r"(?:,? (\d{4}))?"
_UNITS = {"minute": "分", "min": "分", "hour": "時間", "day": "日", "week": "週間"}
_UNIT = r"(\d{1,5}|an?)\s*(minute|min|hour|day|week)s?"
_NAMES = dict(zip(("mon", "tue", "wed", "thu", "fri", "sat", "sun"), "月火水木金土日", strict=True))
_NAME = r"(mon|tue|wed|thu|fri|sat|sun)(?:s|nes|nesday|rs?|urday|day|sday|rsday)?\b\.?"

_WORDS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\b(?:the )?day after tomorrow\b"), lambda _: "明後日"),
    (re.compile(r"\b(?:tmrw?|tmw)\b"), lambda _: "明日"),
    (re.compile(r"\bthe day before\b"), lambda _: "前日"),
    (re.compile(r"\b(?:on )?the same day\b"), lambda _: "当日"),
    (re.compile(rf"\b{_UNIT} before\b"), lambda found: f"{_span(found)}前"),
    (re.compile(rf"\bin {_UNIT}\b"), lambda found: f"{_span(found)}後"),
    (re.compile(rf"\b{_UNIT} from now\b"), lambda found: f"{_span(found)}後"),
    (re.compile(rf"\b{_UNIT}\b"), lambda found: _span(found)),
    (re.compile(r"\bnext weekend\b"), lambda _: "来週末"),
    (re.compile(r"\b(?:this |the )?weekend\b"), lambda _: "今週末"),
    (re.compile(rf"\bnext week(?:'s)?,? {_NAME}"), lambda found: f"来週{_NAMES[found[1]]}曜"),
    (re.compile(rf"\b{_NAME} next week\b"), lambda found: f"来週{_NAMES[found[1]]}曜"),
    (re.compile(rf"\bnext {_NAME}"), lambda found: f"来週{_NAMES[found[1]]}曜"),
    (re.compile(rf"\b(?:this )?{_NAME}"), lambda found: f"{_NAMES[found[1]]}曜"),
    (re.compile(rf"(?<![\d:]){_DAY} {_MONTH}{_YEAR}\b"), lambda found: _slashed(*found.group(2, 1, 3))),
    (re.compile(rf"\b{_MONTH} {_DAY}{_YEAR}"), lambda found: _slashed(*found.group(1, 2, 3))),
    (re.compile(r"月(\d{1,2})日,? next year\b"), lambda found: f"月{found[1]}日 来年"),
    (re.compile(r"\bnext year\b"), lambda _: "来年"),
    (re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b"), lambda found: f"{found[3]}/{found[2]}/{found[1]}"),
    (re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(?!\d)"), lambda found: f"{found[2]}月{found[1]}日"),
)


def in_japanese(text: str) -> str:
    for pattern, put in _WORDS:
        text = pattern.sub(put, text)
    return text


def _span(found: re.Match[str]) -> str:
    return f"{1 if found[1].startswith('a') else found[1]}{_UNITS[found[2]]}"


def _slashed(month: str, day: str, year: str | None) -> str:
    return f"{f'{year}年' if year else ''}{_MONTHS.index(month) + 1}月{day}日"
