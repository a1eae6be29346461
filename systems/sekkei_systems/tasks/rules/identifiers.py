"""Identifiers for addresses that people see, numbers of tasks as in DEV-12, and places between places."""

from __future__ import annotations

import re
from collections.abc import Collection
from uuid import UUID

from sekkei.clock import Clock
from sekkei.kit.text import half_width
from sekkei.runtime.identifiers import uuid7
from sekkei.runtime.refusals import Invalid
from sekkei_systems.tasks.design import KEY


def short(clock: Clock) -> str:
    """24 characters that sort by when they were made, 12 of them chance."""
    return uuid7(clock).replace("-", "")[:12] + UUID(clock.uuid()).hex[:12]


# Numbers of tasks as people write them: `DEV-12`, and the key before the number.


_KEY_MAX = 8
_KEY = re.compile(rf"[A-Z][A-Z0-9]{{0,{_KEY_MAX - 1}}}")
REFERENCE = re.compile(rf"(?<![\w/-])([A-Za-z][A-Za-z0-9]{{0,{_KEY_MAX - 1}}})-([1-9]\d{{0,7}})(?![\w-])")
_SHORT = re.compile(r"#?([1-9]\d{0,7})")


class BadKey(Invalid):
    """Not one to eight letters and digits, a letter first."""


def key_of(name: str) -> str:
    """A key for a new team: the initials of its name, or its first letters; TASK where there are no Latin letters."""
    words = re.findall(r"[A-Z][A-Z0-9]*", half_width(name).upper())
    if len(words) > 1:
        return "".join(word[0] for word in words)[:_KEY_MAX]
    return words[0][:4] if words else KEY


def checked_key(text: str) -> str:
    found = half_width(text).upper()
    if not _KEY.fullmatch(found):
        raise BadKey(field="key", most=_KEY_MAX)
    return found


def reference(key: str, number: int | None) -> str:
    return "" if number is None else f"{key}-{number}"


def number_in(word: str, keys: Collection[str]) -> int | None:
    """The number that a word means to a team: `DEV-12`, `#12` or `12`; None for any other word."""
    plain = half_width(word)
    short = _SHORT.fullmatch(plain)
    if short:
        return int(short[1])
    found = REFERENCE.fullmatch(plain)
    return int(found[2]) if found and found[1].upper() in keys else None


# Places between places: strings that sort by hand, so that moving one card writes one card.


DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
"""In the order of their bytes. Ids of tasks are such strings too, and none of them ends in the lowest digit: between
two that do not, there is always room."""
RANK_MAX = 500
"""Six cards in the very same gap make a rank one digit longer."""


def between(low: str, high: str | None) -> str:
    """A string after `low` and before `high`; "" is the beginning, None the end."""
    if high is not None and low >= high:
        raise ValueError("there is no room between what is not in order")
    same = 0
    if high is not None:
        while same < len(high) and _digit(low, same) == _digit(high, same):
            same += 1
    prefix, low, high = (high or "")[:same], low[same:], None if high is None else high[same:]
    first, last = _digit(low, 0), len(DIGITS) if high is None else _digit(high, 0)
    if last - first > 1:
        return prefix + DIGITS[(first + last) // 2]
    if high is not None and len(high) > 1:
        return prefix + high[0]
    return prefix + DIGITS[first] + between(low[1:], None)


def _digit(text: str, at: int) -> int:
    return DIGITS.index(text[at]) if at < len(text) else 0
