"""Sums of yen as people type them, before or after what they are for: 500, 1,500円, ￥３００, 千円, ごひゃくえん.

What can mean two things (1,50円, 300円と500円) is `Malformed` and never guessed.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from fractions import Fraction

from sekkei.kit.text import half_width

TEXT_LENGTH_MAX = 200
_KANJI = {digit: value for value, digit in enumerate("〇一二三四五六七八九")}
_FORMAL = str.maketrans("壱弐参拾萬", "一二三十万")
_UNITS = (("千", 1000), ("百", 100), ("十", 10))
_N = "0-9〇一二三四五六七八九十百千万億壱弐拾萬"
_NUMBER = rf"(?:[{_N}]|参(?=[十拾百千万萬]))(?:(?:[{_N},.]|参(?=[十拾百千万萬]))*[{_N}])?"
_MINUS = r"(?:^|(?<=\s))[-\u2010\u2013\u2014\u2212ー▲△]"
_MARKED = re.compile(
    rf"(?P<minus>{_MINUS}|マイナス)?"
    rf"(?:(?:[¥\\]|\bjpy)\s*(?P<after>{_NUMBER})\s*(?:円|えん)?"
    rf"|(?P<before>{_NUMBER})\s*(?:円|えん|yen(?![a-z])|jpy(?![a-z])))"
    r"(?:分|ほど|くらい|ぐらい|だけ)?",
    re.IGNORECASE,
)
_AT_THE_END = re.compile(
    rf"(?P<minus>{_MINUS})?(?P<sum>[0-9][0-9,.]*[百千万]?|(?<=\s)[一二三四五六七八九十百千万]*[百千万])$"
)
_AT_THE_START = re.compile(r"^(?P<sum>[0-9][0-9,]*[百千万]?|[一二三四五六七八九十百千万]*[百千万])(?=[\s、])")
_IN_FRONT = re.compile(r"^(?P<sum>[0-9][0-9,]*)(?=[^0-9,.])")
_KANJI_ALONE = re.compile(r"^[一二三四五六七八九十百千万]*[百千万]$")
_TYPED_COMMA = re.compile(r"(?<=[0-9])、(?=[0-9]{3}(?![0-9]))")
_ONE_MORE_BEFORE = re.compile(r"[0-9][\s、]+$")
_ONE_MORE_AFTER = re.compile(r"^\s*(?:を|ずつ|で)?\s*[x×✕*]?\s*[0-9]", re.IGNORECASE)
_KANA_DIGITS = {"": 1, "いち": 1, "に": 2, "さん": 3, "よん": 4, "ご": 5, "ろく": 6, "ろっ": 6, "なな": 7}
_KANA_DIGITS |= {"はち": 8, "はっ": 8, "きゅう": 9}
_KANA_UNITS = {"まん": 10_000, "せん": 1000, "ぜん": 1000, "ひゃく": 100, "びゃく": 100, "ぴゃく": 100}
_KANA = re.compile(rf"({'|'.join(filter(None, _KANA_DIGITS))}|)({'|'.join(_KANA_UNITS)})")
_IN_KANA = re.compile(rf"(?P<alone>(?:^|(?<=[\s、])))?(?P<sum>(?:{_KANA.pattern})+)(?:えん|円)")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_PLAIN = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,4})?")
ENDINGS = re.compile(
    r"[\W_]*+(?:"
    r"(?:どうぞ)?(?:よろしく)?(?:お願い|おねがい)(?:(?:です|します|いたします|致します|したい(?:です)?|できますか)[ねよ]?)?|よろしく|"
    r"を?(?:寄付|きふ|募金)(?:します|する|したい(?:です)?|させて|して|で)?|"
    r"を?(?:送り|おくり|あげ|贈り)(?:ます|たい(?:です)?)|を?(?:送る|あげる|贈る)|"
    r"ください|下さい|です|が?いいです|がいい|を|に|へ|で|は|の|分|please|thanks|thank you"
    r")?[\W_]*+$",
    re.IGNORECASE,
)
BEGINNINGS = re.compile(
    r"^[\s、。]*(?:を|に|へ|で|は|の|分|じゃあ?|では|それでは|次は|今日は|今月は|(?:寄付|募金)(?:したい|します|する|を|で)?(?:です)?|"
    r"(?:i(?:['’]d| would) like to|i want to|i['’]ll|please|can i|could i|let me|"
    r"donate|give|send|to|for)(?![a-z]))[\s、]*",
    re.IGNORECASE,
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
    text = _TYPED_COMMA.sub(",", half_width(typed[:TEXT_LENGTH_MAX]))
    marked = list(_MARKED.finditer(text))
    if len(marked) > 1:
        return Said(Malformed(text), _MARKED.sub(" ", text))
    if marked:
        return _said(text, marked[0], marked[0]["after"] or marked[0]["before"])
    spoken = _IN_KANA.search(text)
    if spoken:
        return _spoken(text, spoken)
    bare = without_endings(text)
    if _KANJI_ALONE.match(bare):
        return Said(value(bare), "")
    found = _AT_THE_END.search(bare) or _AT_THE_START.match(bare)
    return _said(bare, found, found["sum"]) if found else Said(None, text)


def in_front(typed: str) -> Said:
    """500ピーナッツ. Whether the number is a sum, only what stands behind it can tell: 20世紀梨 is a pear."""
    text = half_width(typed[:TEXT_LENGTH_MAX])
    found = _IN_FRONT.match(text)
    return Said(value(found["sum"]), text[found.end() :]) if found else Said(None, text)


def _said(text: str, found: re.Match[str], number: str) -> Said:
    before, after = text[: found.start()], text[found.end() :]
    negative = found.groupdict().get("minus") is not None
    two = _ONE_MORE_BEFORE.search(before) or _ONE_MORE_AFTER.match(after)
    return Said(Malformed(number) if negative or two else value(number), f"{before} {after}".strip())


def _spoken(text: str, found: re.Match[str]) -> Said:
    """ごひゃくえん, where it stands by itself: 沖縄にせんえん can be one thousand or two."""
    parts = [_KANA_DIGITS[digit] * _KANA_UNITS[unit] for digit, unit in _KANA.findall(found["sum"])]
    falling = all(larger > smaller for larger, smaller in itertools.pairwise(parts))
    clear = found["alone"] is not None and falling
    rest = f"{text[: found.start()]} {text[found.end() :]}".strip()
    return Said(sum(parts) if clear else Malformed(found["sum"]), rest)


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
    rest = number.translate(_FORMAL)
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
