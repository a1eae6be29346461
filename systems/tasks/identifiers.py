"""Identifiers that sort by when they were made (UUID version 7), so that a list of keys is a list in order of time."""

from __future__ import annotations

import uuid

from sekkei.clock import Clock


def time_ordered(clock: Clock) -> str:
    """A UUIDv7: 48 bits of milliseconds, then chance."""
    milliseconds = int(clock.now() * 1000) & ((1 << 48) - 1)
    chance = uuid.UUID(clock.uuid()).int & ((1 << 80) - 1)
    number = milliseconds << 80 | chance
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=number))


def short(clock: Clock) -> str:
    """An identifier for an address that people see: 24 characters, with 12 of them chance."""
    return time_ordered(clock).replace("-", "")[:12] + uuid.UUID(clock.uuid()).hex[:12]
