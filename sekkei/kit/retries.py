"""When work for the outside is tried again: by our own backoff, or when the server asks for it (`Retry-After`)."""

from __future__ import annotations

import re
from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime

from sekkei.backoff import backoff_seconds
from sekkei.clock import Clock

FIRST_SECONDS = 2.0
LONGEST_SECONDS = 3600.0
"""No server keeps us away for longer: after an hour it is asked again, whatever it said."""
_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_LENGTH_MAX = 64


def backoff(attempts: int, clock: Clock) -> timedelta:
    """Return the pause after that many attempts that failed; half of it is random."""
    seconds = backoff_seconds(attempts, first=FIRST_SECONDS, longest=LONGEST_SECONDS, clock=clock, jitter=0.5)
    return timedelta(seconds=seconds)


def retry_after(value: str | bytes | float | None, now: float) -> float | None:
    """Return the seconds that `Retry-After` asks for (RFC 9110 §10.2.3), at most an hour; None for what is neither
    seconds nor an HTTP date."""
    text = (value.decode("latin-1") if isinstance(value, bytes) else str(value)).strip()
    if _SECONDS.fullmatch(text):
        return min(float(text), LONGEST_SECONDS)
    if len(text) > _LENGTH_MAX:
        return None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return min(max(0.0, moment.timestamp() - now), LONGEST_SECONDS)
