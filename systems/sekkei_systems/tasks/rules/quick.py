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

_LINK = re.compile(r"https?://\S+", re.IGNORECASE)
_FROM_BEFORE = re.compile(r"\b(?:from|starting|start)\s+$", re.IGNORECASE)
_UNTIL_BEFORE = re.compile(r"(?:\b(?:by|due|on|until|before|till)|期限[:：]?|締切[:：]?|〆切[:：]?)\s*$", re.IGNORECASE)
_FROM_AFTER = re.compile(r"\s*(?:から|開始)")
_UNTIL_AFTER = re.compile(r"\s*(?:までに?|(?:締め?切り?|〆切|期限|に|の)(?=\s|$))")


def _first(text: str, today: date, known: Iterable[bool]) -> _Said | None:
    """The first day in a text; of several readings of the same place the longest. A start, or an end, is said once."""
    said = [one for one in _all(text, today) if one.begins not in known]
    return min(said, key=lambda one: (one.start, -one.stop), default=None)


def _all(text: str, today: date) -> Iterable[_Said]:
    """Without those in an address, and by the likeliest meaning: the page shows it to the one who types."""
    links = [found.span() for found in _LINK.finditer(text)]
    for found in days_in(text, today):
        in_link = any(start <= found.start < stop for start, stop in links)
        if not in_link and FIRST_DAY <= found.days[0] <= LAST_DAY:
            yield _with_particles(text, found.days[0], found.start, found.stop)


def _with_particles(text: str, day: date, start: int, stop: int) -> _Said:
    begins_before, begins_after = _FROM_BEFORE.search(text[:start]), _FROM_AFTER.match(text, stop)
    before, after = _UNTIL_BEFORE.search(text[:start]), _UNTIL_AFTER.match(text, stop)
    first, last = begins_before or before, begins_after or after
    begins = begins_before is not None or begins_after is not None
    return _Said(day, begins, first.start() if first else start, last.end() if last else stop)
