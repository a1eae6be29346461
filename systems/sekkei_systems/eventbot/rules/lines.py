"""One line of text as people see it, such as a title: nothing in it breaks the line, turns it round, or is all there is
without being seen."""

from __future__ import annotations

import re
import unicodedata

_HARMFUL = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Marks that turn the direction of what follows, also outside of the text itself."""
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that show nothing."""


def one_line(text: str) -> str:
    """White space and control characters are one space; empty where nothing can be seen."""
    plain = "".join(" " if unicodedata.category(one) == "Cc" else one for one in _HARMFUL.sub("", text))
    line = " ".join(plain.split())
    return line if any(map(_is_seen, line)) else ""


def _is_seen(one: str) -> bool:
    return one not in _BLANK and unicodedata.category(one)[0] not in "CZM"
