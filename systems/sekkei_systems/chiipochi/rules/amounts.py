"""Sums of yen as people type them: 500, 1,500円, ￥３００, 千円, 2万5千円, 1.5万円, before or after what they are for.

What can mean two things (1,50円, 300円と500円) is `Malformed` and never guessed.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction

TEXT_LENGTH_MAX = 200
_KANJI = {digit: value for value, digit in enumerate("〇一二三四五六七八九")}
_UNITS = (("千", 1000), ("百", 100), ("十", 10))
_N = "0-9〇一二三四五六七八九十百千万億"
_NUMBER = rf"[{_N}](?:[{_N},.]*[{_N}])?"
_MARKED = re.compile(
    rf"(?P<minus>(?:^|(?<=\s))[-\u2212]|マイナス)?"
    rf"(?:[¥\\]\s*(?P<after>{_NUMBER})\s*(?:円|えん)?|(?P<before>{_NUMBER})\s*(?:円|えん|yen(?![a-z])|jpy(?![a-z])))"
    r"(?:分|ほど|くらい|ぐらい|だけ)?",
    re.IGNORECASE,
)
_AT_THE_END = re.compile(r"(?P<minus>(?:^|(?<=\s))[-\u2212])?(?P<sum>[0-9][0-9,.]*[百千万]?)$")
_AT_THE_START = re.compile(r"^(?P<sum>[0-9][0-9,]*[百千万]?)(?=[\s、])")
_KANJI_ALONE = re.compile(r"^[一二三四五六七八九十百千万]*[百千万]$")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_PLAIN = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,4})?")
ENDINGS = re.compile(
    r"[\s、。,.!?~〜…]*(?:"
    r"(?:どうぞ)?(?:よろしく)?(?:お願い|おねがい)(?:です|します|いたします|致します)?|よろしく|"
    r"を?(?:寄付|きふ|募金)(?:します|する|したい(?:です)?|させて|して|で)?|"
    r"ください|下さい|です|を|に|へ|で|は|の|分|please|thanks"
    r")?[\s、。,.!?~〜…]*$",
    re.IGNORECASE,
)
BEGINNINGS = re.compile(
    r"^[\s、。]*(?:を|に|へ|で|は|の|分|(?:donate|give|send|to|for)(?![a-z]))[\s、]*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Malformed:
    """Something like a sum that nobody should guess at."""

    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """A sum, and what was said besides."""

    amount: int | Malformed | None
    rest: str


def read(typed: str) -> Said:
    text = unicodedata.normalize("NFKC", typed[:TEXT_LENGTH_MAX]).strip()
    marked = list(_MARKED.finditer(text))
    if len(marked) > 1:
        return Said(Malformed(text), _MARKED.sub(" ", text))
    if marked:
        return _said(text, marked[0], marked[0]["after"] or marked[0]["before"])
    bare = without_endings(text)
    if _KANJI_ALONE.match(bare):
        return Said(value(bare), "")
    found = _AT_THE_END.search(bare) or _AT_THE_START.match(bare)
    return _said(bare, found, found["sum"]) if found else Said(None, text)


def _said(text: str, found: re.Match[str], number: str) -> Said:
    rest = f"{text[: found.start()]} {text[found.end() :]}".strip()
    negative = found.groupdict().get("minus") is not None
    return Said(Malformed(number) if negative else value(number), rest)


def without_endings(text: str) -> str:
    """Without the polite words after it, however many there are."""
    while True:
        shorter = ENDINGS.sub("", text, count=1)
        if shorter == text:
            return text
        text = shorter


def value(number: str) -> int | Malformed:
    """1500, 1,500, 千五百, 1万5千, 1.5万."""
    whole = Fraction(0)
    rest = number
    for unit, size in (("億", 100_000_000), ("万", 10_000)):
        many, found, after = rest.partition(unit)
        if found:
            part = _below_ten_thousand(many) if many else None
            if part is None:
                return Malformed(number)
            whole, rest = whole + part * size, after
    last = _below_ten_thousand(rest) if rest else Fraction(0)
    if last is None or (whole and last >= 10_000) or (whole + last).denominator != 1:
        return Malformed(number)
    return int(whole + last)


def _below_ten_thousand(text: str) -> Fraction | None:
    """Also larger numbers where they are written with digits alone."""
    whole, room = Fraction(0), 0
    for unit, size in _UNITS:
        before, found, after = text.partition(unit)
        if found:
            digit = _digits(before) if before else Fraction(1)
            if digit is None or digit >= 10:
                return None
            whole, room, text = whole + digit * size, size, after
    last = _digits(text) if text else Fraction(0)
    return None if last is None or (room and last >= room) else whole + last


def _digits(text: str) -> Fraction | None:
    if len(text) == 1 and text in _KANJI:
        return Fraction(_KANJI[text])
    if _GROUPED.fullmatch(text):
        return Fraction(text.replace(",", ""))
    return Fraction(text) if _PLAIN.fullmatch(text) else None
