"""Characters that nobody sees."""

from __future__ import annotations

import re
import sys
import unicodedata
from pathlib import Path

import pytest

import sekkei
import sekkei_systems
from sekkei.kit.text import (
    CONTROLS,
    MARKS,
    TURNING,
    folded,
    half_width,
    many_lines,
    name_line,
    one_line,
    without_hiding,
    written_out,
)

FAMILY = "👨\u200d👩\u200d👧"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
NEEDED = [
    FAMILY,
    SCOTLAND,
    "❤\ufe0f\u200d🔥 ⛹🏻\u200d♀\ufe0f 1\ufe0f\u20e3 🇯🇵",
    "葛\U000e0100城市",
    "می\u200cخواهم",
    "क्\u200dष",
    "か\u309a",
    "山田 太郎",
    "𠮷野家 髙﨑 \ufa19 \ufa10",
]
SHOWN = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U0001343f]")
"""Format characters that leave ink, or move the ink of hieroglyphs."""


def kind(character: str) -> str:
    kinds = {"control": CONTROLS, "turning": TURNING, "mark": MARKS}
    found = [name for name, pattern in kinds.items() if pattern.search(character)]
    found += ["hiding"] if without_hiding(character) != character else []
    assert len(found) < 2, found
    return found[0] if found else ""


@pytest.mark.parametrize(
    ("characters", "expected"),
    [
        ("\x00\x07\x08\x0b\x0c\r\x1b\x1f\x7f\x85\x9b\u2028\u2029\ud800\udfff", "control"),
        ("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "turning"),
        ("\u061c\u200e\u200f", "mark"),
        ("\u00ad\u034f\u180e\u200b\u200c\u200d\u2060\u2064\u206a\ufeff\ufff9\U000e0001\U000e0041\U000e007f", "hiding"),
        ("\t\n \u3000aあ漢👨\ufe0f\u0301\U000e0100\ue000\u0600", ""),
    ],
)
def test_every_character_is_of_one_kind(characters: str, expected: str) -> None:
    assert {one: kind(one) for one in characters} == dict.fromkeys(characters, expected)


def test_unicode_has_no_format_character_that_we_do_not_know() -> None:
    """A new version of Unicode may bring one: it is put into a kind, or among the signs that show."""
    everything = map(chr, range(sys.maxunicode + 1))
    unseen = [one for one in everything if unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp") and one not in "\t\n"]
    assert [one for one in unseen if not kind(one) and not SHOWN.search(one)] == []


@pytest.mark.parametrize("text", NEEDED)
def test_what_a_name_needs_stays(text: str) -> None:
    assert one_line(text) == many_lines(text) == name_line(text) == written_out(text) == without_hiding(text) == text


@pytest.mark.parametrize("text", ["", "  ", "\u200b", "\u200b \u200d\ufeff", "\u3164", "\u2800", "\x00\x07", "\u202e"])
def test_what_nobody_sees_is_nothing(text: str) -> None:
    assert one_line(text) == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (" もくもく\n会 ", "もくもく 会"),
        ("a\x00b", "ab"),
        ("abc\u202edef", "abcdef"),
        ("ad\u200dmi\u200bn\u00ad", "admin"),
        (f"{FAMILY} 会\u200d", f"{FAMILY} 会"),
        ("a\U000e0068\U000e0069b", "ab"),
        (SCOTLAND[:-1] + "\U000e0020\U000e007f", SCOTLAND[0]),
        ("עברית\u200f 2026", "עברית\u200f 2026"),
    ],
)
def test_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


@pytest.mark.parametrize(
    ("text", "line", "lines"),
    [
        ("a\x07\u202eb\u200b\u2028c", "ab c", "ab\nc"),
        ("今日は\u3000\u3000晴れ \u3000だ", "今日は\u3000晴れ だ", "今日は\u3000\u3000晴れ \u3000だ"),
        (" a\r\nb\rc\n\n d\t ", "a b c d", "a\nb\nc\n\n d"),
        ("a\u2029b\x85c\x0bd\x0ce", "a b c d e", "a\nb\nc\nd\ne"),
        ("か\u3099 ｶﾞ Ａ", "が ｶﾞ Ａ", "が ｶﾞ Ａ"),
        ("\n\u200b\n", "", ""),
        ("\ud800a", "a", "a"),
    ],
)
def test_a_line_and_a_text(text: str, line: str, lines: str) -> None:
    assert (one_line(text), many_lines(text)) == (line, lines)
    assert (one_line(line), many_lines(lines)) == (line, lines), "cleaning twice changes nothing"


def test_a_name_has_no_marks_of_direction() -> None:
    assert name_line("\u200f山田\u200e\u3000太郎\u061c") == "山田 太郎"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("exe.\u202egpj", r"exe.\u202egpj"),
        ("a\x1b[31mb\r\x9b", r"a\x1b[31mb\r\x9b"),
        ("ad\u200bmin\u200f", r"ad\u200bmin\u200f"),
        ("a\U000e0068", r"a\U000e0068"),
    ],
)
def test_written_out_it_does_nothing(text: str, seen: str) -> None:
    assert written_out(text) == seen


@pytest.mark.parametrize("technique", ['"NFKC"', r"\u202e", "def one_line"])
def test_what_is_known_of_characters_stands_in_one_module(technique: str) -> None:
    places = [path for package in (sekkei, sekkei_systems) for path in Path(package.__path__[0]).rglob("*.py")]
    assert len(places) > 500
    assert [path.name for path in places if technique in path.read_text()] == ["text.py"]


def test_marks_in_a_row_are_bounded_before_they_are_sorted() -> None:
    """Sorting half a million of them would take minutes; thirty are more than any script has."""
    many = "a" + "\u0301\u0327" * 100
    assert len(one_line(many)) <= 31
    assert max(len(half_width(many)), len(folded(many))) <= 31
    assert one_line("e\u0301" * 100) == "é" * 100
