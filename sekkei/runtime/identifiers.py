"""Identifiers that sort by when they were made: UUID version 7."""

from __future__ import annotations

from uuid import UUID

from sekkei.clock import Clock


def uuid7(clock: Clock) -> str:
    """48 bits of milliseconds, then chance."""
    milliseconds = int(clock.now() * 1000) & ((1 << 48) - 1)
    chance = UUID(clock.uuid()).int
    high = chance >> 64 & 0xFFF
    low = chance & ((1 << 62) - 1)
    return str(UUID(int=milliseconds << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low))
