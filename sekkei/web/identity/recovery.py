"""Recovery codes: what stands in for an authenticator app that is lost. Ten at a time, each good once.

They are shown once. What is stored is a hash under a key of the operator's secret, over account and code: whoever reads
the table can neither use nor guess them. They are digits, as the codes of an app are: one field takes both.
"""

from __future__ import annotations

import base64
import hmac
import secrets
import unicodedata

COUNT = 10
DIGITS = 12
HASH_BYTES = 16


def make() -> list[str]:
    """As people write them down: `4071-9926-0385`."""
    return [_shown(f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}") for _ in range(COUNT)]


def _shown(code: str) -> str:
    return "-".join(code[at : at + 4] for at in range(0, DIGITS, 4))


def read(typed: str) -> str | None:
    """The code that somebody typed, spaced as they like, or None when it is something else, such as an app's."""
    code = "".join(filter(str.isdecimal, unicodedata.normalize("NFKC", typed)))
    return _shown(code) if len(code) == DIGITS else None


def stored(master: bytes, account_id: str, code: str) -> str:
    """What the table holds of a code."""
    found = hmac.digest(master, f"{account_id}#{code}".encode(), "sha256")[:HASH_BYTES]
    return base64.urlsafe_b64encode(found).decode().rstrip("=")
