"""What people may write: how long it is, as people count, and which characters it may hold."""

from __future__ import annotations

import re

import regex

from sekkei.kit.text import many_lines, one_line
from sekkei_systems.q.refusals import BadAppId, BadText, BadUsername

ANSWER_MAX = 80
QUESTION_MAX = 80
DISPLAY_NAME_MAX = 50
BIO_MAX = 200
DESCRIPTION_MAX = 500
CODE_POINTS_PER_CHARACTER_MAX = 12
"""A family emoji has 7 to 11; more than this is decoration stacked to break a layout."""

_CLUSTER = regex.compile(
    r"(?:\p{InCB=Consonant}\p{InCB=Extend}*\p{InCB=Linker}[\p{InCB=Extend}\p{InCB=Linker}]*(?=\p{InCB=Consonant}))*\X"
)
r"""`\X` of `regex` lacks rule GB9c: it cuts conjuncts of India's scripts, such as क्षि, in two."""
_APP_ID = re.compile(r"[a-z0-9_]{3,15}")
_USERNAME = re.compile(r"[A-Za-z0-9_]{3,20}")


def characters(text: str) -> int:
    """How many characters a person sees."""
    return len(clusters(text))


def clusters(text: str) -> list[str]:
    """The characters that a person sees: extended grapheme clusters of Unicode's annex 29."""
    return _CLUSTER.findall(text)


def text_of(text: str, most: int, field: str, *, lines: bool = False) -> str:
    """Return the text in the form that is stored; it is refused when it is empty or too long."""
    clean = many_lines(text) if lines else one_line(text)
    if len(clean) > most * CODE_POINTS_PER_CHARACTER_MAX or not 1 <= characters(clean) <= most:
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
