"""Signatures as Stripe writes them, `t=<seconds>,v1=<hex>`: HMAC-SHA256 over `<seconds>.<body>`."""

from __future__ import annotations

import hashlib
import hmac

from sekkei_systems.chiipochi.refusals import BadCallback

TOLERANCE_SECONDS = 300


def sign(secret: bytes, now: float, body: bytes) -> str:
    return f"t={int(now)},v1={_digest(secret, str(int(now)), body)}"


def check(secret: bytes, now: float, body: bytes, header: str | None) -> None:
    """Raise BadCallback unless one of the signatures is right and not too old."""
    parts = [part.strip().partition("=") for part in (header or "").split(",")]
    times = [value for name, _, value in parts if name == "t"]
    given = [value for name, _, value in parts if name == "v1"]
    if len(times) != 1 or not times[0].isascii() or not times[0].isdigit() or not secret:
        raise BadCallback()
    expected = _digest(secret, times[0], body).encode()
    matches = [hmac.compare_digest(expected, one.encode()) for one in given]
    if not any(matches) or abs(now - int(times[0])) > TOLERANCE_SECONDS:
        raise BadCallback()


def _digest(secret: bytes, seconds: str, body: bytes) -> str:
    return hmac.new(secret, seconds.encode() + b"." + body, hashlib.sha256).hexdigest()
