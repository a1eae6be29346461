"""One-time codes from an authenticator app: RFC 6238 over RFC 4226, with SHA-1, six digits and thirty seconds.

These three are what every authenticator app takes, whatever a key's address asks for.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from urllib.parse import quote

from sekkei.kit.codes import DIGITS, read_code

_PERIOD_SECONDS = 30
_DRIFT = 1
"""Codes of the step before and the step after count too: clocks differ, and typing takes time."""


def step_at(now: float) -> int:
    return int(now // _PERIOD_SECONDS)


def code(key: bytes, step: int, digits: int = DIGITS) -> str:
    """The code of one step of thirty seconds."""
    found = hmac.digest(key, step.to_bytes(8, "big"), hashlib.sha1)
    start = found[-1] & 0x0F
    number = int.from_bytes(found[start : start + 4], "big") & 0x7FFF_FFFF
    return f"{number % 10**digits:0{digits}d}"


def matching_step(key: bytes, given: str, now: float, after: int = -1) -> int | None:
    """The step whose code was given, of those near now and later than `after`: no code counts twice."""
    digits = read_code(given) or ""
    here = step_at(now)
    for step in range(max(0, here - _DRIFT), here + _DRIFT + 1):
        if hmac.compare_digest(code(key, step).encode(), digits.encode()) and step > after:
            return step
    return None


def base32(key: bytes) -> str:
    """The key as people type it."""
    return base64.b32encode(key).decode().rstrip("=")


def address(key: bytes, issuer: str, name: str) -> str:
    """What the QR code for an authenticator app says."""
    label = quote(f"{issuer}:{name}", safe="@:")
    return f"otpauth://totp/{label}?secret={base32(key)}&issuer={quote(issuer)}"
