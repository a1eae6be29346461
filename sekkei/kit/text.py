r"""Texts from people: cleaned, measured and compared in one way, whichever form, API or bot they come through.

What cleaning does:

- Text becomes NFC (か + ゛ is one が), but compatibility ideographs stay: 神 in a name is not 神.
- Characters that turn the direction of text or have no width are removed, and so are control characters.
- Whatever breaks a line (CRLF, CR, U+2028, U+0085, …) is a newline in a text, and a space in a line.
- In a line, white space of any length is one space (U+3000 where all of it is). Around a line or a text there is none.
- A text without one visible character is empty.

Characters that a text needs stay. A joiner is removed only where it joins nothing: 👨‍👩‍👧 is made of joiners, as are
words in Persian and Hindi. Variation selectors choose between ❤ and ❤️, and between two ways to write 葛. Tags make the
flag of Scotland. `MARKS` turn what stands beside them; Arabic and Hebrew need them next to digits, so titles and posts
keep them; names of people and receipts do not (`name_line`).

A limit counts code points of the cleaned text, as `maxLength` of JSON Schema does. Types of fields with such limits are
in `sekkei.kit.typed`.
"""

from __future__ import annotations

import re
import unicodedata

_BREAKS = "\n\x0b-\x0d\x1c-\x1f\x85\u2028\u2029"
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_JOINED = "\u0600-\u1cff\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
"""A joiner after one of these joins: letters of Arabic and of India's scripts, and pictures."""

CONTROLS = re.compile(f"[\x00-\x08\x0e-\x1b\x7f-\x9f{_BREAKS[1:]}\ud800-\udfff]")
"""All but the tab and the newline: they move a terminal's cursor, end a line, or are half a character."""
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""They turn the direction of what follows, also outside of the text itself. No text needs them."""
MARKS = re.compile("[\u061c\u200e\u200f]")
_LINE_BREAK = re.compile(f"\r\n|[{_BREAKS}]")
_SPACES = re.compile(r"\s+")
_WIDTHLESS = (
    "\u00ad\u034f\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
_HIDING = re.compile(f"({_FLAG})|[{_WIDTHLESS}\U000e0000-\U000e007f]|(?<![{_JOINED}])[\u200c\u200d]")
_COMPOSED = re.compile("[^\uf900-\ufaff\U0002f800-\U0002fa1f]+")
"""All but compatibility ideographs, which NFC would replace by others."""
_MARKS_MAX = 30
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Fillers of Hangul and the empty Braille cell: letters and signs to Unicode, nothing to the eye."""


def one_line(text: str) -> str:
    """Return a name or a title: cleaned, on one line."""
    return _SPACES.sub(lambda match: " " if match[0].strip("\u3000") else "\u3000", many_lines(text))


def name_line(text: str) -> str:
    """Return the name of a person, or a line of a receipt: without marks of direction, and with plain spaces."""
    return " ".join(one_line(MARKS.sub("", text)).split())


def many_lines(text: str) -> str:
    """Return a text of any number of lines, cleaned; they end with a newline each."""
    lines = without_hiding(CONTROLS.sub("", TURNING.sub("", _LINE_BREAK.sub("\n", text))))
    composed = _COMPOSED.sub(lambda match: unicodedata.normalize("NFC", match[0]), _few_marks(lines)).strip()
    return composed if any(map(is_seen, composed)) else ""


def half_width(text: str) -> str:
    """Return what people type on a Japanese keyboard in its plain form: ＡＢＣ１２３ is ABC123."""
    return unicodedata.normalize("NFKC", _few_marks(text)).strip()


def folded(text: str) -> str:
    """Return the form in which texts are compared and searched: without widths and without upper case."""
    return unicodedata.normalize("NFKC", _few_marks(text)).casefold()


def _few_marks(text: str) -> str:
    """Return the text with at most 30 combining marks in a row, as Unicode's stream-safe form has it.

    Normalization sorts such a run in quadratic time: a form with half a million of them would stop the process.
    """
    if len(text) <= _MARKS_MAX or text.isascii():
        return text
    kept, marks = [], 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= _MARKS_MAX:
            kept.append(character)
    return "".join(kept)


def is_seen(character: str) -> bool:
    """Does it leave ink, alone?"""
    return character not in _BLANK and unicodedata.category(character)[0] not in "CZM"


def without_hiding(text: str) -> str:
    """Return the text without characters that have no width: two names that differ would look alike."""
    return _HIDING.sub(lambda match: match[1] or "", text)


def written_out(text: str) -> str:
    """Return a stored text for operators: what turns, hides or breaks text stands there as `\\u202e` does."""
    for kind in (CONTROLS, TURNING, MARKS):
        text = kind.sub(lambda match: _escaped(match[0]), text)
    return _HIDING.sub(lambda match: match[1] or _escaped(match[0]), text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
