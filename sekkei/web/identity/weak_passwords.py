"""Passwords that somebody would guess first: a row of keys, something said twice, a word of the lists with a number
behind it, or what everybody knows of their owner. Rules and a few words; no list of what was stolen elsewhere."""

from __future__ import annotations

import re

from sekkei.kit.text import folded

ROWS = (
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
    "qazwsxedcrfvtgbyhnujm",
)
_SAID = """
access admin administrator baseball changeme computer default demo dragon facebook football google guest hello iloveyou
letmein login master monkey mustang password passwd pass princess qwerty root sample secret sekkei shadow soccer
starwars summer sunshine superman system temp test testing trustno user welcome winter yahoo
aishiteru arigatou doraemon himitsu kawaii konnichiwa nihon ohayou pasuwado pikachu sakura tokyo yakyuu
"""
WORDS = frozenset(_SAID.split())
_PERIOD_MAX = 4
_PERSONAL_MIN = 3
_LEET = str.maketrans("0134578@$!", "oleastbasi")


def is_weak(password: str, *known: str) -> bool:
    """Whether it is among the first that are tried; `known` is what others know of its owner: address, name."""
    plain = folded(password)
    if _repeats(plain) or _is_row(plain):
        return True
    cores = {_core(plain), _core(plain.translate(_LEET)), _core(plain).translate(_LEET)}
    cores |= {re.sub(r"[\W_]+", "", core) for core in cores if not re.search(r"\s", core)}
    return bool(cores & (WORDS | _parts(known))) or any(_made_of_words(core) for core in cores)


def _repeats(text: str) -> bool:
    """One thing again and again: aaaaaaaa, 12121212, abcabcab."""
    return any(text == (text[:period] * len(text))[: len(text)] for period in range(1, _PERIOD_MAX + 1))


def _is_row(text: str) -> bool:
    """Keys as they lie beside each other, in either direction, perhaps one row after another."""
    rows = [row * 2 for row in (*ROWS, *(row[::-1] for row in ROWS))]
    pieces, rest = 0, text
    while rest:
        length = next((n for n in range(len(rest), 2, -1) if any(rest[:n] in row for row in rows)), 0)
        if not length:
            return False
        pieces, rest = pieces + 1, rest[length:]
    return pieces <= 3


def _core(text: str) -> str:
    """Without the digits and signs that people put around a word."""
    return re.sub(r"^[\W\d_]+|[\W\d_]+$", "", text)


def _parts(known: tuple[str, ...]) -> set[str]:
    """Words of an address or a name, and what they make side by side."""
    found: set[str] = set()
    for text in known:
        plain = folded(text)
        words = [word for word in re.split(r"[\W\d_]+", plain) if word]
        found |= {plain, _core(plain)}
        found |= {"".join(words[n:m]) for n in range(len(words)) for m in range(n + 1, len(words) + 1)}
    return {part for part in found if len(part) >= _PERSONAL_MIN}


def _made_of_words(core: str) -> bool:
    """passwordpassword, adminadmin, welcomelogin."""
    halves = range(3, len(core) - 2)
    return any(core[:n] in WORDS and core[n:] in WORDS for n in halves)
