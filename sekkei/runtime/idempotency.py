"""Things that must happen once: a row per key, written in the transaction of the effect.

A key that somebody chose is stored as a hash together with their id (`own_key`), and answers are sealed: the rows live
for a week, and whoever leaves meanwhile is named in none of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, TypeVar

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, Put
from sekkei.runtime import days
from sekkei.runtime.design import Once, once
from sekkei.runtime.refusals import Conflict, Invalid

KEPT = timedelta(days=7)
M = TypeVar("M")
Also = Callable[[M], list[Action[Any, Any]]]
"""What is written in the transaction of an effect, given what it makes."""


def nothing(made: object) -> list[Action[Any, Any]]:
    """The `Also` of an effect with which nothing else is written."""
    return []


class KeyReused(Invalid):
    """The key belongs to another request."""


class KeyInUse(Conflict):
    """The first request with the key has not been answered."""


class AlreadyDone(Exception):
    """A transaction found its mark there: what it was for has happened before."""


def own_key(system: str, *whose: str) -> str:
    """The key that somebody chose, as a row's name that names nobody."""
    return f"{system}/{hashlib.sha256(chr(0).join(whose).encode()).hexdigest()}"


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
        row = await self._runtime.get(once(key).consistent())
        return row.answer if row is not None else None

    async def begin(self, key: str, about: Mapping[str, Any]) -> dict[str, Any] | None:
        """None for whoever is first; what is known of it for everybody after them."""
        mark = self.mark(key, about)
        try:
            await self._runtime.write(mark)
        except ConditionFailed as failed:
            found = failed.old(mark)
            return found.answer if found is not None else await self.answer(key)
        return None

    async def keep(self, key: str, answer: Mapping[str, Any], kept: timedelta = KEPT) -> None:
        """How what was begun ended."""
        now = days.now(self._clock)
        await self._runtime.write(once.put(Once(key=key, answer=dict(answer), at=now, expires=now + kept)))

    async def forget(self, key: str) -> None:
        """What was begun did not happen."""
        await self._runtime.write(once.delete(key))
