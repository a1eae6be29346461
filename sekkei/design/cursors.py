"""Cursors that only this program could have made, for the very query they came from.

A cursor is the key of the last item returned, with a signature over it and over the query's fingerprint. It is signed,
not encrypted: it shows keys to whoever looks.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

from .errors import CursorRefused

SIGNATURE_BYTES = 16
CURSOR_CHARACTERS_MAX = 8192  # the longest possible key is 3 KB, twice


def _signature(secret: bytes, fingerprint: bytes, body: bytes) -> bytes:
    import hmac  # loads OpenSSL, which a program without pages never needs

    return hmac.digest(secret, fingerprint + body, "sha256")[:SIGNATURE_BYTES]


def seal(key: dict[str, Any], fingerprint: bytes, secret: bytes) -> str:
    """The cursor that continues after `key`."""
    import json

    body = json.dumps(key, separators=(",", ":"), ensure_ascii=False).encode()
    return urlsafe_b64encode(_signature(secret, fingerprint, body) + body).decode().rstrip("=")


def unseal(cursor: str, fingerprint: bytes, secret: bytes) -> dict[str, Any]:
    """The key in a cursor; refuses one that was changed, or belongs to another query."""
    try:
        if len(cursor) > CURSOR_CHARACTERS_MAX:
            raise ValueError
        raw = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
    except ValueError:
        raise CursorRefused("SK401", "the cursor is damaged. Start again from the first page.") from None
    import json
    from hmac import compare_digest

    signature, body = raw[:SIGNATURE_BYTES], raw[SIGNATURE_BYTES:]
    if not compare_digest(signature, _signature(secret, fingerprint, body)):
        raise CursorRefused(
            "SK402",
            "the cursor was changed, signed with another secret, or belongs to another query or other arguments. "
            "Pass a cursor only to the query that gave it out, or start again from the first page.",
        )
    key: dict[str, Any] = json.loads(body)
    return key
