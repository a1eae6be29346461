"""Things that must happen once: a row per key, written in the transaction of the effect."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Database, Put
from sekkei.runtime import days
from sekkei.runtime.design import Once, once

KEPT = timedelta(days=7)


class Idempotency:
    """`await db.transact(effect, idempotency.mark(key))`: the second time, `mark` is what fails."""

    def __init__(self, runtime: Database, clock: Clock) -> None:
        self._runtime = runtime
        self._clock = clock

    def mark(self, key: str, answer: Mapping[str, Any] | None = None, kept: timedelta = KEPT) -> Put[Once]:
        """An action for a transaction: this has now happened."""
        now = days.now(self._clock)
        return once.create(Once(key=key, answer=dict(answer or {}), at=now, expires=now + kept))

    async def answer(self, key: str) -> dict[str, Any] | None:
        """What it answered when it happened; None when it has not."""
        found = await self._runtime.get(once(key).consistent())
        return None if found is None else found.answer
