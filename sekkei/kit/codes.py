"""Codes of digits that people copy from a mail, an app, a chat or a sheet of paper: read in one way.

A code is read before a try is counted: what has not the form of a code (`read_code` gives None) costs none.
"""

from __future__ import annotations

import re
import unicodedata

from sekkei.kit.text import half_width, one_line

DIGITS = 6
"""Of codes in mails, and of those of authenticator apps."""
_BETWEEN = "-\\s\u058a\u05be\u1806\u2010-\u2015\u2043\u2212\u2500\u2e3a\u2e3b\u301c\u3030\u30a0\u30fc"
"""Spaces, hyphens and dashes, and what a Japanese keyboard types in their place."""
_DIGITS = re.compile(rf"\d(?:[{_BETWEEN}]*\d)*")


def read_code(typed: str, digits: int = DIGITS) -> str | None:
    """Return the code of so many digits in what a person typed or pasted, or None where there is not exactly one."""
    runs = ["".join(filter(str.isdecimal, run)) for run in _DIGITS.findall(half_width(one_line(typed)))]
    codes = [run for run in runs if len(run) == digits]
    return "".join(str(unicodedata.decimal(digit)) for digit in codes[0]) if len(codes) == 1 else None
