"""A task in one line, as people say it: 「レポート 明日まで !高 @蓮」, "report by next fri #docs".

What is not understood stays in the title, and nothing is guessed silently: whoever types sees what was understood.
Times of day stay in the title, because tasks have days.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from sekkei.kit.dates import days_in
from sekkei_systems.tasks.design.statuses import Priority
from sekkei_systems.tasks.rules.drafts import FIRST_DAY, LAST_DAY

_PRIORITIES = {
    Priority.HIGH: ("high", "高", "1"),
    Priority.MEDIUM: ("medium", "中", "2"),
    Priority.LOW: ("low", "低", "3"),
}
PRIORITIES = {word: priority for priority, words in _PRIORITIES.items() for word in words}
ME = ("me", "自分")


@dataclass(frozen=True, slots=True)
class Understood:
    title: str
    start: date | None = None
    end: date | None = None
    priority: Priority | None = None
    assignee: str | None = None
    tags: frozenset[str] = frozenset()


def understood(
    text: str, today: date, people: Mapping[str, str] | None = None, tags: Mapping[str, str] | None = None, me: str = ""
) -> Understood:
    """`people` and `tags` are names by id."""
    left, priority = _priority(text)
    left, assignees = _called(left, "@＠", {**(people or {})}, me)
    left, found = _called(left, "#＃", tags or {})
    days: dict[bool, date] = {}
    for _ in range(2):
        for begins, day, start, stop in _first(left, today, days):
            days[begins] = day
            left = f"{left[:start]} {left[stop:]}"
    title = _line(left)
    if not title or (len(days) == 2 and days[False] < days[True]):
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

_LINK = re.compile(r"https?://\S+", re.IGNORECASE)
_FROM_BEFORE = re.compile(r"\b(?:from|starting|start)\s+$", re.IGNORECASE)
_UNTIL_BEFORE = re.compile(r"(?:\b(?:by|due|on|until|before|till)|期限[:：]?|締切[:：]?|〆切[:：]?)\s*$", re.IGNORECASE)
_FROM_AFTER = re.compile(r"\s*(?:から|開始)")
_UNTIL_AFTER = re.compile(r"\s*(?:までに?|(?:締め?切り?|〆切|期限|に|の)(?=\s|$))")


def _first(text: str, today: date, known: Iterable[bool]) -> list[tuple[bool, date, int, int]]:
    """The first day in a text, whether it is a start, and its place with the particles around it: outside of addresses,
    of several at one place the longest, by its likeliest meaning, which the page shows."""
    links = [found.span() for found in _LINK.finditer(text)]
    places = []
    for start, stop, days in days_in(text, today):
        starts = _FROM_BEFORE.search(text[:start]), _FROM_AFTER.match(text, stop)
        before, after = starts[0] or _UNTIL_BEFORE.search(text[:start]), starts[1] or _UNTIL_AFTER.match(text, stop)
        place = any(starts), days[0], before.start() if before else start, after.end() if after else stop
        in_link = any(first <= start < last for first, last in links)
        if not in_link and FIRST_DAY <= days[0] <= LAST_DAY and place[0] not in known:
            places.append(place)
    return sorted(places, key=lambda place: (place[2], -place[3]))[:1]
