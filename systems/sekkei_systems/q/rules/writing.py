"""What people may write: how long it is, as people count, and which characters it may hold."""

from __future__ import annotations

import re
import unicodedata

from sekkei.kit.text import CONTROLS, TURNING, is_seen, without_hiding
from sekkei_systems.q.refusals import BadAppId, BadCharacters, BadText, BadUsername

ANSWER_MAX = 80
QUESTION_MAX = 80
DISPLAY_NAME_MAX = 50
BIO_MAX = 200
DESCRIPTION_MAX = 500
CODE_POINTS_PER_CHARACTER_MAX = 12
"""A family emoji has 7 to 11; more than this is decoration stacked to break a layout."""

_APP_ID = re.compile(r"[a-z0-9_]{3,15}")
_USERNAME = re.compile(r"[A-Za-z0-9_]{3,20}")
_ZWJ = "\u200d"
_JOINERS = {_ZWJ, "\u200c"}


def characters(text: str) -> int:
    """How many characters a person sees."""
    return len(clusters(text))


def clusters(text: str) -> list[str]:
    """The characters that a person sees: extended grapheme clusters, as Unicode's annex 29 has them."""
    found: list[str] = []
    before = ""
    flags = 0
    for character in text:
        is_flag = "\U0001f1e6" <= character <= "\U0001f1ff"
        if before and _continues(before, character, is_flag and flags % 2 == 1):
            found[-1] += character
        else:
            found.append(character)
        flags = flags + 1 if is_flag else 0
        before = character
    return found


def _continues(before: str, character: str, second_of_flag: bool) -> bool:
    """Does the character belong to the one before it?"""
    if second_of_flag or (before == "\r" and character == "\n"):
        return True
    if before == _ZWJ and _is_pictograph(character):
        return True
    if character in _JOINERS or unicodedata.category(character) in ("Mn", "Me", "Mc"):
        return True
    # Skin tones, and the tags that make the flags of regions.
    if "\U0001f3fb" <= character <= "\U0001f3ff" or "\U000e0020" <= character <= "\U000e007f":
        return True
    return _joins_in_hangul(before, character)


def _is_pictograph(character: str) -> bool:
    return "\u2190" <= character <= "\u2bff" or "\U0001f000" <= character <= "\U0001faff"


def _joins_in_hangul(before: str, character: str) -> bool:
    a, b = _hangul(before), _hangul(character)
    return (a == "L" and b in "LVS" and b != "") or (a in ("V", "S") and b in ("V", "T")) or (a == b == "T")


def _hangul(character: str) -> str:
    if "\u1100" <= character <= "\u115f" or "\ua960" <= character <= "\ua97c":
        return "L"
    if "\u1160" <= character <= "\u11a7" or "\ud7b0" <= character <= "\ud7c6":
        return "V"
    if "\u11a8" <= character <= "\u11ff" or "\ud7cb" <= character <= "\ud7fb":
        return "T"
    return "S" if "\uac00" <= character <= "\ud7a3" else ""


def text_of(text: str, most: int, field: str, *, lines: bool = False) -> str:
    """The text in the form that is stored, without what hides in it; refused when it is empty or too long, or holds
    characters that turn or break the page around it."""
    if len(text) > most * CODE_POINTS_PER_CHARACTER_MAX:
        raise BadText(field=field, most=most)
    clean = without_hiding(unicodedata.normalize("NFC", text.replace("\r\n", "\n"))).strip()
    if CONTROLS.search(clean) or TURNING.search(clean) or "\t" in clean or ("\n" in clean and not lines):
        raise BadCharacters(field=field)
    if not 1 <= characters(clean) <= most or not any(map(is_seen, clean)):
        raise BadText(field=field, most=most)
    return clean


def app_id_of(text: str) -> str:
    if not _APP_ID.fullmatch(text):
        raise BadAppId(field="appId")
    return text


def username_of(text: str) -> str:
    if not _USERNAME.fullmatch(text):
        raise BadUsername(field="username")
    return text
