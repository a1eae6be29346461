"""Taking something to work on, so that of several workers one does it, and another one can after a crash."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from sekkei.design import Condition, ConditionFailed, Database, Field, Query, Update

M = TypeVar("M")


def free(lease_until: Field[M, Any], now: datetime) -> Condition[M]:
    """Nobody works on it, or whoever did has been silent for too long."""
    return lease_until.absent() | (lease_until < now)


def held(lease_until: Field[M, Any], until: datetime | None) -> Condition[M]:
    """The lease is still the one that was taken: whoever was too slow must not undo what another one does now."""
    return lease_until.absent() if until is None else lease_until == until


async def due(db: Database, query: Query[M], is_ours: Callable[[M], bool], limit: int) -> list[M]:
    """The first of what is due here. What waits for a system of another process must not stand in its way."""
    found: list[M] = []
    after: str | None = None
    while True:
        page = await db.page(query, size=limit, after=after)
        found += [one for one in page if is_ours(one)]
        after = page.cursor
        if after is None or len(found) >= limit:
            return found[:limit]


async def take(db: Database, update: Update[M]) -> M | None:
    """Carry out the update that takes the lease; None when somebody else was quicker."""
    try:
        return await db.write(update)
    except ConditionFailed:
        return None
