"""Recovery codes: what stands in for an authenticator app that is lost. Ten at a time, each good once.

They are shown once. What is stored is a hash under a key of the operator's secret, over account and code: whoever reads
the table can neither use nor guess them. They are digits, as the codes of an app are: one field takes both.
"""

from __future__ import annotations

import unicodedata

from sekkei.kit.signing import OneTimeCode

COUNT = 10
DIGITS = 12


def make(codes: OneTimeCode) -> list[str]:
    """As people write them down: `4071-9926-0385`."""
    return [_shown(codes.make()) for _ in range(COUNT)]


def _shown(code: str) -> str:
    return "-".join(code[at : at + 4] for at in range(0, DIGITS, 4))


def read(typed: str) -> str | None:
    """The code that somebody typed, spaced as they like, or None when it is something else, such as an app's."""
    code = "".join(filter(str.isdecimal, unicodedata.normalize("NFKC", typed)))
    return _shown(code) if len(code) == DIGITS else None
