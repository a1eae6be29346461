r"""Characters that nobody sees: which of them turn, hide or break the text around them, and which a text needs.

- `CONTROLS` move a terminal's cursor, end a line, or are half a character.
- `TURNING` turns the direction of what follows, also outside of the text itself. No text needs it.
- `MARKS` turn what stands beside them. Arabic and Hebrew need them next to digits, so titles and posts keep them; names
  of people and receipts do not.
- What hides has no width: two names that differ look alike.

What a text needs counts as none of these. A joiner hides only where it joins nothing: 👨‍👩‍👧 is made of joiners, as are
words in Persian and Hindi. Variation selectors choose between ❤ and ❤️, and between two ways to write 葛. Tags make the
flag of Scotland.
"""

from __future__ import annotations

import re
import unicodedata

_BREAKS = "\x0b-\x0d\x1c-\x1f\x85\u2028\u2029"
"""What ends a line besides the newline, to one program or another."""
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_JOINED = "\u0600-\u1cff\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
"""A joiner after one of these joins: letters of Arabic and of India's scripts, and pictures."""

CONTROLS = re.compile(f"[\x00-\x08\x0e-\x1b\x7f-\x9f{_BREAKS}\ud800-\udfff]")
"""All but the tab and the newline."""
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
MARKS = re.compile("[\u061c\u200e\u200f]")
_WIDTHLESS = (
    "\u00ad\u034f\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
_HIDING = re.compile(f"({_FLAG})|[{_WIDTHLESS}\U000e0000-\U000e007f]|(?<![{_JOINED}])[\u200c\u200d]")
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Fillers of Hangul and the empty Braille cell: letters and signs to Unicode, nothing to the eye."""


def is_seen(character: str) -> bool:
    """Does it leave ink, alone?"""
    return character not in _BLANK and unicodedata.category(character)[0] not in "CZM"


def without_hiding(text: str) -> str:
    return _HIDING.sub(lambda found: found[1] or "", text)


def one_line(text: str) -> str:
    """For a name or a title: white space and controls are one space; empty where nothing can be seen."""
    line = " ".join(CONTROLS.sub(" ", without_hiding(TURNING.sub("", text))).split())
    return line if any(map(is_seen, line)) else ""


def written_out(text: str) -> str:
    """For those who look into a store: everything of any kind stands there as `\\u202e` does, and does nothing."""
    for kind in (CONTROLS, TURNING, MARKS):
        text = kind.sub(lambda found: _escaped(found[0]), text)
    return _HIDING.sub(lambda found: found[1] or _escaped(found[0]), text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
