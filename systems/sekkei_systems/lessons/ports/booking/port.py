"""Booking in a studio's own system: reserve, confirm, release. The interface.

Each step has the same key, and may be sent again: a key is reserved once, confirmed once, and what was released stays
so. Whoever gets no answer does not know what was done, and releases.
"""

from __future__ import annotations

from typing import Literal, Protocol

from sekkei_systems.lessons.rules.slots import Slot

Reason = Literal["full", "closed", "no-such-lesson", "lapsed"]


class StudioRefused(Exception):
    """The studio's system has answered that it will not."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class NoWord(Exception):
    """No answer, or none that can be understood: it may have been done or not."""


class BookingPort(Protocol):
    async def reserve(self, key: str, slot: Slot) -> None:
        """Hold a place for a few minutes. Raises StudioRefused or NoWord, like the others."""
        ...

    async def confirm(self, key: str) -> None:
        """The place is sold."""
        ...

    async def release(self, key: str) -> None:
        """Nobody wants it any more; also for a key that was never heard of, which can then not be reserved."""
        ...


BookingPorts = dict[str, BookingPort]
"""By studio; under "" for all that are not named."""
