"""Numbers of tasks as people write them: `DEV-12`, and the key before the number."""

from __future__ import annotations

import re
from collections.abc import Collection

from sekkei.kit.text import half_width
from sekkei.runtime.refusals import Invalid
from sekkei_systems.tasks.design import KEY

KEY_MAX = 8
_KEY = re.compile(rf"[A-Z][A-Z0-9]{{0,{KEY_MAX - 1}}}")
REFERENCE = re.compile(rf"(?<![\w/-])([A-Za-z][A-Za-z0-9]{{0,{KEY_MAX - 1}}})-([1-9]\d{{0,7}})(?![\w-])")
_SHORT = re.compile(r"#?([1-9]\d{0,7})")


class BadKey(Invalid):
    """Not one to eight letters and digits, a letter first."""


def key_of(name: str) -> str:
    """A key for a new team: the initials of its name, or its first letters; TASK where there are no Latin letters."""
    words = re.findall(r"[A-Z][A-Z0-9]*", half_width(name).upper())
    if len(words) > 1:
        return "".join(word[0] for word in words)[:KEY_MAX]
    return words[0][:4] if words else KEY


def checked_key(text: str) -> str:
    found = half_width(text).upper()
    if not _KEY.fullmatch(found):
        raise BadKey(field="key", most=KEY_MAX)
    return found


def reference(key: str, number: int | None) -> str:
    return "" if number is None else f"{key}-{number}"


def meant(word: str, keys: Collection[str]) -> int | None:
    """The number that a word means to a team: `DEV-12`, `#12` or `12`; None for any other word."""
    plain = half_width(word)
    short = _SHORT.fullmatch(plain)
    if short:
        return int(short[1])
    found = REFERENCE.fullmatch(plain)
    return int(found[2]) if found and found[1].upper() in keys else None
