"""The signature of a push: a studio says without being asked what is free."""

from __future__ import annotations

import hashlib
import hmac
from datetime import UTC, datetime

from sekkei.clock import Clock
from sekkei_systems.lessons.refusals import BadSignature

PUSH_SECONDS_MAX = 300


def signature_of(secret: bytes, timestamp: str, slot: str, body: bytes) -> str:
    """The lesson is signed too, or what a studio says of one could be told of another."""
    return "sha256=" + hmac.new(secret, f"{timestamp}.{slot}.".encode() + body, hashlib.sha256).hexdigest()


def verify_push(secret: bytes, slot: str, body: bytes, signature: str, timestamp: str, clock: Clock) -> datetime:
    """`X-Signature: sha256=<hex>` over `<timestamp>.<studio/date/time>.<body>`, not older than five minutes.

    Returns when it was signed.
    """
    expected = signature_of(secret, timestamp, slot, body)
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    fresh = is_number and abs(clock.now() - int(timestamp)) <= PUSH_SECONDS_MAX
    if not (hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace")) and fresh):
        raise BadSignature()
    return datetime.fromtimestamp(int(timestamp), UTC)
