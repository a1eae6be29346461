"""The present moment as it is stored. Days belong to a zone, which a system names (`System.zone`)."""

from __future__ import annotations

from datetime import UTC, datetime

from sekkei.clock import Clock


def now(clock: Clock) -> datetime:
    """To the millisecond, as it is stored: what was just written and what is read back are the same moment."""
    moment = datetime.fromtimestamp(clock.now(), UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
