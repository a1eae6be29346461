"""Identifiers for addresses that people see."""

from __future__ import annotations

from uuid import UUID

from sekkei.clock import Clock
from sekkei.runtime.identifiers import uuid7


def short(clock: Clock) -> str:
    """24 characters that sort by when they were made, 12 of them chance."""
    return uuid7(clock).replace("-", "")[:12] + UUID(clock.uuid()).hex[:12]
